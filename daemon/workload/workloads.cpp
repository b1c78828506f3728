// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/workloads.hpp"

#include <fmt/format.h>

#include <string_view>

#include "daemon/workload/command/workload.hpp"
#include "daemon/workload/iperf3/workload.hpp"
#include "daemon/workload/latency/workload.hpp"
#include "daemon/workload/netperf/workload.hpp"
#include "daemon/workload/none/workload.hpp"
#include "daemon/workload/sockperf/workload.hpp"

namespace netperfd::workload {
namespace {

struct NamedWorkload {
  std::string_view name;
  std::unique_ptr<core::Workload> (*make)(const WorkloadSite& site);
};

// A workload has one line here, and one in daemon/workload/job/table.cpp.
constexpr NamedWorkload kWorkloads[] = {
    {"command", make_command}, {"iperf3", make_iperf3}, {"latency", make_latency},
    {"netperf", make_netperf}, {"none", make_none},     {"sockperf", make_sockperf},
};

std::unexpected<Error> no_such_workload(const JobSpec& spec) {
  return fail(ErrorKind::unsupported,
              fmt::format("this netperfd has no workload \"{}\"", spec.workload.name));
}

}  // namespace

Workloads::Workloads(const WorkloadSite& site) {
  for (const auto& [name, make] : kWorkloads) by_name_.emplace(name, make(site));
}

Status Workloads::check(const JobSpec& spec) {
  const auto found = by_name_.find(spec.workload.name);
  return found == by_name_.end() ? no_such_workload(spec) : found->second->check(spec);
}

std::vector<std::string> Workloads::missing(const JobSpec& spec) {
  const auto found = by_name_.find(spec.workload.name);
  return found == by_name_.end() ? std::vector<std::string>{} : found->second->missing(spec);
}

Result<std::unique_ptr<core::ActiveWorkload>> Workloads::prepare(const JobSpec& spec,
                                                                 core::WorkloadListener& listener) {
  const auto found = by_name_.find(spec.workload.name);
  if (found == by_name_.end()) return no_such_workload(spec);
  return found->second->prepare(spec, listener);
}

}  // namespace netperfd::workload
