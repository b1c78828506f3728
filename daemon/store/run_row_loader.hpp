// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Reads whole RunRows by number, for one page or answer; its statements are prepared once for many rows.
class RunRowLoader {
 public:
  [[nodiscard]] static Result<RunRowLoader> prepare(Connection& connection);

  // Absent if there is no such run; io if its row, or what else is shown of it, is damaged.
  [[nodiscard]] Result<std::optional<core::RunRow>> load(RunId run);

 private:
  RunRowLoader() = default;
  [[nodiscard]] Status expect_intact_row(RunId run);

  Connection* connection_ = nullptr;
  JobId intact_job_ = 0;  // of the last run: runs of one job come one after another
  Statement run_, job_;
  Statement sums_;
  Statement flags_;
  Statement documents_;
  Statement files_, latency_, figure_;
};

// All rows of `select`, whose columns are those of Totals.
[[nodiscard]] Result<std::vector<Totals>> read_totals(Statement& select);

}  // namespace netperfd::store
