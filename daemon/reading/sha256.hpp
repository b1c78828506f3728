// SPDX-License-Identifier: GPL-2.0-or-later
// The digest by which an imported file is recognized when it is imported again.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace netperfd::reading {

// To be called before a process is confined: it may read files of the system, which tell what the library may
// use.
void prepare_sha256();

// SHA-256 (FIPS 180-4) of the bytes, as 64 lowercase hexadecimal digits: what sha256sum(1) prints.
// Prepares itself where prepare_sha256() was not called.
[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace netperfd::reading
