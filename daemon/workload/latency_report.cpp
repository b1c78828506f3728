// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"

namespace netperfd::workload {
namespace {

using Json = nlohmann::json;

// Values beyond a percentile that it needs; docs/latency.md.
constexpr double kFewestBeyond = 10;
constexpr double kMostMissed = 0.01;  // of the requests that were due
constexpr std::uint64_t kMostNs = std::uint64_t{1} << 62U;

const Json* value_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// A number that is no count, or absent, makes the line damaged.
class Line {
 public:
  explicit Line(const Json& object) : object_(object) {}

  [[nodiscard]] std::uint64_t count(const char* key) {
    const Json* value = value_at(object_, key);
    if (value != nullptr && value->is_number_unsigned() && value->get<std::uint64_t>() < kMostNs) {
      return value->get<std::uint64_t>();
    }
    damaged_ = true;
    return 0;
  }
  [[nodiscard]] double seconds(const char* key) {
    const Json* value = value_at(object_, key);
    if (value != nullptr && value->is_number()) return value->get<double>();
    damaged_ = true;
    return 0;
  }
  [[nodiscard]] std::string text(const char* key) {
    const Json* value = value_at(object_, key);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    damaged_ = true;
    return {};
  }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  const Json& object_;
  bool damaged_ = false;
};

// A span of an interval or of a phase.
struct Values {
  std::uint64_t count = 0, sum_ns = 0, min_ns = 0, max_ns = 0;
  Histogram histogram;
};

std::optional<Histogram> histogram_of(const Json* buckets) {
  if (buckets == nullptr || !buckets->is_array()) return std::nullopt;
  Histogram histogram;
  for (const Json& pair : *buckets) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      return std::nullopt;
    }
    const auto bucket = pair[0].get<std::uint64_t>();
    const auto values = pair[1].get<std::uint64_t>();
    const bool grows = histogram.buckets.empty() || bucket > histogram.buckets.back().first;
    if (!grows || bucket > analysis::bucket_of(kMostNs) || values == 0 || values > kMostNs)
      return std::nullopt;
    histogram.buckets.emplace_back(static_cast<std::uint32_t>(bucket), values);
  }
  return histogram;
}

std::optional<Values> values_of(const Json& span) {
  if (!span.is_object()) return std::nullopt;
  Line line(span);
  Values values{.count = line.count("count"),
                .sum_ns = line.count("sum_ns"),
                .min_ns = line.count("min_ns"),
                .max_ns = line.count("max_ns"),
                .histogram = {}};
  auto histogram = histogram_of(value_at(span, "buckets"));
  if (line.damaged() || !histogram || analysis::count(*histogram) != values.count) return std::nullopt;
  values.histogram = std::move(*histogram);
  return values;
}

void add(Values& into, const Values& from) {
  if (from.count == 0) return;
  into.min_ns = into.count == 0 ? from.min_ns : std::min(into.min_ns, from.min_ns);
  into.max_ns = std::max(into.max_ns, from.max_ns);
  into.count += from.count;
  into.sum_ns += from.sum_ns;
  analysis::merge(into.histogram, from.histogram);
}

struct PhaseOfProbe {
  rows::LatencyPhase row;
  std::uint64_t jitter_sum_ns = 0, jitter_count = 0;
  std::map<std::string, Values, std::less<>> spans;
};

class Reading {
 public:
  explicit Reading(const LatencyOrder& order) : order_(order) {}

  void read_line(std::string_view text);
  [[nodiscard]] ParsedLatency take(bool cut_short);

 private:
  void read_start(const Json& event);
  void read_interval(const Json& event);
  void read_end(const Json& event);
  void add_flags();

  const LatencyOrder& order_;
  ParsedLatency parsed_;
  std::map<std::pair<std::size_t, std::size_t>, PhaseOfProbe> phases_;  // by probe and phase
  std::vector<std::vector<rows::LatencyInterval>> intervals_;           // by probe
  std::size_t damaged_lines_ = 0;
  double greeting_s_ = 0;
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
  if (*name == "interval") read_interval(event);
  if (*name == "end") read_end(event);
  if (*name == "error" && parsed_.error.empty()) parsed_.error = Line(event).text("message");
}

