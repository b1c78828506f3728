// SPDX-License-Identifier: GPL-2.0-or-later
// Bundles: runs in a file, for another netperfd and for people. A zstd-compressed tar of JSON and documents.
// docs/bundles.md describes it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::bundle {

// Of all entries together, as they are in the tar. The values of the tables take less.
inline constexpr std::size_t kMostBytes = std::size_t{96} << 20U;
inline constexpr std::size_t kMostTableBytes = std::size_t{48} << 20U;

// The whole file. `report` is a page about the runs, an entry that nothing reads back; empty: none.
// invalid_argument if it would exceed kMostBytes.
[[nodiscard]] Result<std::string> write(const Bundle& bundle, std::string_view report);

// Reads the tar, already decompressed, which may be hostile: names every entry that is damaged or not as it
// must be (invalid_argument), also by its line and key. unsupported if a newer netperfd made it. The tables
// and their columns are what the bundle says: at_newest_version() of daemon/store checks them.
[[nodiscard]] Result<Bundle> read(std::span<const std::byte> tar);

}  // namespace netperfd::bundle
