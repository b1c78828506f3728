// SPDX-License-Identifier: GPL-2.0-or-later
// ComparisonReader::selected_runs() and run_names(): which runs there are.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/store/comparison_reader.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/run_listing.hpp"

namespace netperfd::store {
namespace {

constexpr std::uint32_t kEach = std::numeric_limits<std::uint32_t>::max();

// Newest first, none older than `oldest`.
Result<std::vector<RunId>> numbers(Connection& connection, const core::RunFilter& filter,
                                   const std::vector<core::RunRange>& ranges, std::uint32_t most,
                                   Hidden hidden, RunId oldest) {
  const RunListing listing =
      ranges.empty() ? list_runs(filter, kNewest, most, hidden) : list_runs_in(ranges, filter, most, hidden);
  auto select = connection.prepare(listing.sql);
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<RunId> found;
  select->bind(listing.parameters);
  for (;;) {
    auto more = select->step();
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) return found;
    RunId run = 0;
    if (auto read = select->read(run); !read) return std::unexpected(std::move(read.error()));
    if (run < oldest) return found;
    found.push_back(run);
  }
}

bool is_in(const std::vector<core::RunRange>& ranges, RunId run) {
  return std::ranges::any_of(
      ranges, [run](const core::RunRange& range) { return range.first <= run && run <= range.last; });
}

bool has_words_of_jobs(const core::RunFilter& filter) {
  return filter.job || filter.scenario || filter.label || filter.purpose || filter.owner || filter.variant ||
         filter.since || filter.until;
}

// An index that is damaged, or a job whose name is, would hide runs. Without ranges, numbers() goes by an
// index, and with them by the rows, so this goes the other way.
Status expect_same_without_index(Connection& connection, const core::RunFilter& filter,
                                 const std::vector<core::RunRange>& ranges, const std::vector<RunId>& found,
                                 RunId oldest) {
  if (!has_words_of_jobs(filter)) return {};
  std::vector<core::RunRange> all;
  if (ranges.empty()) all.push_back({.first = oldest, .last = kNewest});
  auto others = numbers(connection, filter, all, kEach, Hidden::no, oldest);
  if (!others) return std::unexpected(std::move(others.error()));
  if (!ranges.empty()) std::erase_if(*others, [&](RunId run) { return !is_in(ranges, run); });
  if (*others == found) return {};
  return fail(
      ErrorKind::io,
      fmt::format("{}: an index of runs or jobs is damaged, or a job is, so nobody knows which runs fit. "
                  "`netperfctl db check` names what is damaged; restore a backup",
                  connection.path()));
}

}  // namespace

// A run whose row is damaged may look as if it were not wanted, and a comparison would leave it out in
// silence. `are_all`: the filter passes no run older than `found`, else no older one is of interest.
Status ComparisonReader::expect_intact_others(const core::RunFilter& filter,
                                              const std::vector<core::RunRange>& ranges,
                                              const std::vector<RunId>& found, bool are_all) {
  core::RunFilter wide = filter;
  wide.state.reset();
  wide.variant.reset();
  wide.traced.reset();
  const RunId oldest = are_all ? std::numeric_limits<RunId>::min() : found.back();
  if (auto same = expect_same_without_index(connection_, filter, ranges, found, oldest); !same) return same;
  const auto all = numbers(connection_, wide, ranges, kEach, Hidden::too, oldest);
  if (!all) return std::unexpected(all.error());
  for (const RunId run : *all) {
    if (std::ranges::binary_search(found, run, std::greater{})) continue;
    if (auto intact = expect_intact(connection_, of_run(run), {"runs"}); !intact) return intact;
  }
  return {};
}

Result<std::vector<core::SelectedRun>> ComparisonReader::selected_runs(
    const core::RunFilter& filter, const std::vector<core::RunRange>& ranges, std::uint32_t most) {
  const auto found =
      numbers(connection_, filter, ranges, most, Hidden::no, std::numeric_limits<RunId>::min());
  if (!found) return std::unexpected(found.error());
  if (auto intact = expect_intact_others(filter, ranges, *found, found->size() < most); !intact)
    return std::unexpected(std::move(intact.error()));
  auto select = connection_.prepare(
      "SELECT r.id, r.job, j.name, j.label, ifnull(r.block, 0), ifnull(r.letter, 0), ifnull(r.variant, ''), "
      "r.traced, ifnull(r.point, 0), r.started_us, r.ended_us, iif(EXISTS (SELECT 1 FROM flags f WHERE f.run "
      "= r.id AND f.code = 'from-bundle'), j.created_us, NULL), j.owner_uid FROM runs r JOIN jobs j ON j.id "
      "= "
      "r.job WHERE r.id = ?");
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<core::SelectedRun> runs;
  for (const RunId id : *found) {
    auto done = for_each_row(select->bind(id), [&](RowReader& row) {
      core::SelectedRun& run = runs.emplace_back();
      std::string variant;
      row.read(run.id, run.job, run.scenario, run.label, run.slot.block, run.slot.letter, variant,
               run.slot.traced, run.slot.point, run.started, run.ended, run.imported, run.owner);
      if (!variant.empty()) run.slot.variant = variant.front();
    });
    if (done) done = expect_intact(connection_, of_run(id), {"flags"});
    if (done && !runs.empty()) done = expect_intact(connection_, of_job(runs.back().job), {"jobs"});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return runs;
}

Status ComparisonReader::read_words(std::string_view sql, std::vector<std::string>& words) {
  auto select = connection_.prepare(sql);
  if (!select) return std::unexpected(std::move(select.error()));
  return for_each_row(*select, [&](RowReader& row) { row.read(words.emplace_back()); });
}

Result<core::RunNames> ComparisonReader::run_names() {
  // Finds each word with one index look-up, however many jobs have it.
  constexpr std::string_view kDistinct =
      "WITH RECURSIVE word (text) AS (SELECT min({0}) FROM jobs UNION ALL "
      "SELECT (SELECT min({0}) FROM jobs WHERE {0} > word.text) FROM word WHERE word.text IS NOT NULL) "
      "SELECT text FROM word WHERE text <> '' LIMIT 1000";
  core::RunNames names;
  auto done = read_words(fmt::format(fmt::runtime(kDistinct), "name"), names.scenarios);
  if (done) done = read_words(fmt::format(fmt::runtime(kDistinct), "label"), names.labels);
  if (!done) return std::unexpected(std::move(done.error()));
  return names;
}

}  // namespace netperfd::store
