// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/none/job/part.hpp"

#include <fmt/format.h>

#include "daemon/model/problems.hpp"

namespace netperfd::workload {
namespace {

class NoneKeys final : public JobKeys {
 public:
  std::vector<keys::Key> keys() override {
    return {{"workload.none", {}},
            {"workload.none.until",
             keys::only(until_stop_, "stop"),
             {"`stop`", "required",
              "no traffic from netperfd: the run lasts until it is stopped, or until `limits.timeout`", ""},
             keys::Need::required}};
  }  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer
     // list
  void finish(const keys::YamlNode&, JobSpec&, keys::Complaints&) override {}

 private:
  bool until_stop_ = false;
};

std::unique_ptr<JobKeys> make_none_keys() {
  return std::make_unique<NoneKeys>();
}

// Such a job consists only of its trace.
std::vector<JobProblem> check_none(const JobSpec& spec) {
  Problems problems;
  if (spec.repeat > 1) {
    problems.add("repeat",
                 fmt::format("{} is out of range; a job with workload none has 1 run, which its caller ends",
                             spec.repeat),
                 {"workload"});
  }
  if (!spec.trace) {
    problems.add("trace", "is missing: what to watch, since workload none makes no traffic", {"workload"});
    return problems.take();
  }
  if (spec.trace->workload_only) {
    problems.add("trace.pid", "means the tasks of the workload, and workload none has no tasks",
                 {"workload"});
  }
  if (spec.trace->optional) {
    problems.add("trace.optional", "would leave nothing to do, since workload none makes no traffic",
                 {"workload"});
  }
  return problems.take();
}

}  // namespace

JobPart none_part() {
  return {.traits = {.name = "none",
                     .measures_path = false,
                     .makes_traffic = false,
                     .takes_probes = false,
                     .runs_processes = false,
                     .ends_by_itself = false,
                     .of_files = false,
                     .of_root = false,
                     .check = check_none,
                     .planned_duration = nullptr,
                     .ports = nullptr,
                     .programs = nullptr,
                     .facts = nullptr},
          .meaning = "to watch somebody else's",
          .timed_by = {},
          .make_keys = make_none_keys};
}

}  // namespace netperfd::workload
