// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_workload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "daemon/workload/iperf3_run.hpp"

namespace netperfd::workload {

Iperf3Workload::Iperf3Workload(EventLoop& loop, core::ReportReading& reports, Iperf3Settings settings,
                               Iperf3Features features)
    : loop_(loop), reports_(reports), settings_(std::move(settings)), features_(std::move(features)) {}

namespace {

struct Lab {
  const char* name;
  std::array<const char*, 3> namespaces;
};

// What tools/lab builds, for the scenarios that come with netperfd.
constexpr Lab kLabs[] = {{"veth", {"left", "right"}},
                         {"hsr", {"ring-a", "ring-b"}},
                         {"bridge", {"host-a", "switch", "host-b"}},
                         {"shaped", {"near", "bottleneck", "far"}}};

std::string advice_for(const std::string& netns) {
  for (const Lab& lab : kLabs) {
    const auto has = [&](const char* known) { return known != nullptr && netns == known; };
    if (std::ranges::any_of(lab.namespaces, has))
      return fmt::format("as root, `/usr/share/netperfd/lab up {}` makes it", lab.name);
  }
  return "`ip netns list` lists those there are";
}

// If it is removed after this, the launcher reports it.
Status expect_namespace(const std::string& netns) {
  if (netns.empty()) return {};
  const std::string path = "/run/netns/" + netns;
  if (::access(path.c_str(), F_OK) == 0 || errno != ENOENT) return {};
  return fail(ErrorKind::not_found, fmt::format("network namespace \"{}\" does not exist ({}); {}", netns,
                                                path, advice_for(netns)));
}

}  // namespace

Status expect_namespaces(const TestSpec& place) {
  for (const std::string& netns : {place.path.netns, place.path.local ? place.path.local->netns : ""}) {
    if (Status exists = expect_namespace(netns); !exists) return exists;
  }
  return {};
}

Result<std::unique_ptr<core::ActiveWorkload>> Iperf3Workload::prepare(const JobSpec& spec,
                                                                      core::WorkloadListener& listener) {
  if (Status supported = check_supported(spec.test, features_); !supported) {
    return std::unexpected(std::move(supported.error()));
  }
  if (Status there = expect_namespaces(spec.test); !there) return std::unexpected(std::move(there.error()));
  auto run = std::make_unique<Iperf3Run>(loop_, reports_, settings_, features_, spec.test, listener);
  if (Status begun = run->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return run;
}

}  // namespace netperfd::workload
