// SPDX-License-Identifier: GPL-2.0-or-later
// The queries for stored function profiles; core::RunQueries documents the calls.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Begins the names of the columns of function_profiles that hold the calibration.
inline constexpr std::string_view kCalibrationPrefix = "calibration_";

class ProfileReader {
 public:
  explicit ProfileReader(Connection& connection) : connection_(connection) {}

  [[nodiscard]] Result<core::ProfileSummary> profile(RunId run);
  [[nodiscard]] Result<core::ProfilePart<FunctionStats>> functions(RunId run, std::uint64_t offset,
                                                                   std::uint32_t limit,
                                                                   core::FunctionLists lists);
  [[nodiscard]] Result<core::ProfilePart<core::NamedEdge>> edges(RunId run, std::uint64_t offset,
                                                                 std::uint32_t limit);
  [[nodiscard]] Result<core::ProfilePart<core::NamedNode>> nodes(RunId run, std::uint64_t offset,
                                                                 std::uint32_t limit);

 private:
  struct Stretch;
  // not_found if there is none.
  [[nodiscard]] Status expect_profile(RunId run);
  [[nodiscard]] Status read_scalars(RunId run, FunctionProfile& profile);
  [[nodiscard]] Status read_sums(RunId run, core::ProfileSummary& summary);
  [[nodiscard]] Status expect_functions(RunId run, const std::set<std::uint32_t>& positions);
  [[nodiscard]] Status expect_end(RunId run, std::string_view table, std::uint64_t rows);
  [[nodiscard]] Result<std::uint64_t> count(std::string_view table, RunId run);
  template <class Row, class Read>
  [[nodiscard]] Result<core::ProfilePart<Row>> part(const Stretch& stretch, Read read);

  Connection& connection_;
};

}  // namespace netperfd::store
