// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/counters_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/drop_check.hpp"
#include "client/pages/show_parts.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

constexpr std::size_t kNarrowest = 16;

std::string amount(const CounterView& counter) {
  constexpr double kSecond = 1e9;
  if (counter.unit == "bytes") return format_bytes(counter.delta);
  if (counter.unit == "ns") return format_seconds(static_cast<double>(counter.delta) / kSecond);
  if (counter.unit == "bits_per_second") return format_rate(static_cast<double>(counter.delta));
  return format_count(counter.delta) + (counter.unit == "Hz" ? " Hz" : "");
}

std::optional<double> seconds_of(const RunView& run) {
  constexpr double kMicro = 1e6;
  if (!run.started_us || !run.ended_us || *run.ended_us <= *run.started_us) return std::nullopt;
  return static_cast<double>(*run.ended_us - *run.started_us) / kMicro;
}

std::string counters_table(const Screen& screen, const ShowView& view) {
  const auto seconds = seconds_of(view.details.run);
  std::vector<Cells> rows;
  std::string before;
  for (const CounterView& counter : view.counters->counters) {
    const std::string group = counter.source + "@" + counter.netns.value_or("");
    const bool again = group == before;
    before = group;
    const bool rate = seconds && !counter.unit && counter.delta > 0;
    rows.push_back({{again ? "" : counter.source, Style::strong},
                    {again ? "" : counter.netns.value_or("")},
                    {counter.name},
                    {amount(counter)},
                    {rate ? format_short(static_cast<double>(counter.delta) / *seconds) : ""}});
  }
  if (rows.empty()) return "No counter could be read.\n";
  return render_table(screen,
                      {{.title = "COUNTED BY"},
                       {.title = "NETNS", .shrink_to = kNarrowest / 2, .optional = true},
                       {.title = "COUNTER", .shrink_to = kNarrowest},
                       {.title = "COUNT", .right = true},
                       {.title = "PER SECOND", .right = true, .optional = true, .leaves = 1}},
                      std::move(rows));
}

std::string rest_words(const DropCheck& check) {
  if (check.counted == check.seen) return "0";
  if (check.counted > check.seen) return format_count(check.counted - check.seen) + " not seen";
  return format_count(check.seen - check.counted) + " not counted";
}

bool watched_drops(const ShowView& view) {
  return view.trace && std::ranges::any_of(view.trace->events, [](const TraceEventView& event) {
           return event.event == "skb:kfree_skb";
         });
}

// The counters and the tracepoint may disagree about drops: the tracepoint covers the whole machine.
std::string drops_check(const Screen& screen, const ShowView& view) {
  if (!watched_drops(view)) return {};
  const DropChecks checks = check_drops(view.trace->drops, view.counters->counters);
  std::vector<Cells> rows;
  for (const DropCheck& check : checks.kinds) {
    rows.push_back({{check.reason},
                    {check.counter},
                    {format_count(check.counted)},
                    {format_count(check.seen)},
                    {rest_words(check)}});
  }
  std::string text;
  if (!rows.empty()) {
    text = "\n" + render_table(screen,
                               {{.title = "DROPPED BECAUSE"},
                                {.title = "COUNTER", .shrink_to = kNarrowest},
                                {.title = "COUNTED", .right = true},
                                {.title = "TRACED", .right = true},
                                {.title = "UNEXPLAINED"}},
                               std::move(rows));
  }
  if (checks.seen_uncounted > 0) {
    text += fmt::format("{}{} drops were traced for reasons that none of these counters stands for.\n",
                        text.empty() ? "\n" : "", format_count(checks.seen_uncounted));
  }
  return text;
}

