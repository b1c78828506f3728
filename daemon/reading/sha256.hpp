// SPDX-License-Identifier: GPL-2.0-or-later
// The digest by which an imported file is recognized when it is imported again.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace netperfd::reading {

// SHA-256 (FIPS 180-4) of the bytes, as 64 lowercase hexadecimal digits: what sha256sum(1) prints.
[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace netperfd::reading
