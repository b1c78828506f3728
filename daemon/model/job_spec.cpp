// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/job_spec.hpp"

#include <utility>

namespace netperfd {
namespace {

template <class Enum>
struct Name {
  Enum value;
  std::string_view text;
};

constexpr Name<WorkloadKind> kWorkloadKinds[] = {{WorkloadKind::iperf3, "iperf3"},
                                                 {WorkloadKind::latency, "latency"},
                                                 {WorkloadKind::none, "none"},
                                                 {WorkloadKind::imported, "import"}};
constexpr Name<Protocol> kProtocols[] = {
    {Protocol::tcp, "tcp"}, {Protocol::udp, "udp"}, {Protocol::sctp, "sctp"}};
constexpr Name<IpVersion> kIpVersions[] = {
    {IpVersion::any, "any"}, {IpVersion::v4, "4"}, {IpVersion::v6, "6"}};

template <class Enum, std::size_t size>
std::string_view text_of(const Name<Enum> (&names)[size], Enum value) {
  for (const auto& name : names) {
    if (name.value == value) return name.text;
  }
  std::unreachable();
}

template <class Enum, std::size_t size>
std::optional<Enum> value_of(const Name<Enum> (&names)[size], std::string_view text) {
  for (const auto& name : names) {
    if (name.text == text) return name.value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> planned_duration(const JobSpec& spec) {
  if (spec.workload == WorkloadKind::latency && spec.latency) return spec.latency->duration;
  if (spec.workload != WorkloadKind::iperf3 || !spec.test.traffic.duration) return std::nullopt;
  const auto load = *spec.test.traffic.duration + spec.test.traffic.omit;
  return spec.latency ? load + 2 * spec.latency->idle : load;
}

std::string_view to_string(WorkloadKind kind) {
  return text_of(kWorkloadKinds, kind);
}
std::string_view to_string(Protocol protocol) {
  return text_of(kProtocols, protocol);
}
std::string_view to_string(IpVersion version) {
  return text_of(kIpVersions, version);
}
std::optional<WorkloadKind> parse_workload_kind(std::string_view text) {
  return value_of(kWorkloadKinds, text);
}
std::optional<Protocol> parse_protocol(std::string_view text) {
  return value_of(kProtocols, text);
}
std::optional<IpVersion> parse_ip_version(std::string_view text) {
  return value_of(kIpVersions, text);
}

}  // namespace netperfd
