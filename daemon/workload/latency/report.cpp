// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/workload/latency/values.hpp"

namespace netperfd::workload {
namespace {

constexpr double kMostMissed = 0.01;  // of the requests that were due

// Of an interval or of a phase.
struct Stretch {
  rows::LatencyPhase counts;
  std::uint64_t jitter_sum_ns = 0, jitter_count = 0;
  std::map<std::string, SpanValues, std::less<>> spans;
};

// `from` follows `into`.
void add(Stretch& into, const Stretch& from) {
  rows::LatencyPhase& counts = into.counts;
  counts.end_s = from.counts.end_s;
  for (const auto count :
       {&rows::LatencyPhase::sent, &rows::LatencyPhase::missed, &rows::LatencyPhase::late_sends,
        &rows::LatencyPhase::received, &rows::LatencyPhase::lost, &rows::LatencyPhase::late,
        &rows::LatencyPhase::duplicates, &rows::LatencyPhase::reordered}) {
    counts.*count += from.counts.*count;
  }
  counts.max_send_delay_ns = std::max(counts.max_send_delay_ns, from.counts.max_send_delay_ns);
  into.jitter_sum_ns += from.jitter_sum_ns;
  into.jitter_count += from.jitter_count;
  for (const auto& [name, values] : from.spans) add(into.spans[name], values);
}

rows::LatencyInterval interval_row(const Stretch& stretch) {
  rows::LatencyInterval row{.probe = stretch.counts.probe,
                            .phase = stretch.counts.phase,
                            .start_s = stretch.counts.start_s,
                            .end_s = stretch.counts.end_s,
                            .sent = stretch.counts.sent,
                            .missed = stretch.counts.missed,
                            .received = stretch.counts.received,
                            .lost = stretch.counts.lost,
                            .min_ns = {},
                            .p50_ns = {},
                            .p99_ns = {},
                            .max_ns = {}};
  const auto found = stretch.spans.find(kRoundTrip);
  if (found == stretch.spans.end() || found->second.count == 0) return row;
  const SpanValues& values = found->second;
  row.min_ns = values.min_ns;
  row.p50_ns = percentile(values, 0.5);
  row.p99_ns = percentile(values, 0.99);
  row.max_ns = values.max_ns;
  return row;
}

class Reading {
 public:
  explicit Reading(const LatencyOrder& order) : order_(order) {}

  void read_line(std::string_view text);
  [[nodiscard]] ParsedLatency take(bool cut_short);

 private:
  void read_start(const Json& event);
  void read_interval(const Json& event);
  [[nodiscard]] std::map<std::string, SpanValues, std::less<>> spans_of(const Json& spans);
  void take_up(std::size_t probe, Stretch interval);
  void read_end(const Json& event);
  void add_flags();

