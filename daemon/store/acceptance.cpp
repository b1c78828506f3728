// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/acceptance.hpp"

#include <fmt/format.h>

#include "daemon/store/disk_space.hpp"

namespace netperfd::store {

Result<Identity> identify(Connection& connection) {
  const auto application_id = connection.value<std::int64_t>("PRAGMA application_id");
  if (!application_id) return std::unexpected(application_id.error());
  const auto version = connection.value<std::int64_t>("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  const auto objects = connection.value<std::int64_t>("SELECT count(*) FROM sqlite_schema");
  if (!objects) return std::unexpected(objects.error());
  return Identity{*application_id, *version, *application_id == 0 && *version == 0 && *objects == 0};
}

// Only reads, so that a file that is not ours stays unchanged.
Status accept(const Identity& identity, const std::string& path, std::span<const Migration> migrations) {
  if (identity.empty) return {};
  if (identity.application_id != kApplicationId) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format(
            "{}: this is another program's database (application_id {:#x}, netperfd's is {:#x}); it was "
            "left as it is",
            path, identity.application_id, kApplicationId));
  }
  if (identity.version < oldest_of(migrations)) {
    return fail(
        ErrorKind::unsupported,
        fmt::format(
            "{}: a development version of netperfd made this database, of schema version {}, and this one "
            "knows versions from {} on; it was left as it is. Read it with the version that made it, or move "
            "it away to begin a new one",
            path, identity.version, oldest_of(migrations)));
  }
  const std::int64_t newest = newest_of(migrations);
  if (identity.version > newest) {
    return fail(
        ErrorKind::unsupported,
        fmt::format(
            "{}: a newer netperfd has brought this database to version {}, and this one knows versions "
            "up to {}; it was left as it is. Install the newer netperfd again, or put back the copy it "
            "made ({}.before-v{})",
            path, identity.version, newest, path, identity.version));
  }
  return {};
}

std::unexpected<Error> refuse_damaged(const Connection& connection, const std::string& damage) {
  return fail(
      ErrorKind::io,
      fmt::format("{}: the database is damaged ({}); restore a copy, or move it away to begin a new one",
                  connection.path(), damage));
}

Status check_integrity(Connection& connection) {
  const auto verdict = connection.value<std::string>("PRAGMA quick_check(1)");
  if (!verdict) return std::unexpected(verdict.error());
  if (*verdict == "ok") return {};
  return refuse_damaged(connection, *verdict);
}

Result<std::int64_t> accepted_version(Connection& connection, std::span<const Migration> migrations) {
  const auto identity = identify(connection);
  if (!identity) return std::unexpected(identity.error());
  if (auto accepted = accept(*identity, connection.path(), migrations); !accepted) {
    return std::unexpected(accepted.error());
  }
  return identity->version;
}

Status expect_room_to_migrate(Connection& connection, std::int64_t from, std::int64_t to) {
  const auto bytes = connection.value<std::uint64_t>(
      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
  if (!bytes) return std::unexpected(bytes.error());
  const auto free = free_space(connection.path());
  if (!free || *free >= *bytes) return {};
  return fail(
      ErrorKind::no_space,
      fmt::format("{}: netperfd brings this database from version {} to {}, after it has made a copy of it: "
                  "that needs {:.1f} MiB, and {}; make room, or start the netperfd that it is from",
                  connection.path(), from, to, static_cast<double>(*bytes) / (1U << 20U),
                  describe_space(connection.path())));
}

}  // namespace netperfd::store
