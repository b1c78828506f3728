#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::store {

// zstd's levels. Of a recording, which may have hundreds of megabytes, 1 makes no more than 3 does in half
// the time (46 MB of function_graph's sub-buffers: 7.4 MB in 0.13 s, 7.8 MB in 0.25 s); of text it makes
// more.
inline constexpr int kTextLevel = 3;
inline constexpr int kRecordingLevel = 1;

// One zstd frame.
[[nodiscard]] Result<std::string> compress(std::string_view bytes, int level);

// `size` is that of the bytes once compressed; a frame that holds another count is damaged (io).
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::uint64_t size);

}  // namespace netperfd::store
