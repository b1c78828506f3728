// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/job_words.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "client/verbs/numbers.hpp"

namespace netperfctl {
namespace {

// Those of the caller.
Outcome<std::set<std::uint64_t>> live_jobs(Daemon& daemon) {
  const auto jobs = daemon.live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  std::set<std::uint64_t> live;
  for (const LiveJobView& job : *jobs) {
    if (job.owner == ::geteuid() && !has_ended(job.state.value_or(""))) live.insert(job.job);
  }
  return live;
}

Outcome<std::uint64_t> newest_job(Daemon& daemon, LastJob last) {
  const auto live = live_jobs(daemon);
  if (!live) return std::unexpected(live.error());
  if (last != LastJob::ended && !live->empty()) return *live->rbegin();
  if (last == LastJob::live) {
    return fail(
        Exit::not_found,
        "last: no job of yours is live; `netperfctl jobs` lists those of everybody, and job:NUMBER is "
        "one of them");
  }
  RunFilter filter;
  filter.owner = "me";
  const auto page = daemon.jobs(filter, live->size() + 1);
  if (!page) return std::unexpected(page.error());
  for (const JobView& job : page->jobs) {
    if (!live->contains(job.job)) return job.job;
  }
  return fail(Exit::not_found,
              fmt::format("last: you have no job{}; `netperfctl jobs --all` lists those of everybody",
                          live->empty() ? "" : " that has ended"));
}

}  // namespace

void add_job(CLI::App& command, std::string& word, const std::string& more) {
  command
      .add_option("JOB", word,
                  fmt::format("Number of the job, as `netperfctl jobs` lists it, job:NUMBER, or last: your "
                              "newest{}",
                              more))
      ->required()
      ->check(CLI::Validator{[](const std::string& text) {
                               const bool known = text == "last" || job_number(text).has_value();
                               return known ? std::string{}
                                            : fmt::format(
                                                  "`{}` is no job: its number, job:NUMBER or last was "
                                                  "expected",
                                                  text);
                             },
                             ""})
      ->type_name("");
}

Outcome<std::uint64_t> job_of_word(Daemon& daemon, const std::string& word, LastJob last) {
  return word == "last" ? newest_job(daemon, last) : job_number(word);
}

Failure with_other_meaning(Daemon& daemon, Failure failure, const std::string& word, std::string_view verb) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  if (failure.exit != Exit::not_found || !is_number_above_zero(word, kAny)) return failure;
  const std::uint64_t number = std::stoull(word);
  const bool asks_for_run = verb == "show" || verb == "report";
  const auto job = daemon.job(number);
  if (asks_for_run) {
    if (job) failure.message += fmt::format("; job {0} is `netperfctl {1} job:{0}`", number, verb);
    return failure;
  }
  if (job) return failure;
  const auto run = daemon.run(number);
  if (run && run->run.job)
    failure.message += fmt::format("; run {} is of job {}: `netperfctl {} job:{}`", number, *run->run.job,
                                   verb, *run->run.job);
  return failure;
}

}  // namespace netperfctl
