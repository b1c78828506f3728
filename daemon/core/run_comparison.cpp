#include "daemon/core/run_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "daemon/core/run_selection.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::core {
namespace {

constexpr std::array<std::string_view, 13> kGroups{"kernel", "module",   "sysctl", "nic",   "cpu",
                                                   "irq",    "rps",      "xps",    "qdisc", "clock",
                                                   "iperf3", "topology", "trace"};

// Of the groups of model/fingerprint.hpp: `module` and `sysctl` stand before a name, the others alone.
Status check_group(const std::string& group) {
  const auto colon = group.find(':');
  const std::string_view word = std::string_view{group}.substr(0, colon);
  const bool named = word == "module" || word == "sysctl";
  const bool known = std::ranges::find(kGroups, word) != kGroups.end();
  const bool has_name = colon != std::string::npos && colon + 1 < group.size();
  if (known && (named ? has_name : colon == std::string::npos) && is_printable(group)) return {};
  const auto meant = known ? std::nullopt : nearest(word, kGroups);
  return fail(ErrorKind::invalid_argument,
              fmt::format("{} is no group of facts that can change; expected is module:NAME, sysctl:KEY, "
                          "kernel, nic, cpu, irq, rps, xps, qdisc, clock, iperf3, topology or trace{}",
                          in_quotes(group), meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
}

Result<std::vector<SelectedRun>> side(RunQueries& queries, const char* name, const std::string& text) {
  const auto selection = parse_selection(text);
  if (!selection) return fail(selection.error().kind, fmt::format("{}: {}", name, selection.error().message));
  auto runs = resolve(queries, *selection);
  if (!runs) return fail(runs.error().kind, fmt::format("{}: {}", name, runs.error().message));
  return runs;
}

Status expect_apart(const std::vector<RunId>& a, const std::vector<RunId>& b) {
  std::vector<RunId> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  if (both.empty()) return {};
  constexpr std::size_t kNamed = 5;
  const std::size_t more = both.size() - std::min(kNamed, both.size());
  both.resize(both.size() - more);
  return fail(ErrorKind::invalid_argument,
              fmt::format("a run can be on one side only; on both {} {}{}",
                          both.size() + more == 1 ? "is run" : "are runs", fmt::join(both, ", "),
                          more > 0 ? fmt::format(" and {} more", more) : ""));
}

std::vector<RunId> ids_of(const std::vector<SelectedRun>& runs) {
  std::vector<RunId> ids;
  std::ranges::transform(runs, std::back_inserter(ids), &SelectedRun::id);
  return ids;
}

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

ComparedSide summary_of(const std::vector<SelectedRun>& runs) {
  ComparedSide summary;
  for (const SelectedRun& run : runs) {
    add_once(summary.scenarios, run.scenario);
    add_once(summary.labels, run.label);
    if (!run.started) continue;
    summary.first_started = std::min(summary.first_started.value_or(*run.started), *run.started);
    summary.last_started = std::max(summary.last_started.value_or(*run.started), *run.started);
  }
  return summary;
}

}  // namespace

Result<ComparedSelections> compare_selections(RunQueries& queries, const ComparisonRequest& request,
                                              const Comparer& comparer) {
  for (const std::string& group : request.settings.changed) {
    if (auto known = check_group(group); !known) return std::unexpected(std::move(known.error()));
  }
  const auto a = side(queries, "A", request.a);
  if (!a) return std::unexpected(a.error());
  const auto b = side(queries, "B", request.b);
  if (!b) return std::unexpected(b.error());
  const std::vector<RunId> ids_a = ids_of(*a);
  const std::vector<RunId> ids_b = ids_of(*b);
  if (auto apart = expect_apart(ids_a, ids_b); !apart) return std::unexpected(std::move(apart.error()));
  const auto runs_a = queries.compared_runs(ids_a);
  if (!runs_a) return std::unexpected(runs_a.error());
  const auto runs_b = queries.compared_runs(ids_b);
  if (!runs_b) return std::unexpected(runs_b.error());
  return ComparedSelections{comparer(*runs_a, *runs_b, request.settings), summary_of(*a), summary_of(*b)};
}

}  // namespace netperfd::core
