// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed files, in a process without privileges.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::import {

inline constexpr std::size_t kMostUnpackedBytes = std::size_t{128} << 20U;
// Members of gzip or frames of zstd. Tools that pack in parallel make one for each 64 KiB or more.
inline constexpr std::size_t kMostMembers = 20'000;

// What gzip or zstd packed, of one or more members. Absent if the bytes are of neither. invalid_argument if
// they are damaged, cut short, have more than kMostMembers, or unpack to more than kMostUnpackedBytes; memory
// never grows beyond twice that.
[[nodiscard]] Result<std::optional<std::string>> decompress(std::string_view bytes);

}  // namespace netperfd::import
