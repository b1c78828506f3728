// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/function_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>

#include "client/terminal/units.hpp"
#include "dbus/rows/found.hpp"

namespace netperfctl::comparing {
namespace {

// One of the factors of a function's cost on both sides, as words say it.
struct Factor {
  std::optional<double> a, b;
  double scale = 1;
  const char* words;
  const char* unit;

  [[nodiscard]] double change() const { return a && b && *a > 0 && *b > 0 ? std::abs(std::log(*b / *a)) : 0; }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} {} -> {}{}", words, format_figure(*a * scale), format_figure(*b * scale), unit);
  }
};

// "a call 316 -> 663 ns (+330 to +364, p adj. 0.031)"; empty if its change is not shown.
std::string tested_words(const Factor& factor, const netperfd::rows::Finding& finding) {
  if (!netperfd::rows::is_found(finding)) return {};
  const auto limit = [&](double value) {
    return (value < 0 ? "-" : "+") + format_figure(std::abs(value) * factor.scale);
  };
  return fmt::format("{} ({} to {}, p adj. {})", factor.text(), limit(*finding.low), limit(*finding.high),
                     format_probability(*finding.p_adjusted));
}

// Which factors show a change.
std::string shown_words(const CompareView& view, const FunctionDeltaView& row) {
  constexpr double kMega = 1e6;
  const auto& work = view.details.comparison.work;
  const std::string per = work ? "calls a " + *work : "calls a MB";
  const std::string time =
      tested_words({row.call_time_a, row.call_time_b, 1, "a call", " ns"},
                   {row.call_time_shift, row.call_time_low, row.call_time_high, row.call_time_p_adjusted});
  const std::string calls =
      tested_words({row.calls_a, row.calls_b, work ? 1 : kMega, per.c_str(), ""},
                   {row.calls_shift, row.calls_low, row.calls_high, row.calls_p_adjusted});
  return time + (time.empty() || calls.empty() ? "" : ", ") + calls;
}

// How little a function matters that is shown by another figure than its cost.
std::string little_words(const CompareView& view, const FunctionDeltaView& row) {
  if (!row.shown_by || row.shown_by == "cost" || view.details.comparison.functions_left_out) return {};
  double all = 0;
  for (const FunctionDeltaView& each : view.details.functions) all += each.cost_b.value_or(0);
  if (!(all > 0)) return {};
  return fmt::format("; {} of the functions' time", format_percent(100 * row.cost_b.value_or(0) / all));
}

}  // namespace

std::string cause_words(const CompareView& view, const FunctionDeltaView& row) {
  if (row.match == "only A") return "called only in A";
  if (row.match == "only B") return "called only in B";
  const std::string renamed = row.function_b ? "in B " + *row.function_b + "; " : "";
  if (const std::string shown = shown_words(view, row); !shown.empty())
    return renamed + shown + little_words(view, row);
  const bool of_packets = row.packets_per_byte_a && row.packets_per_byte_b;
  constexpr double kMega = 1e6;
  std::array<Factor, 3> factors{{
      {row.ns_per_call_a, row.ns_per_call_b, 1, "a call", " ns"},
      {row.calls_per_packet_a, row.calls_per_packet_b, of_packets ? 1 : kMega,
       of_packets ? "calls a packet" : "calls a MB", ""},
      {row.packets_per_byte_a, row.packets_per_byte_b, kMega, "packets a MB", ""},
  }};
  std::ranges::stable_sort(factors, std::greater{}, &Factor::change);
  constexpr double kLeast = 0.005;  // a change that is shown at all
  if (factors[0].change() < kLeast)
    return renamed.substr(0, renamed.size() - std::min<std::size_t>(2, renamed.size()));
  std::string text = renamed + factors[0].text();
  if (factors[1].change() > std::max(0.05, factors[0].change() / 3)) text += ", " + factors[1].text();
  return text;
}

}  // namespace netperfctl::comparing
