// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever a store answers about its runs and jobs, as texts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/store/sqlite_store.hpp"

namespace netperfd::store {

// To questions about these runs and jobs, and to all that list them. An error begins with "error: ". In a
// list, a row that stands for a damaged one is left out.
using Answers = std::map<std::string, std::string>;
[[nodiscard]] Answers all_answers(SqliteStore& store, const std::vector<RunId>& runs,
                                  const std::vector<JobId>& jobs);

// The questions whose answers differ without being an error. Rows that `now` leaves out of a list as damaged
// do not count.
[[nodiscard]] std::string wrong_answers(const Answers& before, const Answers& now);

}  // namespace netperfd::store
