// SPDX-License-Identifier: GPL-2.0-or-later
// Fakes for the service: scenarios, stored runs and a kernel's catalogue; the scheduler is the real one with
// the core's own fakes.
#pragma once

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "tests/unit/bus/fake_catalogue.hpp"
#include "tests/unit/bus/fake_scenarios.hpp"
#include "tests/unit/bus/fake_store_keeper.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::bus {

class FakeQueries final : public core::RunQueries {
 public:
  Result<core::Page<core::RunRow>> runs(const core::RunFilter& filter, const std::string& cursor,
                                        std::uint32_t limit) override {
    last_filter = filter;
    std::vector<core::RunRow> passing;
    for (const auto& run : stored) {
      if (!filter.state || run.state == *filter.state) passing.push_back(run);
    }
    return page_of(passing, cursor, limit);
  }

  Result<core::RunRow> run(RunId id) override {
    const auto found = id == 0 ? std::ranges::find_if(stored, has_ended, &core::RunRow::state)
                               : std::ranges::find(stored, id, &core::RunRow::id);
    if (found == stored.end()) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", id));
    return *found;
  }

  Result<core::OwnedRun> owner_of(RunId id) override {
    const auto found = run(id);
    if (!found) return std::unexpected(found.error());
    return core::OwnedRun{.job = found->job, .owner = found->owner};
  }

  Result<uid_t> owner_of_job(JobId id) override {
    const auto found = std::ranges::find(stored, id, &core::RunRow::job);
    if (found == stored.end()) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", id));
    return found->owner;
  }

  Result<bool> owns_jobs(uid_t user) override {
    return std::ranges::find(stored, user, &core::RunRow::owner) != stored.end();
  }

  Result<std::vector<Totals>> streams(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return stored_streams;
  }

