// SPDX-License-Identifier: GPL-2.0-or-later
// Any text as a selection of runs: an error that can be printed, or a selection that is within its limits,
// has the runs that the text names and no others, and is the same if it is written anew from its parts.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/comparison/run_selection.hpp"
#include "tests/fuzz/require.hpp"

namespace core = netperfd::core;
using netperfd::fuzz::require;

namespace {

constexpr uid_t kCaller = 1000;

// A quotation mark is not part of any value, since it only opens and closes.
std::string written(const core::RunSelection& selection) {
  std::string text;
  const auto add = [&](std::string_view key, const std::string& value) {
    text += fmt::format("{}:\"{}\" ", key, value);
  };
  for (const auto& range : selection.runs) text += fmt::format("{}-{},", range.first, range.last);
  for (const auto single : selection.singles) text += fmt::format("{},", single);
  const core::RunFilter& filter = selection.filter;
  if (filter.label) add("label", *filter.label);
  if (filter.scenario) add("scenario", *filter.scenario);
  if (filter.variant) add("variant", *filter.variant);
  if (filter.job) add("job", std::to_string(*filter.job));
  if (selection.says_whose && filter.owner) add("owner", std::to_string(*filter.owner));
  // Without an owner, a text that names neither runs nor a job says that it means everybody's.
  if (selection.says_whose && !filter.owner && selection.runs.empty() && !filter.job) add("owner", "any");
  if (filter.traced) add("arm", *filter.traced ? "traced" : "plain");
  if (selection.newest) add("last", std::to_string(*selection.newest));
  const auto seconds = [](netperfd::WallTime time) {
    const auto count = time.time_since_epoch().count();
    return fmt::format("@{}.{:06}", count / 1'000'000, count % 1'000'000);
  };
  if (filter.since) add("since", seconds(*filter.since));
  if (filter.until) add("until", seconds(*filter.until));
  return text;
}

bool same_runs(const std::vector<core::RunRange>& one, const std::vector<core::RunRange>& other) {
  return std::ranges::equal(one, other, [](const core::RunRange& a, const core::RunRange& b) {
    return a.first == b.first && a.last == b.last;
  });
}

// Times of billions of seconds have no exact microseconds in a double.
bool near(const std::optional<netperfd::WallTime>& one, const std::optional<netperfd::WallTime>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return std::chrono::abs(*one - *other) <= std::chrono::milliseconds(2);
}

void check_ranges(const core::RunSelection& selection) {
  std::int64_t before = 0;
  for (const auto& range : selection.runs) {
    require(range.first > before && range.last >= range.first);
    before = range.last;
  }
  for (const auto single : selection.singles) {
    require(std::ranges::any_of(selection.runs, [&](const core::RunRange& range) {
      return range.first <= single && single <= range.last;
    }));
  }
}

void check_same_again(const core::RunSelection& selection) {
  const std::string text = written(selection);
  if (text.size() > core::kSelectionBytes) return;
  const auto again = core::parse_selection(text, kCaller);
  require(again.has_value());
  const core::RunFilter &one = selection.filter, &other = again->filter;
  require(one.label == other.label && one.scenario == other.scenario && one.variant == other.variant);
  require(one.job == other.job && one.traced == other.traced && one.state == other.state);
  require(one.owner == other.owner && selection.says_whose == again->says_whose);
  require(one.purpose == other.purpose && selection.newest == again->newest);
  require(near(one.since, other.since) && near(one.until, other.until));
  require(same_runs(selection.runs, again->runs) && selection.singles == again->singles);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string input = netperfd::fuzz::text_of(bytes, size);
  const auto selection = core::parse_selection(input, kCaller);
  if (!selection) {
    netperfd::fuzz::require_printable_lines(selection.error().message);
    return 0;
  }
  require(selection->text == input && input.size() <= core::kSelectionBytes);
  require(selection->filter.state == netperfd::RunState::finished);
  require(!selection->newest || (*selection->newest >= 1 && *selection->newest <= core::kSelectedRuns));
  require(!selection->filter.job || *selection->filter.job >= 1);
  require(selection->says_whose || selection->filter.owner == kCaller);
  check_ranges(*selection);
  check_same_again(*selection);
#ifdef NETPERFD_PLANTED_BUG
  if (selection->runs.size() == 2 && selection->newest) netperfd::fuzz::read_too_far(input);
#endif
  return 0;
}