void Reading::read_start(const Json& event) {
  const Json* probes = value_at(event, "probes");
  if (started_ || probes == nullptr || !probes->is_array() || probes->size() != order_.probes.size()) {
    ++damaged_lines_;
    return;
  }
  started_ = true;
  greeting_s_ = Line(event).seconds("greeting_s");
  for (std::size_t i = 0; i < probes->size(); ++i) {
    Line line((*probes)[i]);
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
}

void Reading::read_interval(const Json& event) {
  Line line(event);
  const std::size_t probe = line.count("probe");
  const std::size_t phase = line.count("phase");
  const Json* spans = value_at(event, "spans");
  rows::LatencyInterval row{.probe = {},
                            .phase = {},
                            .start_s = line.seconds("start_s") + greeting_s_,
                            .end_s = line.seconds("end_s") + greeting_s_,
                            .sent = line.count("sent"),
                            .missed = line.count("missed"),
                            .received = line.count("received"),
                            .lost = line.count("lost"),
                            .min_ns = {},
                            .p50_ns = {},
                            .p99_ns = {},
                            .max_ns = {}};
  const std::uint64_t late_sends = line.count("late_sends"), delay = line.count("max_send_delay_ns"),
                      late = line.count("late"), duplicates = line.count("duplicates"),
                      reordered = line.count("reordered"), jitter = line.count("jitter_sum_ns"),
                      jitters = line.count("jitter_count");
  if (line.damaged() || probe >= intervals_.size() || phase >= order_.phases.size() || spans == nullptr ||
      !spans->is_object() || row.sent != row.received + row.lost) {
    ++damaged_lines_;
    return;
  }
  row.probe = order_.probes[probe];
  row.phase = order_.phases[phase];
  const auto [place, is_new] = phases_.try_emplace({probe, phase});
  PhaseOfProbe& of = place->second;
  if (is_new) {
    of.row.probe = row.probe;
    of.row.phase = row.phase;
    of.row.start_s = row.start_s;
  }
  of.row.end_s = row.end_s;
  of.row.sent += row.sent;
  of.row.missed += row.missed;
  of.row.late_sends += late_sends;
  of.row.max_send_delay_ns = std::max(of.row.max_send_delay_ns, delay);
  of.row.received += row.received;
  of.row.lost += row.lost;
  of.row.late += late;
  of.row.duplicates += duplicates;
  of.row.reordered += reordered;
  of.jitter_sum_ns += jitter;
  of.jitter_count += jitters;
  for (const std::string_view name : kLatencySpans) {
    const auto span = spans->find(name);
    if (span == spans->end()) continue;
    const auto values = values_of(*span);
    if (!values) {
      ++damaged_lines_;
      continue;
    }
    add(of.spans[std::string(name)], *values);
    if (name != kRoundTrip || values->count == 0) continue;
    const auto within = [&](double fraction) {
      return std::clamp(analysis::interpolated_quantile(values->histogram, fraction), values->min_ns,
                        std::max(values->min_ns, values->max_ns));
    };
    row.min_ns = values->min_ns;
    row.p50_ns = within(0.5);
    row.p99_ns = within(0.99);
    row.max_ns = values->max_ns;
  }
  intervals_[probe].push_back(std::move(row));
}

void Reading::read_end(const Json& event) {
  const Json* probes = value_at(event, "probes");
  ended_ = true;
  for (std::size_t i = 0; probes != nullptr && i < parsed_.report.probes.size() && i < probes->size(); ++i) {
    Line line((*probes)[i]);
    rows::LatencyProbe& probe = parsed_.report.probes[i];
    probe.timestamps = line.text("timestamps");
    probe.clock_steps = line.count("clock_steps");
    probe.foreign_packets = line.count("foreign_packets");
    if (line.damaged()) ++damaged_lines_;
  }
}

LatencySpan span_of(const rows::LatencyPhase& phase, std::string_view name, const Values& values) {
  const auto within = [&](double fraction) {
    const auto value = percentile(values.histogram, fraction);
    return value ? std::optional(std::clamp(*value, values.min_ns, std::max(values.min_ns, values.max_ns)))
                 : std::nullopt;
  };
  return {.figures = {.probe = phase.probe,
                      .phase = phase.phase,
                      .span = std::string(name),
                      .count = values.count,
                      .min_ns = values.min_ns,
                      .mean_ns = values.sum_ns / values.count,
                      .max_ns = values.max_ns,
                      .p50_ns = within(0.5),
                      .p90_ns = within(0.9),
                      .p99_ns = within(0.99),
                      .p999_ns = within(0.999)},
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
    flag("unreadable-values",
         fmt::format("{} lines of the prober's output could not be read", damaged_lines_));
  }
}

ParsedLatency Reading::take(bool cut_short) {
  for (auto& [key, phase] : phases_) {
    if (phase.jitter_count > 0) phase.row.jitter_ns = phase.jitter_sum_ns / phase.jitter_count;
    for (const std::string_view name : kLatencySpans) {
      const auto values = phase.spans.find(name);
      if (values == phase.spans.end() || values->second.count == 0) continue;
      parsed_.report.spans.push_back(span_of(phase.row, name, values->second));
    }
    parsed_.report.phases.push_back(std::move(phase.row));
  }
  for (auto& intervals : intervals_) {
    std::ranges::move(intervals, std::back_inserter(parsed_.report.intervals));
  }
  add_flags();
  if (!parsed_.error.empty()) return std::move(parsed_);
  if (!started_) {
    parsed_.error = "the prober did not begin";
  } else if (!ended_ || cut_short) {
    parsed_.error = "the prober's output ends before its end";
  }
  return std::move(parsed_);
}

}  // namespace

std::optional<std::uint64_t> percentile(const Histogram& histogram, double fraction) {
  const auto values = static_cast<double>(analysis::count(histogram));
  // Of 1,000 values exactly ten are beyond the 99th percentile.
  if (values * (1 - fraction) < kFewestBeyond - 1e-6) return std::nullopt;
  return analysis::interpolated_quantile(histogram, fraction);
}

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
