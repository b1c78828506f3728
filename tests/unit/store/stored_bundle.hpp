// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of a bundle that has a row of everything, to be changed and stored elsewhere.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
inline constexpr uid_t kImporter = 1234;
inline constexpr WallTime kLater = kMorning + std::chrono::days{1};
inline const std::vector<RunId> kMovedRuns{1, 2, 3, 4, 5, 6, 7};

// Written by hand: what a store says of itself, and what it has of its own rows.
inline const std::set<std::string> kNotMoved{"audit",          "stored_by_owner",   "sqlite_sequence",
                                             "jobs.owner_uid", "jobs.created_us",   "jobs.stored_bytes",
                                             "jobs.tied",      "jobs.held",         "runs.stored_bytes",
                                             "runs.removing",  "documents.content", "cpu_samples.stacks",
                                             "run_digests",    "job_digests"};

class BundleStore : public StoreTest {
 protected:
  BundleStore() {
    open();
    store_runs(*store);
    // Tables of which store_runs() has nothing.
    RunRecord record = a_record(run_under_way(a_job()), 4, 5000);
    record.counters = the_counters();
    record.trace = a_trace();
    record.trace->only_cpus = {0, 1};
    must(store->finish(record));
    runs_ = kMovedRuns;
    runs_.push_back(record.id);
    other_ = must(SqliteStore::open(other_path(), 0));
  }
  [[nodiscard]] std::string other_path() const { return (folder / "other.db").string(); }
  StoredTables content() { return must(store->tables(runs_, kNoLimit)); }
  // The error of adding what `change` makes of the content; nothing was added.
  std::string refusal(const std::function<void(StoredTables&)>& change) {
    StoredTables changed = content();
    change(changed);
    const auto added = other_->add_bundle(changed, kImporter, "flag", kMorning);
    EXPECT_EQ(ask(other_path(), "SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM runs)"), "0");
    if (added) return "it was added";
    EXPECT_EQ(added.error().kind, ErrorKind::invalid_argument);
    return added.error().message;
  }

  std::vector<RunId> runs_;
  std::unique_ptr<SqliteStore> other_;
};

inline StoredTable& table_in(StoredTables& content, const std::string& name) {
  return *std::ranges::find(content.tables, name, &StoredTable::name);
}

// Changes the value of `column` in the first row.
inline void set_first(StoredTables& content, const std::string& name, const std::string& column,
                      const StoredValue& value) {
  StoredTable& changed = table_in(content, name);
  const StoredTable was = std::exchange(changed, {changed.name, changed.columns, {}});
  StoredRows rows{was};
  std::vector<StoredValue> row;
  for (bool first = true; rows.next(row); first = false) {
    for (std::size_t i = 0; i < row.size(); ++i)
      changed.add(first && was.columns[i] == column ? value : row[i]);
  }
}

}  // namespace netperfd::store
