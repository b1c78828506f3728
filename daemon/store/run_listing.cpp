// A page must cost what it holds, not what the database holds. Numbers only grow, and a run is given its
// number with its job, so "newest first" is the order of job numbers and of run numbers alike. That gives two
// shapes:
//
//   - filters on the run alone walk runs downwards, by number, by (job, number) or by (state, number);
//   - filters on the job walk one index of jobs downwards, by (name, number) or (label, number), and then
//   each job's
//     runs. A filter on time alone walks jobs_by_created_us and must sort what it found, because a clock that
//     was set back makes creation times disagree with numbers.
//
// CROSS JOIN and INDEXED BY hold the planner to that, whatever statistics the file holds.
#include "daemon/store/run_listing.hpp"

#include <fmt/format.h>

namespace netperfd::store {
namespace {

class Conditions {
 public:
  void add(std::string_view condition, Value value) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += condition;
    parameters_.push_back(std::move(value));
  }
  RunListing finish(std::string_view from, std::string_view order, std::uint32_t rows) {
    parameters_.emplace_back(static_cast<std::int64_t>(rows));
    return {fmt::format("SELECT r.id FROM {}{} ORDER BY {} LIMIT ?", from, text_, order),
            std::move(parameters_)};
  }

 private:
  std::string text_;
  std::vector<Value> parameters_;
};

std::int64_t microseconds(WallTime time) {
  return time.time_since_epoch().count();
}

std::string_view job_index(const core::RunFilter& filter) {
  if (filter.scenario) return "jobs_by_name";
  if (filter.label) return "jobs_by_label";
  return "jobs_by_created_us";
}

}  // namespace

RunListing list_runs(const core::RunFilter& filter, RunId before, std::uint32_t rows) {
  Conditions conditions;
  conditions.add("r.id < ?", before);
  if (filter.job) conditions.add("r.job = ?", *filter.job);
  if (filter.state) conditions.add("r.state = ?", std::string{to_string(*filter.state)});
  if (!filter.scenario && !filter.label && !filter.since && !filter.until) {
    return conditions.finish("runs r", "r.id DESC", rows);
  }

  if (filter.scenario) conditions.add("j.name = ?", *filter.scenario);
  if (filter.label) conditions.add("j.label = ?", *filter.label);
  if (filter.since) conditions.add("j.created_us >= ?", microseconds(*filter.since));
  if (filter.until) conditions.add("j.created_us < ?", microseconds(*filter.until));
  // Skips the jobs of the pages before.
  conditions.add("j.id <= (SELECT job FROM runs WHERE id < ? ORDER BY id DESC LIMIT 1)", before);
  return conditions.finish(
      fmt::format("jobs j INDEXED BY {} CROSS JOIN runs r INDEXED BY runs_by_job ON r.job = j.id",
                  job_index(filter)),
      "j.id DESC, r.id DESC", rows);
}

}  // namespace netperfd::store
