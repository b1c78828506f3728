// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/statement_cache.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace netperfd::store {

void StatementCache::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

sqlite3_stmt* StatementCache::take(std::string_view sql) {
  const auto found = std::ranges::find(unused_, sql, &Unused::sql);
  if (found == unused_.end()) return nullptr;
  sqlite3_stmt* const statement = found->statement.release();
  unused_.erase(found);
  return statement;
}

void StatementCache::put(sqlite3_stmt* statement) {
  // Its result repeats the error of the last step, which its user has seen.
  (void)sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  unused_.push_back({.sql = sqlite3_sql(statement), .statement = {}});
  unused_.back().statement.reset(statement);
  if (unused_.size() > kMost) unused_.erase(unused_.begin());
}

}  // namespace netperfd::store
