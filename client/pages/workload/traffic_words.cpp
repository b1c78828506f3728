// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/workload/traffic_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "client/pages/latency_text.hpp"
#include "client/pages/named_figures_text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

const SumView* sum_of(const ShowView& view, Direction direction) {
  const auto found = std::ranges::find(view.details.sums, direction, &SumView::direction);
  return found == view.details.sums.end() ? nullptr : &*found;
}

std::string received_rate(const SumView* sum) {
  return sum != nullptr && sum->received_bits_per_second ? format_rate(*sum->received_bits_per_second)
                                                         : "not known";
}

}  // namespace

std::string received_words(const ShowView& view, std::string_view unknown) {
  if (view.details.run.direction == "both") {
    return fmt::format("{} to the server, {} from it", received_rate(sum_of(view, Direction::send)),
                       received_rate(sum_of(view, Direction::receive)));
  }
  if (view.details.sums.empty()) return std::string{unknown};
  const SumView& sum = view.details.sums.front();
  std::string text;
  if (sum.received_bits_per_second) {
    text = format_rate(*sum.received_bits_per_second) + " received";
  } else if (sum.sent_bits_per_second) {
    text = format_rate(*sum.sent_bits_per_second) + " sent, what arrived is not known";
  } else {
    return "throughput not known";
  }
  if (sum.lost_percent) text += fmt::format(", {} lost", format_percent(*sum.lost_percent));
  if (const std::string latency = show::latency_words(view.details.run); !latency.empty())
    text += "; " + latency;
  return text;
}

std::string traffic_words(const RunView& run, std::string tool, std::string_view more) {
  std::vector<std::string> parts{std::move(tool)};
  if (run.protocol) {
    std::string protocol = *run.protocol;
    std::ranges::transform(protocol, protocol.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    if (run.congestion && !run.congestion->empty()) protocol += fmt::format(" ({})", *run.congestion);
    parts.push_back(protocol);
  }
  if (run.streams) parts.push_back(plural(*run.streams, "stream"));
  std::string length;
  if (run.duration_s) length = format_seconds(*run.duration_s);
  if (run.bytes) length = format_bytes(*run.bytes);
  if (run.omit_s.value_or(0) > 0) length += fmt::format(" after {} omitted", format_seconds(*run.omit_s));
  if (!length.empty()) parts.push_back(length);
  if (!more.empty()) parts.emplace_back(more);
  if (run.latency_phase) parts.emplace_back("with probes of the latency");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string figures_in_words(const ShowView& view, std::initializer_list<std::string_view> names) {
  std::vector<std::string> parts;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(view.figures, name, &NamedFigureView::name);
    if (found != view.figures.end()) parts.push_back(show::figure_words(*found));
  }
  if (parts.empty() && !view.figures.empty()) parts.push_back(show::figure_words(view.figures.front()));
  return parts.empty() ? "what was measured is not known" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string iperf3_words(const RunView& run) {
  return run.iperf3_version && !run.iperf3_version->empty() ? "iperf3 " + *run.iperf3_version : "iperf3";
}

}  // namespace netperfctl
