// SPDX-License-Identifier: GPL-2.0-or-later
// Selects stored runs by a text: `41,43-45`, `label:before last:3`, `job:12`.
//
// Spaces or commas separate the terms. Run numbers and ranges form a list: a run must be one of them. All
// other terms must hold together, and none may be repeated:
//   label:TEXT scenario:NAME job:NUMBER   TEXT with spaces or commas needs double quotes
//   owner:UID owner:me owner:any          runs of this user, of the caller or of everybody
//   variant:NAME                          a side of a design, by its name
//   arm:plain arm:traced                  runs without and with their job's trace
//   since:@SECONDS until:@SECONDS         when the job was created, since 1970, fractions allowed; since
//                                         inclusive, until exclusive
//   last, last:N                          the newest one, or N, of the finished runs that match the rest
// Only finished runs match. Runs of pilots and self-tests match only by run number or job: they were made to
// measure the host, not to be a result.
//
// Anybody may use a label or scenario that another user has. So a text that names neither an owner nor a run
// nor a job selects the runs of one user only: of the caller, unless everything is listed. Names of users are
// the client's to look up: that may take long, and what answers queries cannot open a file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::core {

inline constexpr std::size_t kSelectionBytes = 4096;  // longest text
inline constexpr std::uint32_t kSelectedRuns = 1000;  // maximum number of runs in a selection

// Of one user, or of everybody if absent.
using Owner = std::optional<uid_t>;

// "1000", "me" or "any". invalid_argument for anything else.
[[nodiscard]] Result<Owner> parse_owner(std::string_view text, uid_t caller);

struct RunSelection {
  std::string text;            // the text of the request
  std::vector<RunRange> runs;  // disjoint and in order; empty: any
  std::vector<RunId> singles;  // those of them that were named one by one, in order
  RunFilter filter;            // state finished; purpose measurement unless runs or a job are named
  bool says_whose = false;     // it has an owner:, or names runs or a job
  std::optional<std::uint32_t> newest;
};

// `caller` is who asks, as the bus says. `unsaid` is whose runs a text selects that does not say whose.
// invalid_argument says what was found, what is expected and, for a mistyped word, what was probably meant.
[[nodiscard]] Result<RunSelection> parse_selection(std::string_view text, uid_t caller, Owner unsaid);
// What is concluded from is the caller's own.
[[nodiscard]] inline Result<RunSelection> parse_selection(std::string_view text, uid_t caller) {
  return parse_selection(text, caller, caller);
}

// The selected runs, oldest first, at least one and at most kSelectedRuns. not_found if no finished run
// matches (the error says whose do), or if a run number does not exist; invalid_argument if a run named by
// its number has not finished, or if too many runs match.
[[nodiscard]] Result<std::vector<SelectedRun>> resolve(RunQueries& queries, const RunSelection& selection);

// Number of runs that would match like `resolved` but failed; with last:N, only since the first of these. 0
// if the selection has run numbers.
[[nodiscard]] Result<std::uint32_t> failed_runs(RunQueries& queries, const RunSelection& selection,
                                                const std::vector<SelectedRun>& resolved);

}  // namespace netperfd::core