std::string tcp_table(const Screen& screen, const std::vector<TcpSampleView>& samples) {
  constexpr double kMilli = 1e3;
  const auto rate = [](std::uint64_t value) { return format_rate(static_cast<double>(value)); };
  const auto milliseconds = [](std::uint32_t us) {
    return format_milliseconds(static_cast<double>(us) / kMilli);
  };
  std::vector<Cells> rows;
  for (const TcpSampleView& sample : samples) {
    rows.push_back({{fmt::format("{:.2f}", sample.time_s)},
                    {or_dash(sample.local_port, [](std::uint32_t port) { return fmt::format("{}", port); })},
                    {or_dash(sample.snd_cwnd, format_count)},
                    {or_dash(sample.rtt, milliseconds)},
                    {or_dash(sample.rttvar, milliseconds)},
                    {or_dash(sample.retransmits, format_count)},
                    {or_dash(sample.delivery_bits_per_second, rate)},
                    {sample.pacing_bits_per_second ? rate(*sample.pacing_bits_per_second) : ""}});
  }
  if (rows.empty()) return "No TCP connection of its client was seen.\n";
  return render_table(screen,
                      {{.title = "SECONDS", .right = true},
                       {.title = "PORT", .right = true},
                       {.title = "CWND", .right = true},
                       {.title = "RTT", .right = true},
                       {.title = "RTTVAR", .right = true, .leaves = 2},
                       {.title = "RETRANS", .right = true},
                       {.title = "DELIVERED", .right = true},
                       {.title = "PACED", .right = true, .optional = true, .leaves = 1}},
                      std::move(rows));
}

std::string queue_table(const Screen& screen, const std::vector<QueueSampleView>& samples) {
  const auto if_any = [](std::uint64_t count) { return count > 0 ? format_count(count) : std::string{}; };
  std::vector<Cells> rows;
  for (const QueueSampleView& sample : samples) {
    rows.push_back(
        {{fmt::format("{:.2f}", sample.time_s)},
         {sample.device, Style::strong},
         {sample.netns.value_or("")},
         {sample.kind},
         {sample.parent == "root" ? sample.handle : fmt::format("{} in {}", sample.handle, sample.parent)},
         {format_bytes(sample.backlog_bytes)},
         {format_count(sample.backlog_packets)},
         {format_count(sample.sent_packets)},
         {format_count(sample.drops)},
         {if_any(sample.overlimits)},
         {if_any(sample.requeues)}});
  }
  if (rows.empty()) return "Its network devices have no queue that was sampled.\n";
  return render_table(screen,
                      {{.title = "SECONDS", .right = true},
                       {.title = "DEVICE", .shrink_to = kNarrowest / 2},
                       {.title = "NETNS", .shrink_to = kNarrowest / 2, .optional = true, .leaves = 4},
                       {.title = "QUEUE"},
                       {.title = "HANDLE", .leaves = 3},
                       {.title = "BACKLOG", .right = true},
                       {.title = "PACKETS", .right = true},
                       {.title = "SENT", .right = true, .leaves = 5},
                       {.title = "DROPPED", .right = true},
                       {.title = "OVERLIMITS", .right = true, .optional = true, .leaves = 2},
                       {.title = "REQUEUED", .right = true, .optional = true, .leaves = 1}},
                      std::move(rows));
}

}  // namespace

std::string counters_part(const Screen& screen, const ShowView& view) {
  if (!view.list_counters && !view.list_tcp && !view.list_queues) return {};
  if (!view.counters) return "\nNo counters were read around this run.\n";
  const Screen beside = narrower(screen, kIndent);
  std::string text;
  if (view.list_counters) {
    text += "\n" + indented(counters_table(beside, view), kIndent);
    text += indented(drops_check(beside, view), kIndent);
    if (!view.counters->unknown.empty()) text += "\n";
    for (const std::string& clause : view.counters->unknown) {
      text += field(screen, "not known", clause, Style::faint);
    }
  }
  if (view.list_tcp) text += "\n" + indented(tcp_table(beside, view.counters->tcp), kIndent);
  if (view.list_queues) text += "\n" + indented(queue_table(beside, view.counters->queues), kIndent);
  return text;
}

}  // namespace netperfctl::show
