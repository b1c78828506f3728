#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::store {

// One zstd frame.
[[nodiscard]] Result<std::string> compress(std::string_view bytes);

// `size` is that of the bytes once compressed; a frame that holds another count is damaged (io).
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::uint64_t size);

}  // namespace netperfd::store
