// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd {
namespace {

constexpr std::array<std::string_view, 14> kGroups{"kernel", "module",  "sysctl",   "nic",   "cpu",
                                                   "irq",    "rps",     "xps",      "qdisc", "clock",
                                                   "iperf3", "latency", "topology", "trace"};

}  // namespace

// `module` and `sysctl` precede a name, the others stand alone.
std::optional<std::string> wrong_fact_group(std::string_view group) {
  const auto colon = group.find(':');
  const std::string_view word = group.substr(0, colon);
  const bool named = word == "module" || word == "sysctl";
  const bool known = std::ranges::find(kGroups, word) != kGroups.end();
  const bool has_name = colon != std::string_view::npos && colon + 1 < group.size();
  if (known && (named ? has_name : colon == std::string_view::npos) && is_printable(group)) return {};
  const auto meant = known ? std::nullopt : nearest(word, kGroups);
  return fmt::format(
      "{} is no group of facts that can change; expected is module:NAME, sysctl:KEY, kernel, "
      "nic, cpu, irq, rps, xps, qdisc, clock, iperf3, latency, topology or trace{}",
      in_quotes(group), meant ? fmt::format("; did you mean `{}`?", *meant) : "");
}

}  // namespace netperfd
