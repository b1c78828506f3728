// SPDX-License-Identifier: GPL-2.0-or-later
// The queries for stored traces; core::RunQueries documents the calls.
#pragma once

#include <string>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

class TraceReader {
 public:
  explicit TraceReader(Connection& connection) : connection_(connection) {}

  [[nodiscard]] Result<TraceRecord> trace(RunId run);
  [[nodiscard]] Result<core::Page<EventSample>> samples(RunId run, const std::string& event,
                                                        const std::string& cursor, std::uint32_t limit);
  [[nodiscard]] Result<core::Page<StackCount>> stacks(RunId run, const std::string& cursor,
                                                      std::uint32_t limit);

 private:
  [[nodiscard]] Status expect_trace(RunId run);
  [[nodiscard]] Status read_counts(RunId run, TraceRecord& record);
  [[nodiscard]] Status read_slices(RunId run, TraceRecord& record);

  Connection& connection_;
};

}  // namespace netperfd::store