  Result<core::Page<Interval>> intervals(RunId id, const std::string& cursor, std::uint32_t limit) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return page_of(stored_intervals, cursor, limit);
  }

  Result<core::IntervalPoints> interval_points(RunId id, std::uint32_t most) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return core::interval_points(stored_intervals, most);
  }

  Result<bool> has_more_intervals(RunId id, std::uint32_t than) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return stored_intervals.size() > than;
  }

  Result<TraceRecord> trace(RunId id) override {
    if (auto known = traced(id); !known) return std::unexpected(known.error());
    return *stored_trace;
  }

  Result<core::Page<EventSample>> trace_samples(RunId id, const std::string& event, const std::string& cursor,
                                                std::uint32_t limit) override {
    if (auto known = traced(id); !known) return std::unexpected(known.error());
    std::vector<EventSample> fitting;
    for (const EventSample& sample : stored_trace->samples) {
      if (event.empty() || sample.event == event) fitting.push_back(sample);
    }
    return page_of(fitting, cursor, limit);
  }

  Result<core::Page<StackCount>> trace_stacks(RunId id, const std::string& cursor,
                                              std::uint32_t limit) override {
    if (auto known = traced(id); !known) return std::unexpected(known.error());
    return page_of(stored_trace->stacks, cursor, limit);
  }

  Result<core::ProfileSummary> profile(RunId id) override {
    if (auto known = profiled(id); !known) return std::unexpected(known.error());
    core::ProfileSummary summary;
    summary.functions = stored_profile->functions.size();
    summary.edges = stored_profile->edges.size();
    summary.nodes = stored_profile->tree.size();
    std::uint64_t corrected = 0;
    bool all_corrected = !stored_profile->functions.empty();
    for (const FunctionStats& function : stored_profile->functions) {
      summary.hits += function.hits;
      if (function.self_ns) summary.self_ns = summary.self_ns.value_or(0) + *function.self_ns;
      corrected += function.corrected_self_ns.value_or(0);
      all_corrected = all_corrected && function.corrected_self_ns.has_value();
    }
    if (all_corrected) summary.corrected_self_ns = corrected;
    summary.profile = *stored_profile;
    summary.profile.functions.clear();
    summary.profile.edges.clear();
    summary.profile.tree.clear();
    return summary;
  }

  Result<core::ProfilePart<FunctionStats>> functions(RunId id, std::uint64_t offset, std::uint32_t limit,
                                                     core::FunctionLists lists) override {
    if (auto known = profiled(id); !known) return std::unexpected(known.error());
    return part_of<FunctionStats>(stored_profile->functions, offset, limit, [&](std::size_t i) {
      FunctionStats function = stored_profile->functions[i];
      if (!lists.histogram) function.histogram = {};
      if (!lists.slices) function.slice_hits = function.slice_self_ns = {};
      return function;
    });
  }

  Result<core::ProfilePart<core::NamedEdge>> call_edges(RunId id, std::uint64_t offset,
                                                        std::uint32_t limit) override {
    if (auto known = profiled(id); !known) return std::unexpected(known.error());
    return part_of<core::NamedEdge>(stored_profile->edges, offset, limit, [&](std::size_t i) {
      const CallEdge& edge = stored_profile->edges[i];
      return core::NamedEdge{edge, name_of(edge.caller), name_of(edge.callee)};
    });
  }

  Result<core::ProfilePart<core::NamedNode>> call_nodes(RunId id, std::uint64_t offset,
                                                        std::uint32_t limit) override {
    if (auto known = profiled(id); !known) return std::unexpected(known.error());
    return part_of<core::NamedNode>(stored_profile->tree, offset, limit, [&](std::size_t i) {
      core::NamedNode named{stored_profile->tree[i], 0, name_of(stored_profile->tree[i].function)};
      for (auto above = named.node.parent; above; above = stored_profile->tree.at(*above).parent) {
        ++named.depth;
      }
      return named;
    });
  }

  Result<TrafficCount> traffic(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return stored_traffic;
  }

  Result<Fingerprint> fingerprint(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    if (!stored_fingerprint) return fail(ErrorKind::not_found, fmt::format("run {} has no fingerprint", id));
    return *stored_fingerprint;
  }

  Result<Counters> counters(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    if (!stored_counters) return fail(ErrorKind::not_found, fmt::format("run {} has no counters", id));
    return *stored_counters;
  }

  Result<SampleProfile> samples(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    if (!stored_samples) return fail(ErrorKind::not_found, fmt::format("run {}: it was not sampled", id));
    return *stored_samples;
  }

  Result<LatencyReport> latency(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    if (!stored_latency)
      return fail(ErrorKind::not_found, fmt::format("run {}: its latency was not measured", id));
    return *stored_latency;
  }

  Result<std::vector<NamedFigure>> named_figures(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return stored_own_figures;
  }

  Result<std::string> document(RunId, const std::string& name) override {
    ++documents_read;
    const auto found = documents.find(name);
    if (found == documents.end()) return fail(ErrorKind::not_found, name + ": no such document");
    return found->second;
  }

  Result<StoredTables> tables(const std::vector<RunId>&, std::size_t) override { return stored_tables; }

  // Filters by number, state, label, scenario, job, owner, purpose, arm and variant.
  Result<std::vector<core::SelectedRun>> selected_runs(const core::RunFilter& filter,
                                                       const std::vector<core::RunRange>& ranges,
                                                       std::uint32_t most) override {
    last_filter = filter;
    std::vector<core::SelectedRun> selected;
    for (const auto& run : stored) {
      const bool inside = ranges.empty() || std::ranges::any_of(ranges, [&](const core::RunRange& range) {
                            return range.first <= run.id && run.id <= range.last;
                          });
      const bool fits = inside && run.state == filter.state.value_or(run.state) &&
                        run.spec.label == filter.label.value_or(run.spec.label) &&
                        run.spec.name == filter.scenario.value_or(run.spec.name) &&
                        run.job == filter.job.value_or(run.job) &&
                        run.owner == filter.owner.value_or(run.owner) &&
                        run.spec.purpose == filter.purpose.value_or(run.spec.purpose) &&
                        run.slot.traced == filter.traced.value_or(run.slot.traced) &&
                        run.variant == filter.variant.value_or(run.variant);
      if (!fits || selected.size() == most) continue;
      selected.push_back({run.id, run.job, run.spec.name, run.spec.label, run.slot, run.started, run.ended});
      selected.back().owner = run.owner;
    }
    return selected;
  }

  Result<core::Page<core::JobRow>> jobs(const core::RunFilter& filter, const std::string& cursor,
                                        std::uint32_t limit) override {
    last_filter = filter;
    return page_of(stored_job_rows, cursor, limit);
  }

  Result<core::RunNames> run_names() override {
    core::RunNames names;
    for (const auto& run : stored) {
      names.scenarios.push_back(run.spec.name);
      names.labels.push_back(run.spec.label);
    }
    return names;
  }

  Result<std::vector<analysis::ComparedRun>> compared_runs(const std::vector<RunId>& runs,
                                                           core::ComparedParts) override {
    std::vector<analysis::ComparedRun> compared;
    for (const RunId id : runs) {
      const auto found = stored_compared.find(id);
      compared.push_back(found == stored_compared.end() ? analysis::ComparedRun{} : found->second);
      compared.back().id = id;
    }
    return compared;
  }

  Status read_figures(const std::vector<Figure>&, std::vector<analysis::ComparedRun>&) override {
    return {};  // stored_compared has them
  }

  Result<std::vector<FigureChoice>> figures_of_job(JobId job) override { return stored_figures[job]; }
  Result<std::optional<std::uint32_t>> until_of_job(JobId) override { return std::nullopt; }
  Result<std::string> test_of_job(JobId job) override { return stored_tests[job]; }

  Result<std::vector<core::RunRow>> runs_of_job(JobId job) override {
    std::vector<core::RunRow> rows;
    for (auto run = stored.rbegin(); run != stored.rend(); ++run) {
      if (run->job == job) rows.push_back(*run);
    }
    if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", job));
    return rows;
  }

  Result<std::vector<BootRecord>> boots_of_job(JobId job) override { return stored_boots[job]; }
  Result<std::optional<JobBudget>> budget_of_job(JobId job) override {
    const auto found = stored_budgets.find(job);
    return found == stored_budgets.end() ? std::nullopt : std::optional(found->second);
  }

  Result<std::vector<core::StoredJob>> stored_jobs(JobId before, std::uint32_t limit) override {
    std::vector<core::StoredJob> page;
    for (const core::StoredJob& job : stored_whole_jobs) {
      if (job.id < before && page.size() < limit) page.push_back(job);
    }
    return page;
  }
  Result<core::StoreCheck> check_store() override { return stored_check; }
  Status copy_store(const Sink& sink) override { return sink("the store"); }

  std::vector<core::StoredJob> stored_whole_jobs;  // newest first
  core::StoreCheck stored_check;
  std::map<JobId, std::vector<BootRecord>> stored_boots;
  std::map<JobId, JobBudget> stored_budgets;
  std::map<JobId, std::vector<FigureChoice>> stored_figures;
  std::map<JobId, std::string> stored_tests;
  std::vector<core::RunRow> stored;  // newest first
  std::vector<core::JobRow> stored_job_rows;
  std::vector<Totals> stored_streams;
  std::vector<Interval> stored_intervals;
  std::optional<TraceRecord> stored_trace;        // used for every run
  std::optional<FunctionProfile> stored_profile;  // used for every run
  TrafficCount stored_traffic;
  std::optional<Fingerprint> stored_fingerprint;  // used for every run
  std::optional<Counters> stored_counters;        // used for every run
  std::optional<SampleProfile> stored_samples;
  std::optional<LatencyReport> stored_latency;
  std::vector<NamedFigure> stored_own_figures;
  std::map<RunId, analysis::ComparedRun> stored_compared;
  std::map<std::string, std::string> documents;
  std::size_t documents_read = 0;
  StoredTables stored_tables;
  core::RunFilter last_filter;

 private:
  Status traced(RunId id) {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    if (!stored_trace) return fail(ErrorKind::not_found, fmt::format("run {} has no trace", id));
    return {};
  }

  Status profiled(RunId id) {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    if (!stored_profile) return fail(ErrorKind::not_found, fmt::format("run {} has no function profile", id));
    return {};
  }

  [[nodiscard]] core::FunctionName name_of(std::uint32_t index) const {
    const FunctionStats& function = stored_profile->functions.at(index);
    return {function.name, function.module, function.duplicate};
  }

  template <class Row, class Item, class Make>
  core::ProfilePart<Row> part_of(const std::vector<Item>& all, std::uint64_t offset, std::uint32_t limit,
                                 Make make) {
    core::ProfilePart<Row> part;
    part.total = all.size();
    for (std::size_t i = std::min<std::uint64_t>(offset, all.size());
         i < all.size() && part.rows.size() < limit; ++i) {
      part.rows.push_back(make(i));
    }
    return part;
  }

  // The cursor is the number of rows before the page.
  template <class Row>
  static Result<core::Page<Row>> page_of(const std::vector<Row>& all, const std::string& cursor,
                                         std::uint32_t limit) {
    std::size_t first = 0;
    const char* const cursor_end = cursor.data() + cursor.size();
    const auto [end_of_number, error] = std::from_chars(cursor.data(), cursor_end, first);
    if (!cursor.empty() && (error != std::errc{} || end_of_number != cursor_end || first >= all.size())) {
      return fail(ErrorKind::invalid_argument, "cursor: not one of these rows");
    }
    const std::size_t end = std::min(all.size(), first + limit);
    core::Page<Row> page;
    page.rows.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                     all.begin() + static_cast<std::ptrdiff_t>(end));
    if (end < all.size()) page.next = std::to_string(end);
    return page;
  }
};

inline core::RunRow a_run(RunId id, JobId job = 1, RunState state = RunState::finished) {
  core::RunRow run;
  run.id = id;
  run.job = job;
  run.index = 1;
  run.spec = core::a_job();
  run.state = state;
  run.created = WallTime{std::chrono::seconds{1'700'000'000}};
  return run;
}

}  // namespace netperfd::bus
