// SPDX-License-Identifier: GPL-2.0-or-later
// What an open store consists of.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "daemon/store/audit_log.hpp"
#include "daemon/store/comparison_reader.hpp"
#include "daemon/store/database.hpp"
#include "daemon/store/profile_reader.hpp"
#include "daemon/store/run_reader.hpp"
#include "daemon/store/run_writer.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/store/trace_reader.hpp"

namespace netperfd::store {

struct SqliteStore::Parts {
  Parts(std::unique_ptr<Database> opened, std::uint64_t min_free)
      : database(std::move(opened)),
        writer(database->connection()),
        reader(database->connection()),
        trace_reader(database->connection()),
        profile_reader(database->connection()),
        comparison_reader(database->connection()),
        audit(database->connection()),
        min_free_bytes(min_free) {}
  // The hook refers to this object.
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    if (database) database->connection().before_changes({});
  }

  // From now on each change first makes up for what the disk refused when the database was opened.
  void watch_changes() {
    database->connection().before_changes([this] {
      auto up = database->take_up();
      return up ? interrupt() : up;
    });
  }
  // Ends the runs that were under way when the last owner died, before the first change.
  Status interrupt() {
    if (interrupted) return {};
    const auto runs = writer.interrupt_begun_runs();
    if (!runs) return std::unexpected(runs.error());
    interrupted_runs = static_cast<std::uint64_t>(*runs);
    interrupted = true;
    return {};
  }

  std::unique_ptr<Database> database;
  RunWriter writer;
  RunReader reader;
  TraceReader trace_reader;
  ProfileReader profile_reader;
  ComparisonReader comparison_reader;
  AuditLog audit;
  std::uint64_t min_free_bytes;
  bool interrupted = false;
  std::uint64_t interrupted_runs = 0;
};

}  // namespace netperfd::store
