// SPDX-License-Identifier: GPL-2.0-or-later
// A page's cost must depend on its size, not on the size of the database. Numbers only grow, and a run gets
// its number together with its job, so "newest first" is the order of both job numbers and run numbers. This
// gives two shapes:
//
//   - Filters on the run alone walk runs downwards, by number, (job, number), (state, number), (traced,
//   number)
//     or (traced, state, number). Whether a run is a measurement is checked for each on the way, because most
//     are.
//   - Filters on the job walk one index of jobs downwards, by (purpose) for the few that are not
//     measurements, (name, number), (label, number), (name, label, number), (owner, number) or, for a
//     variant, those that have one, and then each job's runs. A purpose without a name sorts its results. A
//     filter on time alone walks the jobs by number, between the smallest and the greatest number of that
//     time: a clock that was set back makes creation times disagree with numbers, so it still checks each
//     job.
//
// CROSS JOIN and INDEXED BY force the planner to do that, whatever statistics the file holds.
#include "daemon/store/run_listing.hpp"

#include <fmt/format.h>

#include <limits>

namespace netperfd::store {
namespace {

class Conditions {
 public:
  template <class Type>  // of those of Value
  void parameter(Type value) {
    parameters_.emplace_back(std::move(value));
  }
  template <class Type>
  void add(std::string_view condition, Type value) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += condition;
    parameter(std::move(value));
  }
  void show(Hidden hidden) {
    // The + keeps the planner from an index of the few runs that are being removed.
    if (hidden == Hidden::no) text_ += text_.empty() ? " WHERE +r.removing = 0" : " AND +r.removing = 0";
  }
  RunListing finish(std::string_view from, std::string_view order, std::uint32_t rows) {
    parameter(static_cast<std::int64_t>(rows));
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

bool rare_purpose(const core::RunFilter& filter) {
  return filter.purpose && *filter.purpose != JobPurpose::measurement;
}

constexpr std::string_view kByNumber = "NOT INDEXED";

// How the planner has to find the jobs; empty: nothing of jobs narrows the search.
std::string_view job_index(const core::RunFilter& filter) {
  if (rare_purpose(filter)) return "INDEXED BY jobs_by_purpose";
  if (filter.scenario && filter.label) return "INDEXED BY jobs_by_name_and_label";
  if (filter.scenario) return "INDEXED BY jobs_by_name";
  if (filter.label) return "INDEXED BY jobs_by_label";
  if (filter.since || filter.until) return kByNumber;
  if (filter.variant) return "INDEXED BY jobs_with_variants";
  if (filter.owner && !filter.job) return "INDEXED BY jobs_by_owner";
  return {};
}

// And the runs, if nothing of jobs narrows the search. Without an index, by number.
std::string_view run_index(const core::RunFilter& filter) {
  if (filter.job) return "INDEXED BY runs_by_job";
  if (filter.traced && filter.state) return "INDEXED BY runs_by_traced_and_state";
  if (filter.traced) return "INDEXED BY runs_by_traced";
  return filter.state ? "INDEXED BY runs_by_state" : kByNumber;
}

constexpr std::string_view kJobOfPage = "(SELECT job FROM runs WHERE id < ? ORDER BY id DESC LIMIT 1)";

// Skips the jobs of earlier pages and those of other times. One bound on each side, since SQLite begins its
// walk at only one of several. The index of times has the numbers too, so this reads no job.
void add_jobs_of_time(Conditions& conditions, const core::RunFilter& filter, RunId before) {
  constexpr std::string_view kOfTime =
      "FROM jobs INDEXED BY jobs_by_created_us WHERE created_us >= ? AND created_us < ?";
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t since = filter.since ? microseconds(*filter.since) : Limits::min();
  const std::int64_t until = filter.until ? microseconds(*filter.until) : Limits::max();
  conditions.add(fmt::format("j.id >= (SELECT min(id) {})", kOfTime), since);
  conditions.parameter(until);
  conditions.add(fmt::format("j.id <= min({}, (SELECT max(id) {}))", kJobOfPage, kOfTime), before);
  conditions.parameter(since);
  conditions.parameter(until);
}

void add_filter(Conditions& conditions, const core::RunFilter& filter) {
  if (filter.job) conditions.add("r.job = ?", *filter.job);
  if (filter.state) conditions.add("r.state = ?", std::string{to_string(*filter.state)});
  if (filter.traced) conditions.add("r.traced = ?", std::int64_t{*filter.traced ? 1 : 0});
  if (filter.scenario) conditions.add("j.name = ?", *filter.scenario);
  if (filter.label) conditions.add("j.label = ?", *filter.label);
  if (filter.purpose) conditions.add("j.purpose = ?", std::string{to_string(*filter.purpose)});
  if (filter.owner) conditions.add("j.owner_uid = ?", std::int64_t{*filter.owner});
  if (filter.variant) {
    conditions.add(
        "j.variant_a IS NOT NULL AND CASE r.variant WHEN 'A' THEN j.variant_a WHEN 'B' THEN j.variant_b END "
        "= ?",
        *filter.variant);
  }
  if (filter.since) conditions.add("j.created_us >= ?", microseconds(*filter.since));
  if (filter.until) conditions.add("j.created_us < ?", microseconds(*filter.until));
}

}  // namespace

RunListing list_runs(const core::RunFilter& filter, RunId before, std::uint32_t rows, Hidden hidden) {
  Conditions conditions;
  conditions.add("r.id < ?", before);
  add_filter(conditions, filter);
  conditions.show(hidden);
  const std::string_view index = job_index(filter);
  if (index.empty()) {
    const bool of_jobs = filter.purpose || filter.owner;
    return conditions.finish(
        fmt::format("runs r {}{}", run_index(filter), of_jobs ? " CROSS JOIN jobs j ON j.id = r.job" : ""),
        "r.id DESC", rows);
  }
  if (index == kByNumber) {
    add_jobs_of_time(conditions, filter, before);
  } else {
    conditions.add(fmt::format("j.id <= {}", kJobOfPage), before);  // skips the jobs of earlier pages
  }
  return conditions.finish(
      fmt::format("jobs j {} CROSS JOIN runs r INDEXED BY runs_by_job ON r.job = j.id", index),
      "j.id DESC, r.id DESC", rows);
}

RunListing list_runs_in(const std::vector<core::RunRange>& ranges, const core::RunFilter& filter,
                        std::uint32_t rows, Hidden hidden) {
  Conditions conditions;
  std::string values;
  for (const core::RunRange& range : ranges) {
    values += values.empty() ? "(?, ?)" : ", (?, ?)";
    conditions.parameter(range.first);
    conditions.parameter(range.last);
  }
  add_filter(conditions, filter);
  conditions.show(hidden);
  RunListing listing = conditions.finish(
      "wanted CROSS JOIN runs r NOT INDEXED ON r.id BETWEEN wanted.first AND wanted.last "
      "CROSS JOIN jobs j NOT INDEXED ON j.id = r.job",
      "r.id DESC", rows);
  listing.sql = fmt::format("WITH wanted (first, last) AS (VALUES {}) {}", values, listing.sql);
  return listing;
}

}  // namespace netperfd::store
