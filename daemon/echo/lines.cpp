// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/lines.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace netperfd::echo {
namespace {

// A JSON string. Bytes that are not ASCII stay: an argument of the command line is UTF-8 or not ours to mend.
std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Exact: a double would lose nanoseconds after a few months.
std::string seconds(Ns time) {
  const Ns whole = time / kSecond, rest = time % kSecond;
  std::string text = fmt::format("{}.{:09}", whole, rest);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

std::string spans_json(const Interval& interval) {
  constexpr std::array<std::string_view, kSpans> kNames{"round-trip", "there", "back", "queued"};
  std::string json;
  for (std::size_t i = 0; i < kSpans; ++i) {
    const SpanCounts& span = interval.spans[i];
    if (span.count == 0) continue;
    fmt::format_to(std::back_inserter(json),
                   R"({}"{}":{{"count":{},"sum_ns":{},"min_ns":{},"max_ns":{},"buckets":[)",
                   json.empty() ? "" : ",", kNames[i], span.count, span.sum_ns, span.min_ns, span.max_ns);
    for (const auto& [bucket, count] : span.buckets)
      fmt::format_to(std::back_inserter(json), "{}[{},{}]", json.ends_with('[') ? "" : ",", bucket, count);
    json += "]}";
  }
  return json;
}

std::string_view name_of(std::optional<Source> source) {
  switch (source.value_or(Source::program)) {
    case Source::device:
      return "device";
    case Source::kernel:
      return "kernel";
    case Source::program:
      break;
  }
  return "program";
}

}  // namespace

std::string start_line(const ProbeOptions& options, const Start& start) {
  std::string probes;
  for (const ProbeSpec& probe : options.probes) {
    fmt::format_to(std::back_inserter(probes), R"({}{{"protocol":"{}","rate":{},"length":{})",
                   probes.empty() ? "" : ",", protocol_name(probe.protocol), probe.rate, probe.length);
    if (probe.dscp) fmt::format_to(std::back_inserter(probes), R"(,"dscp":{})", *probe.dscp);
    probes += '}';
  }
  return fmt::format(
      R"({{"event":"start","version":1,"server":{},"port":{},"client":{},"same_clock":{},"timeout_ms":{},"interval_ms":{},)"
      R"("greeting_s":{},"probes":[{}]}})"
      "\n",
      json_string(start.server), options.port, json_string(start.client), start.same_clock,
      options.limits.timeout / kMillisecond, options.limits.interval / kMillisecond, seconds(start.greeting),
      probes);
}

std::string phase_line(std::uint32_t phase, Ns at) {
  return fmt::format(R"({{"event":"phase","phase":{},"at_s":{}}})"
                     "\n",
                     phase, seconds(at));
}

std::string interval_line(std::size_t probe, const Interval& interval) {
  return fmt::format(
      R"({{"event":"interval","probe":{},"phase":{},"start_s":{},"end_s":{},"sent":{},"missed":{},"late_sends":{},)"
      R"("max_send_delay_ns":{},"received":{},"lost":{},"late":{},"duplicates":{},"reordered":{},"jitter_sum_ns":{},)"
      R"("jitter_count":{},"spans":{{{}}}}})"
      "\n",
      probe, interval.phase, seconds(interval.start), seconds(interval.end), interval.sent, interval.missed,
      interval.late_sends, interval.max_send_delay, interval.received, interval.lost, interval.late,
      interval.duplicates, interval.reordered, interval.jitter_sum, interval.jitter_count,
      spans_json(interval));
}

std::string end_line(std::span<const RequestTracker> trackers, Ns at) {
  std::string probes;
  for (const RequestTracker& tracker : trackers)
    fmt::format_to(std::back_inserter(probes),
                   R"({}{{"timestamps":"{}","clock_steps":{},"foreign_packets":{}}})",
                   probes.empty() ? "" : ",", name_of(tracker.source()), tracker.clock_steps(),
                   tracker.foreign_packets());
  return fmt::format(R"({{"event":"end","at_s":{},"probes":[{}]}})"
                     "\n",
                     seconds(at), probes);
}

std::string error_line(std::string_view message) {
  return fmt::format(R"({{"event":"error","message":{}}})"
                     "\n",
                     json_string(message));
}

}  // namespace netperfd::echo
