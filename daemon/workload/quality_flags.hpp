// SPDX-License-Identifier: GPL-2.0-or-later
// The codes of all quality flags that reading iperf3's output can raise. docs/quality-flags.md explains each
// of them, and a test keeps the two in step.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd::workload {

enum class Quality {
  sums_disagree,
  loss_disagrees,
  loss_unknown,
  receiver_unknown,
  sender_unknown,
  retransmits_unknown,
  sent_above_received,
  stalls,
  idle_streams,
  trend,
  run_length,
  too_short,
  rounded_to_interval,
  omit_short,
  missing_intervals,
  repeated_intervals,
  odd_intervals,
  not_as_asked,
  duplicate_document,
  text_around_document,
  repaired_tokens,
  unreadable_values,
  receiver_computed,
  impossible_figures,
  server_document,
  sums_computed,
  replaced_bytes,
  rounded_figures,
  options_unknown,
};

// Indexed by enumerator.
inline constexpr std::array<std::string_view, 29> kQualityCodes{
    "sums-disagree",       "loss-disagrees",
    "loss-unknown",        "receiver-unknown",
    "sender-unknown",      "retransmits-unknown",
    "sent-above-received", "stalls",
    "idle-streams",        "trend",
    "run-length",          "too-short",
    "rounded-to-interval", "omit-short",
    "missing-intervals",   "repeated-intervals",
    "odd-intervals",       "not-as-asked",
    "duplicate-document",  "text-around-document",
    "repaired-tokens",     "unreadable-values",
    "receiver-computed",   "impossible-figures",
    "server-document",     "sums-computed",
    "replaced-bytes",      "rounded-figures",
    "options-unknown",
};
static_assert(kQualityCodes.size() == static_cast<std::size_t>(Quality::options_unknown) + 1);

[[nodiscard]] constexpr std::string_view to_string(Quality code) {
  return kQualityCodes.at(static_cast<std::size_t>(code));
}

inline void add_flag(std::vector<QualityFlag>& flags, Quality code, std::string message) {
  flags.push_back({.code = std::string(to_string(code)), .message = std::move(message)});
}

}  // namespace netperfd::workload
