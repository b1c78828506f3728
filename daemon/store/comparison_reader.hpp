// SPDX-License-Identifier: GPL-2.0-or-later
// The queries of a comparison; core::RunQueries documents the calls.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

class ComparisonReader {
 public:
  explicit ComparisonReader(Connection& connection) : connection_(connection) {}

  [[nodiscard]] Result<std::vector<core::SelectedRun>> selected_runs(
      const core::RunFilter& filter, const std::vector<core::RunRange>& ranges, std::uint32_t most);
  [[nodiscard]] Result<core::RunNames> run_names();
  [[nodiscard]] Result<std::vector<analysis::ComparedRun>> compared_runs(const std::vector<RunId>& runs,
                                                                         core::ComparedParts wanted);

 private:
  // The first column of each row, as text.
  [[nodiscard]] Status read_words(std::string_view sql, std::vector<std::string>& words);

  [[nodiscard]] Status expect_intact_others(const core::RunFilter& filter,
                                            const std::vector<core::RunRange>& ranges,
                                            const std::vector<RunId>& found, bool are_all);

  Connection& connection_;
};

}  // namespace netperfd::store
