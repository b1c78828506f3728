// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/fingerprint.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd {
namespace {

constexpr std::array<std::string_view, 19> kGroups{
    "kernel", "module",  "sysctl",  "nic",     "cpu",      "irq",   "rps",     "xps",      "qdisc", "clock",
    "iperf3", "latency", "command", "netperf", "sockperf", "table", "machine", "topology", "trace"};

// Each asterisk multiplies the time that a match may take.
constexpr std::ptrdiff_t kMostStars = 3;
constexpr std::size_t kMostBytes = 255;

}  // namespace

bool is_declared(const std::vector<std::string>& declared, const std::string& group) {
  return std::ranges::any_of(declared, [&](const std::string& pattern) {
    return pattern == group || ::fnmatch(pattern.c_str(), group.c_str(), FNM_NOESCAPE) == 0;
  });
}

// `module` and `sysctl` precede a name, the others stand alone.
std::optional<std::string> wrong_fact_group(std::string_view group) {
  const auto colon = group.find(':');
  const std::string_view word = group.substr(0, colon);
  const bool named = word == "module" || word == "sysctl";
  const bool known = std::ranges::find(kGroups, word) != kGroups.end();
  const bool has_name = colon != std::string_view::npos && colon + 1 < group.size();
  if (has_name && (group.size() > kMostBytes || std::ranges::count(group, '*') > kMostStars)) {
    return fmt::format("{} has more than {} bytes, or more than {} asterisks", in_quotes(group), kMostBytes,
                       kMostStars);
  }
  if (known && (named ? has_name : colon == std::string_view::npos) && is_printable(group)) return {};
  const auto meant = known ? std::nullopt : nearest(word, kGroups);
  return fmt::format(
      "{} is no group of facts that can change; expected is module:NAME, sysctl:KEY (with * for any "
      "letters), kernel, "
      "nic, cpu, irq, rps, xps, qdisc, clock, iperf3, latency, command, netperf, sockperf, table, machine, "
      "topology or trace{}",
      in_quotes(group), meant ? fmt::format("; did you mean `{}`?", *meant) : "");
}

}  // namespace netperfd
