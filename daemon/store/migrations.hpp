// SPDX-License-Identifier: GPL-2.0-or-later
// The migrations from an empty file to this program's schema. The first one makes the schema of the first
// release; no older one can be read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// "npfd" in the header of our files, by which file(1) and Database::open() recognize them.
inline constexpr std::int64_t kApplicationId = 0x6e706664;

struct Migration {
  std::int64_t version = 0;   // the version it produces; a list counts on from its first one without gaps
  std::string_view name;      // of its file in schema/migrations
  const char* sql = nullptr;  // without BEGIN, COMMIT and user_version, which apply() adds
};

// schema/migrations as of the build.
[[nodiscard]] std::span<const Migration> embedded_migrations();

[[nodiscard]] inline std::int64_t newest_of(std::span<const Migration> migrations) {
  return migrations.empty() ? 0 : migrations.back().version;
}

// The oldest version that a database may have: what the first migration makes of an empty file.
[[nodiscard]] inline std::int64_t oldest_of(std::span<const Migration> migrations) {
  return migrations.empty() ? 0 : migrations.front().version;
}

// Those that make a database of this version.
[[nodiscard]] inline std::span<const Migration> migrations_to(std::int64_t version,
                                                              std::span<const Migration> migrations) {
  const std::int64_t count = version - oldest_of(migrations) + 1;
  return migrations.first(
      static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, std::ssize(migrations))));
}

// Migrates a database at version `from`, which is 0 (an empty file) or at least oldest_of(), through all
// later steps, each in a transaction of its own. A step that fails is rolled back as a whole, and the
// database stays at the version before it. References are checked before each commit. Foreign keys must be
// off on `connection`, so that a step may rebuild a table that others refer to.
[[nodiscard]] Status apply(std::span<const Migration> migrations, std::int64_t from, Connection& connection);

}  // namespace netperfd::store
