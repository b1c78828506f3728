// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::store {

// Levels of zstd. For a recording, which may have hundreds of megabytes, level 1 compresses as well as 3 in
// half the time (46 MB of function_graph's sub-buffers: 7.4 MB in 0.13 s, 7.8 MB in 0.25 s). For text the
// higher level compresses better.
inline constexpr int kTextLevel = 3;
inline constexpr int kRecordingLevel = 1;

// One zstd frame.
[[nodiscard]] Result<std::string> compress(std::string_view bytes, int level);

// `size` is the original number of bytes; a frame with another size is damaged (io).
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::uint64_t size);

}  // namespace netperfd::store
