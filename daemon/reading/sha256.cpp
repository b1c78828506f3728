// SPDX-License-Identifier: GPL-2.0-or-later
// libgcrypt, which libsystemd loads anyway, uses the CPU's instructions for SHA-256.
#include "daemon/reading/sha256.hpp"

#include <fmt/format.h>
#include <gcrypt.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>

namespace netperfd::reading {

void prepare_sha256() {
  // Another user of the library in this process, such as libsystemd, may have prepared it.
  if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0) return;
  (void)gcry_check_version(nullptr);           // looks at the CPU and at the settings of the system
  (void)gcry_control(GCRYCTL_DISABLE_SECMEM);  // nothing here is secret: it would lock memory
  (void)gcry_control(GCRYCTL_INITIALIZATION_FINISHED);
}

std::string sha256_of(std::span<const std::byte> bytes) {
  prepare_sha256();
  std::array<std::uint8_t, 32> digest{};
  gcry_md_hash_buffer(GCRY_MD_SHA256, digest.data(), bytes.data(), bytes.size());
  std::string text;
  for (const std::uint8_t byte : digest) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

}  // namespace netperfd::reading
