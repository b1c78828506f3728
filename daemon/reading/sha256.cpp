// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/sha256.hpp"

#include <sha2.h>

#include <array>
#include <cstdint>

namespace netperfd::reading {

std::string sha256_of(std::span<const std::byte> bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), text.data());
  return text.data();
}

}  // namespace netperfd::reading
