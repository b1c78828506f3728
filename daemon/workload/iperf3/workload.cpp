// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/workload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/workload/iperf3/run.hpp"
#include "daemon/workload/job/programs.hpp"
#include "daemon/workload/latency/workload.hpp"

namespace netperfd::workload {

Iperf3Workload::Iperf3Workload(EventLoop& loop, core::ReportReading& reports, ProgramSettings settings,
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
                         {"shaped", {"near", "bottleneck", "far"}},
                         {"forward", {"sender", "router", "receiver"}}};

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

std::vector<std::string> namespaces_of(const TestSpec& place) {
  return {place.path.netns, place.path.local ? place.path.local->netns : ""};
}

}  // namespace

Status expect_namespaces(const TestSpec& place) {
  for (const std::string& netns : namespaces_of(place)) {
    if (Status exists = expect_namespace(netns); !exists) return exists;
  }
  return {};
}

std::vector<std::string> missing_of(const TestSpec& place, const std::vector<std::string>& programs) {
  std::vector<std::string> sentences;
  const auto expect = [&sentences](Status there) {
    const bool told = there || std::ranges::find(sentences, there.error().message) != sentences.end();
    if (!told) sentences.push_back(std::move(there.error().message));
  };
  for (const std::string& netns : namespaces_of(place)) expect(expect_namespace(netns));
  for (const std::string& program : programs) expect(expect_program(program));
  return sentences;
}

Status Iperf3Workload::check(const JobSpec& spec) {
  return check_supported(spec.test, features_);
}

std::string unusable_congestion(const std::string& name, const std::string& allowed) {
  std::string words = allowed;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  if (name.empty() || (" " + words + " ").contains(" " + name + " ")) return {};
  return fmt::format(
      "the congestion control {} is not among those that iperf3 may use ({}): as root, `modprobe tcp_{}; "
      "sysctl "
      "net.ipv4.tcp_allowed_congestion_control='{} {}'` allows it, if this kernel has it",
      name, words, name, words, name);
}

namespace {

std::string lacking_congestion(const JobSpec& spec) {
  constexpr std::size_t kLimit = 4'096;
  const std::string& name = spec.test.iperf3.congestion;
  // Anybody may ask for what a socket has anyway. That of another namespace is not known here.
  const auto own = read_file("/proc/sys/net/ipv4/tcp_congestion_control", kLimit);
  if (own && spec.test.path.netns.empty() && *own == name + "\n") return {};
  const auto allowed = read_file("/proc/sys/net/ipv4/tcp_allowed_congestion_control", kLimit);
  // Without the file, as in a container, the run tells.
  return allowed ? unusable_congestion(name, *allowed) : std::string();
}

}  // namespace

std::vector<std::string> Iperf3Workload::missing(const JobSpec& spec) {
  std::vector<std::string> sentences = missing_of(spec.test, {settings_.path});
  if (std::string why = lacking_congestion(spec); !why.empty()) sentences.push_back(std::move(why));
  return sentences;
}

Result<std::unique_ptr<core::ActiveWorkload>> Iperf3Workload::prepare(const JobSpec& spec,
                                                                      core::WorkloadListener& listener) {
  if (Status supported = check(spec); !supported) return std::unexpected(std::move(supported.error()));
  if (Status there = expect_namespaces(spec.test); !there) return std::unexpected(std::move(there.error()));
  if (std::string why = lacking_congestion(spec); !why.empty())
    return fail(ErrorKind::not_found, std::move(why));
  auto run = std::make_unique<Iperf3Run>(loop_, reports_, settings_, features_, spec.test, listener);
  if (Status begun = run->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return run;
}

std::unique_ptr<core::Workload> make_iperf3(const WorkloadSite& site) {
  return with_probes(site,
                     std::make_unique<Iperf3Workload>(site.loop, site.reports, site.iperf3, site.features));
}

}  // namespace netperfd::workload
