// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job. They are here and not in the YAML reader, so that every way into the daemon obeys the
// same rules and no later module has to doubt a JobSpec: one that passes can be put into an argument vector
// as it is.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "daemon/model/design_check.hpp"
#include "daemon/model/figure_check.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/problems.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/trace_check.hpp"
#include "daemon/model/units.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;

// How much one job may put into the store and onto a screen.
constexpr std::size_t kMaxJobName = 64;
constexpr std::size_t kMaxDescription = 500;

void check_words(const JobSpec& spec, Problems& problems) {
  if (!is_word(spec.name, "._-", kMaxJobName)) {
    problems.add("name",
                 fmt::format("a name is of letters, digits, '.', '_' and '-', begins with a letter or digit "
                             "and has at most {} characters",
                             kMaxJobName));
  }
  const auto check_line = [&](const char* key, const std::string& text, std::size_t limit, std::string why) {
    if (!why.empty()) problems.add(key, std::move(why));
    if (text.size() > limit)
      problems.add(key, fmt::format("has {} bytes; at most {} are kept", text.size(), limit));
  };
  check_line("description", spec.description, kMaxDescription, not_printable(spec.description));
  check_line("label", spec.label, kMaxLabel, not_distinct(spec.label));
  if (spec.repeat < 1) problems.add("repeat", "0 is out of range; a job has at least 1 run");
}

void check_timeout(const JobSpec& spec, Problems& problems) {
  const auto planned = planned_duration(spec);
  if (spec.limits.timeout <= 0ms || (planned && spec.limits.timeout < *planned)) {
    problems.add("limits.timeout",
                 fmt::format("{} is shorter than the run itself ({})", format_duration(spec.limits.timeout),
                             planned ? format_duration(*planned) : "more than 0"));
  }
}

}  // namespace

std::vector<JobProblem> check(const JobSpec& spec) {
  Problems problems;
  check_words(spec, problems);
  if (spec.workload.check) {
    problems.add_all(spec.workload.check(spec));
  } else {
    problems.add("workload", fmt::format("\"{}\" is none that this netperfd can run", spec.workload.name));
  }
  if (spec.latency && !spec.workload.takes_probes)
    problems.add("with", "stands beside a workload of iperf3 only", {"workload"});
  check_timeout(spec, problems);
  if (spec.trace) problems.add_all(check_trace(*spec.trace));
  problems.add_all(check_budget(spec));
  problems.add_all(check_sample(spec));
  problems.add_all(check_design(spec));
  problems.add_all(check_figures(spec));
  return problems.take();
}

}  // namespace netperfd