  const LatencyOrder& order_;
  ParsedLatency parsed_;
  std::map<std::pair<std::size_t, std::size_t>, Stretch> phases_;  // by probe and phase
  std::vector<std::optional<Stretch>> open_;  // by probe: the last interval, to which a leftover may be added
  std::vector<std::vector<rows::LatencyInterval>> intervals_;  // by probe
  std::size_t damaged_lines_ = 0;
  std::size_t changes_ = 0;  // of the phase
  double greeting_s_ = 0, interval_s_ = 0;
  bool started_ = false, ended_ = false;
};

void Reading::read_line(std::string_view text) {
  if (text.empty()) return;
  const Json event = Json::parse(text, nullptr, false);
  const Json* name = event.is_object() ? value_at(event, "event") : nullptr;
  if (name == nullptr || !name->is_string()) {
    ++damaged_lines_;
    return;
  }
  if (*name == "start") read_start(event);
  if (*name == "phase") ++changes_;
  if (*name == "interval") read_interval(event);
  if (*name == "end") read_end(event);
  if (*name == "error" && parsed_.error.empty()) parsed_.error = LatencyLine(event).text("message");
}

void Reading::read_start(const Json& event) {
  const Json* probes = value_at(event, "probes");
  if (started_ || probes == nullptr || !probes->is_array() || probes->size() != order_.probes.size()) {
    ++damaged_lines_;
    return;
  }
  started_ = true;
  LatencyLine whole(event);
  greeting_s_ = whole.seconds("greeting_s");
  interval_s_ = static_cast<double>(whole.count("interval_ms")) / 1e3;
  if (whole.damaged()) ++damaged_lines_;
  for (std::size_t i = 0; i < probes->size(); ++i) {
    LatencyLine line((*probes)[i]);
    rows::LatencyProbe& probe = parsed_.report.probes.emplace_back();
    probe.name = order_.probes[i];
    probe.protocol = line.text("protocol");
    probe.rate = line.seconds("rate");
    probe.length = static_cast<std::uint32_t>(line.count("length"));
    if (value_at((*probes)[i], "dscp") != nullptr)
      probe.dscp = static_cast<std::uint32_t>(line.count("dscp"));
    if (line.damaged()) ++damaged_lines_;
  }
  intervals_.resize(probes->size());
  open_.resize(probes->size());
}

std::map<std::string, SpanValues, std::less<>> Reading::spans_of(const Json& spans) {
  std::map<std::string, SpanValues, std::less<>> found;
  for (const std::string_view name : kLatencySpans) {
    const auto span = spans.find(name);
    if (span == spans.end()) continue;
    if (auto values = values_of(*span)) {
      found.emplace(name, std::move(*values));
    } else {
      ++damaged_lines_;
    }
  }
  return found;
}

void Reading::read_interval(const Json& event) {
  LatencyLine line(event);
  const std::size_t probe = line.count("probe");
  const std::size_t phase = line.count("phase");
  const Json* spans = value_at(event, "spans");
  Stretch interval;
  rows::LatencyPhase& counts = interval.counts;
  counts.start_s = line.seconds("start_s") + greeting_s_;
  counts.end_s = line.seconds("end_s") + greeting_s_;
  counts.sent = line.count("sent");
  counts.missed = line.count("missed");
  counts.late_sends = line.count("late_sends");
  counts.max_send_delay_ns = line.count("max_send_delay_ns");
  counts.received = line.count("received");
  counts.lost = line.count("lost");
  counts.late = line.count("late");
  counts.duplicates = line.count("duplicates");
  counts.reordered = line.count("reordered");
  interval.jitter_sum_ns = line.count("jitter_sum_ns");
  interval.jitter_count = line.count("jitter_count");
  if (line.damaged() || probe >= open_.size() || phase >= order_.phases.size() || spans == nullptr ||
      !spans->is_object() || counts.sent != counts.received + counts.lost) {
    ++damaged_lines_;
    return;
  }
  counts.probe = order_.probes[probe];
  counts.phase = order_.phases[phase];
  interval.spans = spans_of(*spans);
  const auto [place, is_first] = phases_.try_emplace({probe, phase}, interval);
  if (!is_first) add(place->second, interval);
  take_up(probe, std::move(interval));
}

// What is left over at the end of a phase is no interval of its own.
void Reading::take_up(std::size_t probe, Stretch interval) {
  std::optional<Stretch>& open = open_[probe];
  const bool is_leftover = interval.counts.end_s - interval.counts.start_s < interval_s_ / 2;
  if (open && is_leftover && open->counts.phase == interval.counts.phase) {
    add(*open, interval);
    return;
  }
  if (open) intervals_[probe].push_back(interval_row(*open));
  open = std::move(interval);
}

void Reading::read_end(const Json& event) {
  const Json* probes = value_at(event, "probes");
  ended_ = true;
  for (std::size_t i = 0; probes != nullptr && i < parsed_.report.probes.size() && i < probes->size(); ++i) {
    LatencyLine line((*probes)[i]);
    rows::LatencyProbe& probe = parsed_.report.probes[i];
    probe.timestamps = line.text("timestamps");
    probe.clock_steps = line.count("clock_steps");
    probe.foreign_packets = line.count("foreign_packets");
    if (line.damaged()) ++damaged_lines_;
  }
}

LatencySpan span_of(const rows::LatencyPhase& phase, std::string_view name, const SpanValues& values) {
  return {.figures = {.probe = phase.probe,
                      .phase = phase.phase,
                      .span = std::string(name),
                      .count = values.count,
                      .min_ns = values.min_ns,
                      .mean_ns = values.sum_ns / values.count,
                      .max_ns = values.max_ns,
                      .p50_ns = percentile(values, 0.5),
                      .p90_ns = percentile(values, 0.9),
                      .p99_ns = percentile(values, 0.99),
                      .p999_ns = percentile(values, 0.999)},
          .histogram = values.histogram};
}

void Reading::add_flags() {
  std::vector<std::string> stalled, stepped, foreign;
  for (const rows::LatencyPhase& phase : parsed_.report.phases) {
    const auto due = static_cast<double>(phase.sent + phase.missed);
    const auto late = static_cast<double>(phase.late_sends + phase.missed);
    if (due == 0 || late <= kMostMissed * due) continue;
    stalled.push_back(
        fmt::format("{} ({}): {} of {} requests were not sent, {} over 1 ms late, at most {:.1f} ms",
                    phase.probe, phase.phase, phase.missed, phase.sent + phase.missed, phase.late_sends,
                    static_cast<double>(phase.max_send_delay_ns) / 1e6));
  }
  for (const rows::LatencyProbe& probe : parsed_.report.probes) {
    if (probe.clock_steps > 0) stepped.push_back(fmt::format("{} ({} times)", probe.name, probe.clock_steps));
    if (probe.foreign_packets > 0)
      foreign.push_back(fmt::format("{} ({})", probe.name, probe.foreign_packets));
  }
  const auto flag = [&](const char* code, std::string message) {
    parsed_.flags.push_back({.code = code, .message = std::move(message)});
  };
  if (!stalled.empty()) {
    flag("probes-late", fmt::format("The prober was held up, and the latency of what it did not send is not "
                                    "known: {}",
                                    fmt::join(stalled, "; ")));
  }
  if (!stepped.empty()) {
    flag("clock-steps",
         fmt::format("The wall clock was set while requests were on their way; their times are "
                     "the prober's own: {}",
                     fmt::join(stepped, ", ")));
  }
  if (!foreign.empty())
    flag("foreign-packets", fmt::format("Packets that answered no request: {}", fmt::join(foreign, ", ")));
  if (damaged_lines_ > 0) {
    flag("latency-unreadable",
         fmt::format("{} lines of the prober's output could not be read", damaged_lines_));
  }
}

ParsedLatency Reading::take(bool cut_short) {
  for (auto& [key, phase] : phases_) {
    if (phase.jitter_count > 0) phase.counts.jitter_ns = phase.jitter_sum_ns / phase.jitter_count;
    for (const std::string_view name : kLatencySpans) {
      const auto values = phase.spans.find(name);
      if (values == phase.spans.end() || values->second.count == 0) continue;
      parsed_.report.spans.push_back(span_of(phase.counts, name, values->second));
    }
    parsed_.report.phases.push_back(std::move(phase.counts));
  }
  for (std::size_t probe = 0; probe < intervals_.size(); ++probe) {
    auto& intervals = intervals_[probe];
    if (open_[probe]) intervals.push_back(interval_row(*open_[probe]));
    std::ranges::move(intervals, std::back_inserter(parsed_.report.intervals));
  }
  add_flags();
  if (!parsed_.error.empty()) return std::move(parsed_);
  if (!started_) {
    parsed_.error = "the prober did not begin";
  } else if (!ended_ || cut_short) {
    parsed_.error = "the prober's output ends before its end";
  } else if (changes_ + 1 != order_.phases.size()) {
    // The kernel has a limit for queued signals.
    parsed_.error =
        fmt::format("the prober saw {} of {} changes of the phase, so what it measured is in the wrong one",
                    changes_, order_.phases.size() - 1);
  }
  return std::move(parsed_);
}

}  // namespace

ParsedLatency parse_latency(std::string_view prober_stdout, const LatencyOrder& order) {
  Reading reading(order);
  const bool cut_short = !prober_stdout.empty() && !prober_stdout.ends_with('\n');
  while (!prober_stdout.empty()) {
    const auto end = std::min(prober_stdout.find('\n'), prober_stdout.size());
    reading.read_line(prober_stdout.substr(0, end));
    prober_stdout.remove_prefix(std::min(end + 1, prober_stdout.size()));
  }
  return reading.take(cut_short);
}

}  // namespace netperfd::workload
