// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/selected_page.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "daemon/model/wording.hpp"

namespace netperfd::core {
namespace {

constexpr char kCursor = 's';

// The run after which the list goes on; those above it were on earlier pages.
Result<RunId> before_of(const std::string& cursor) {
  if (cursor.empty()) return std::numeric_limits<RunId>::max();
  RunId before = 0;
  const char* const last = cursor.data() + cursor.size();
  if (cursor.front() == kCursor) {
    const auto [end, error] = std::from_chars(cursor.data() + 1, last, before);
    if (error == std::errc{} && end == last && before > 0) return before;
  }
  return invalid("the cursor is not one that the page before gave");
}

}  // namespace

Result<Page<RunRow>> list_selected(RunQueries& queries, const RunSelection& selection,
                                   const std::string& cursor, std::uint32_t limit) {
  const auto before = before_of(cursor);
  if (!before) return std::unexpected(before.error());
  // Each page finds all of them again: with last:N, the page alone does not say which are among the N.
  const auto selected =
      queries.selected_runs(selection.filter, selection.runs, selection.newest.value_or(kListedRuns + 1));
  if (!selected) return std::unexpected(selected.error());
  if (selected->size() > kListedRuns) {
    return invalid(fmt::format("{}: more than {} runs fit; since: or until: narrows it down",
                               in_quotes(selection.text), kListedRuns));
  }
  Page<RunRow> page;
  for (const SelectedRun& each : *selected) {
    if (each.id >= *before) continue;
    if (page.rows.size() == limit) {
      page.next = fmt::format("{}{}", kCursor, page.rows.back().id);
      break;
    }
    auto run = queries.run(each.id);
    if (!run) return std::unexpected(run.error());
    page.rows.push_back(std::move(*run));
  }
  return page;
}

}  // namespace netperfd::core
