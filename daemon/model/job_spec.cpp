// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/job_spec.hpp"

#include <algorithm>
#include <utility>

namespace netperfd {
namespace {

template <class Enum>
struct Name {
  Enum value;
  std::string_view text;
};

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

JobSpec spec_of_side(const JobSpec& job, char side, std::uint32_t point) {
  JobSpec spec = job;
  spec.sides.clear();
  if (side != '\0' && job.design && job.design->has_settings())
    spec.machine = job.design->set_on(side, point);
  if (side == '\0' || job.sides.empty()) return spec;
  const std::size_t first = point > 0 ? 2 * (point - std::size_t{1}) : 0;
  const SideWorkload& own = job.sides.at(first + (side == 'A' ? 0 : 1));
  spec.test = own.test;
  spec.latency = own.latency;
  spec.command = own.command;
  spec.limits = own.limits;
  return spec;
}

std::vector<JobSpec> specs_of_runs(const JobSpec& job) {
  if (job.sides.empty()) return {job};
  std::vector<JobSpec> specs{spec_of_side(job, '\0')};
  for (std::uint32_t point = 1; point <= job.sides.size() / 2; ++point) {
    for (const char side : {'A', 'B'}) specs.push_back(spec_of_side(job, side, point));
  }
  return specs;
}

std::optional<std::chrono::milliseconds> planned_duration(const JobSpec& spec) {
  if (!spec.workload.planned_duration) return std::nullopt;
  if (spec.sides.empty()) return spec.workload.planned_duration(spec);
  std::optional<std::chrono::milliseconds> longest;
  for (std::uint32_t point = 1; point <= spec.sides.size() / 2; ++point) {
    for (const char side : {'A', 'B'}) {
      const auto own = planned_duration(spec_of_side(spec, side, point));
      if (!own) return std::nullopt;
      longest = std::max(longest, own);
    }
  }
  return longest;
}

std::string_view to_string(Protocol protocol) {
  return text_of(kProtocols, protocol);
}
std::string_view to_string(IpVersion version) {
  return text_of(kIpVersions, version);
}
std::optional<Protocol> parse_protocol(std::string_view text) {
  return value_of(kProtocols, text);
}
bool parse_word(std::string_view text, Protocol& protocol) {
  const auto parsed = parse_protocol(text);
  if (parsed) protocol = *parsed;
  return parsed.has_value();
}
std::optional<IpVersion> parse_ip_version(std::string_view text) {
  return value_of(kIpVersions, text);
}

}  // namespace netperfd
