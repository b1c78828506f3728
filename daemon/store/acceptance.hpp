// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a file is a database that this netperfd may open.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

struct Identity {
  std::int64_t application_id = 0;
  std::int64_t version = 0;
  bool empty = false;
};

[[nodiscard]] Result<Identity> identify(Connection& connection);
// invalid_argument for another program's database, unsupported for one of a version that the migrations do
// not have: a newer one, or that of a development version.
[[nodiscard]] Status accept(const Identity& identity, const std::string& path,
                            std::span<const Migration> migrations);
// The version of a database that is accepted.
[[nodiscard]] Result<std::int64_t> accepted_version(Connection& connection,
                                                    std::span<const Migration> migrations);
[[nodiscard]] std::unexpected<Error> refuse_damaged(const Connection& connection, const std::string& damage);
// io if it is damaged.
[[nodiscard]] Status check_integrity(Connection& connection);
// no_space if there is none for the copy that is made before a migration.
[[nodiscard]] Status expect_room_to_migrate(Connection& connection, std::int64_t from, std::int64_t to);

}  // namespace netperfd::store
