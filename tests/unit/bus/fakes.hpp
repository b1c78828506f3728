// Scenarios and stored runs for the bus to serve; the scheduler is the real one over the core's own fakes.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::bus {

class FakeScenarios final : public core::ScenarioSource {
 public:
  std::vector<core::ScenarioRow> list() override { return rows; }

  Result<JobSpec> load(const std::string& name, const core::JobOptions& options) override {
    if (name != "fake") return fail(ErrorKind::not_found, "scenario " + name + ": no such scenario");
    return made(options);
  }

  Result<JobSpec> parse(const std::string& text, const std::string& origin,
                        const core::JobOptions& options) override {
    last_text = text;
    last_origin = origin;
    return made(options);
  }

  std::vector<core::ScenarioRow> rows;
  std::optional<Error> refusal;
  std::string last_text, last_origin;
  core::JobOptions last_options;

 private:
  Result<JobSpec> made(const core::JobOptions& options) {
    last_options = options;
    if (refusal) return std::unexpected(*refusal);
    JobSpec spec = core::a_job(options.repeat.value_or(1));
    spec.label = options.label.value_or("");
    return spec;
  }
};

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

  Result<std::vector<Totals>> streams(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return stored_streams;
  }

  Result<core::Page<Interval>> intervals(RunId id, const std::string& cursor, std::uint32_t limit) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    return page_of(stored_intervals, cursor, limit);
  }

  Result<std::string> document(RunId, const std::string& name) override {
    const auto found = documents.find(name);
    if (found == documents.end()) return fail(ErrorKind::not_found, name + ": no such document");
    return found->second;
  }

  Result<std::vector<core::RunRow>> runs_of_job(JobId job) override {
    std::vector<core::RunRow> rows;
    for (auto run = stored.rbegin(); run != stored.rend(); ++run) {
      if (run->job == job) rows.push_back(*run);
    }
    if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", job));
    return rows;
  }

  Status remove(RunId id) override {
    if (auto known = run(id); !known) return std::unexpected(known.error());
    std::erase_if(stored, [id](const core::RunRow& row) { return row.id == id; });
    return {};
  }

  std::vector<core::RunRow> stored;  // newest first
  std::vector<Totals> stored_streams;
  std::vector<Interval> stored_intervals;
  std::map<std::string, std::string> documents;
  core::RunFilter last_filter;

 private:
  // The cursor is the number of rows before it.
  template <class Row>
  static core::Page<Row> page_of(const std::vector<Row>& all, const std::string& cursor,
                                 std::uint32_t limit) {
    const std::size_t first = cursor.empty() ? 0 : std::stoul(cursor);
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
