// SPDX-License-Identifier: GPL-2.0-or-later
// The first entry of a bundle: what it is, and what the others must be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/bundle/tar.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::bundle {

inline constexpr std::string_view kManifest = "manifest.json";
inline constexpr std::string_view kManifestDigest = "manifest.sha256";  // the second entry
inline constexpr std::uint64_t kFormatVersion = 1;

struct TableHead {
  std::string name;
  std::vector<std::string> columns;
  std::uint64_t rows = 0;
};

struct Manifest {
  BundleOrigin origin;
  std::uint32_t schema = 0;
  std::vector<TableHead> tables;
};

// Puts the manifest, with the digests of `entries`, and its own digest before them.
void add_manifest(const Manifest& manifest, std::vector<Entry>& entries);

// Reads the manifest, the first of `entries`, and compares the others with it. invalid_argument
// names the key and what was expected, or the entry that is damaged, missing or too many.
[[nodiscard]] Result<Manifest> read_manifest(const std::vector<Entry>& entries);

}  // namespace netperfd::bundle
