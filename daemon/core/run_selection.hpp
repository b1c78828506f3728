// Which stored runs somebody means, as text: `41,43-45`, `label:before last:3`, `job:12`.
//
// Terms stand apart by spaces or commas. Run numbers and ranges are a list: a run has to be one of them. All
// else has to hold together, and nothing may be said twice:
//   label:TEXT scenario:NAME job:NUMBER   TEXT with spaces or commas stands in double quotes
//   variant:NAME                          a side of a design, by its name
//   arm:plain arm:traced                  runs without and with their job's trace
//   since:@SECONDS until:@SECONDS         when the job was asked for, since 1970, fractions allowed; since
//                                         inclusive, until exclusive
//   last, last:N                          the newest one, or N, of the finished runs for which the rest holds
// Only finished runs are ever meant, and those of pilots and self-tests only where run numbers or a job say
// so: they were made to know the host, not to be a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"

namespace netperfd::core {

inline constexpr std::size_t kSelectionBytes = 4096;  // longest text
inline constexpr std::uint32_t kSelectedRuns = 1000;  // most runs that one may mean

struct RunSelection {
  std::string text;            // as it was asked for
  std::vector<RunRange> runs;  // apart and in order; empty: any
  std::vector<RunId> singles;  // of them: those named one by one, in order
  RunFilter filter;            // its state is finished; its purpose measurement without numbers and a job
  std::optional<std::uint32_t> newest;
};

// invalid_argument says what was found, what is expected and, of a mistyped word, what was likely meant.
[[nodiscard]] Result<RunSelection> parse_selection(std::string_view text);

// The runs that are meant, oldest first, at least one and at most kSelectedRuns. not_found where no finished
// run fits, or none has a number that was named; invalid_argument where a named one has not finished, or too
// many fit.
[[nodiscard]] Result<std::vector<SelectedRun>> resolve(RunQueries& queries, const RunSelection& selection);

// How many runs fit as `resolved` do but that they failed; with last:N since the first of these. None where
// the selection says run numbers.
[[nodiscard]] Result<std::uint32_t> failed_runs(RunQueries& queries, const RunSelection& selection,
                                                const std::vector<SelectedRun>& resolved);

}  // namespace netperfd::core
