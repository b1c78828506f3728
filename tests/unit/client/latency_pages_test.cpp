// SPDX-License-Identifier: GPL-2.0-or-later
// The latency of a run on its page, in lists and in documents.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "client/pages/latency_text.hpp"
#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;
using testing::Not;

LatencyPhaseView phase(const char* probe, const char* name, double start_s, double end_s, std::uint64_t sent,
                       std::uint64_t lost) {
  LatencyPhaseView row;
  row.probe = probe;
  row.phase = name;
  row.start_s = start_s;
  row.end_s = end_s;
  row.sent = sent;
  row.received = sent - lost;
  row.lost = lost;
  row.jitter_ns = 31'000;
  return row;
}

LatencySpanView span(const char* probe, const char* name, const char* part, std::uint64_t count,
                     std::uint64_t p50, std::optional<std::uint64_t> p99) {
  return {.probe = probe,
          .phase = name,
          .span = part,
          .count = count,
          .min_ns = p50 / 2,
          .mean_ns = p50 + 1'000,
          .max_ns = p50 * 4,
          .p50_ns = p50,
          .p90_ns = p50 * 2,
          .p99_ns = p99,
          .p999_ns = {}};
}

// A run of the shipped kind: idle, load, idle again, and a second probe with a class of its own.
ShowView with_latency() {
  ShowView view = samples::tcp();
  view.details.run.omit_s = 1;
  view.details.run.latency_phase = "load";
  view.details.run.latency_p50_ns = 41'200'000;
  view.details.run.latency_p99_ns = 97'400'000;
  view.details.run.latency_lost_percent = 0.4;
  LatencyDetails& latency = view.latency.emplace();
  latency.probes = {
      {.name = "udp", .protocol = "udp", .rate = 250, .length = 64, .dscp = {}, .timestamps = "kernel"},
      {.name = "voice", .protocol = "udp", .rate = 50, .length = 160, .dscp = 46, .timestamps = "kernel"}};
  latency.phases = {phase("udp", "idle", 0, 2, 500, 0),     phase("udp", "omitted", 2, 3, 250, 0),
                    phase("udp", "load", 3, 13, 2'500, 10), phase("udp", "after", 13, 15, 500, 0),
                    phase("voice", "idle", 0, 2, 100, 0),   phase("voice", "load", 3, 13, 500, 0)};
  latency.phases[2].missed = 3;
  latency.phases[2].reordered = 2;
  latency.phases[2].late = 1;
  latency.spans = {span("udp", "idle", "round-trip", 500, 82'000, {}),
                   span("udp", "idle", "there", 500, 11'000, {}),
                   span("udp", "omitted", "round-trip", 250, 20'000'000, {}),
                   span("udp", "load", "round-trip", 2'490, 41'200'000, 97'400'000),
                   span("udp", "after", "round-trip", 500, 84'000, {}),
                   span("voice", "idle", "round-trip", 100, 83'000, {}),
                   span("voice", "load", "round-trip", 500, 1'210'000, {})};
  for (int second = 0; second < 15; ++second) {
    const bool loaded = second >= 2 && second < 13;
    latency.intervals.push_back({.probe = "udp",
                                 .phase = second < 2   ? "idle"
                                          : second < 3 ? "omitted"
                                          : loaded     ? "load"
                                                       : "after",
                                 .start_s = second + 0.0,
                                 .end_s = second + 1.0,
                                 .sent = 250,
                                 .missed = 0,
                                 .received = 250,
                                 .lost = 0,
                                 .min_ns = 40'000,
                                 .p50_ns = loaded ? 41'000'000 : 82'000,
                                 .p99_ns = {},
                                 .max_ns = loaded ? 99'000'000 : 250'000});
  }
  return view;
}

TEST(LatencyPages, have_the_phases_of_each_probe_and_a_picture_over_time) {
  expect_golden("show_latency_80.txt", show_text(samples::terminal(80), with_latency()));
  expect_golden("show_latency_120.txt", show_text(samples::terminal(120), with_latency()));
  expect_golden("show_latency_pipe.txt", show_text(samples::pipe(), with_latency()));
  expect_golden("show_latency.json", show_json(with_latency()));
}

TEST(LatencyPages, list_spans_and_intervals_where_asked) {
  ShowView view = with_latency();
  view.with_page = false;
  view.list_latency = true;
  expect_golden("show_latency_lists_80.txt", show_text(samples::terminal(80), view));
  expect_golden("show_latency_lists.json", show_json(view));
  expect_golden("show_latency_lists.csv", show_csv(view));
  view.latency.reset();
  EXPECT_THAT(show_text(samples::terminal(80), view), HasSubstr("This run had no probes."));
}

TEST(LatencyPages, begin_with_the_latency_of_a_run_without_iperf3) {
  ShowView view = with_latency();
  view.details.sums.clear();
  view.details.run.workload = "latency";
  view.details.run.latency_phase = "idle";
  EXPECT_THAT(show_text(samples::pipe(), view),
              HasSubstr(": p50 41.2 ms, p99 97.4 ms, 0.4 % lost, finished"));
  view.details.run.latency_p50_ns.reset();
  EXPECT_THAT(show_text(samples::pipe(), view), HasSubstr(": latency not known, finished"));
}

TEST(LatencyPages, draw_the_throughput_where_the_load_was) {
  const std::string page = show_text(samples::terminal(120), with_latency());
  const auto line_of = [&](const std::string& word) {
    const auto at = page.find("\n  " + word);
    return page.substr(at + 1, page.find('\n', at + 1) - at - 1);
  };
  // Three of fifteen seconds are before the counted part, and no interval is known of them.
  EXPECT_THAT(line_of("throughput"), Not(HasSubstr("bit/s  ▁"))) << page;
  EXPECT_THAT(page, HasSubstr("idle |om|load"));
}

QueueSampleView queue_sample(double time_s, const char* device, const char* parent, std::uint64_t bytes) {
  QueueSampleView sample;
  sample.time_s = time_s;
  sample.device = device;
  sample.netns = "left";
  sample.kind = "tbf";
  sample.parent = parent;
  sample.backlog_bytes = bytes;
  return sample;
}

TEST(LatencyPages, draw_the_backlog_of_the_queues_over_the_same_time) {
  ShowView view = with_latency();
  CountersView& counters = view.counters.emplace();
  for (int half = 0; half < 30; ++half) {
    const bool loaded = half >= 4 && half < 26;
    counters.queues.push_back(queue_sample(half / 2.0, "wire", "root", loaded ? 64'000 : 0));
    counters.queues.push_back(queue_sample(half / 2.0, "wire", "1:1", loaded ? 64'000'000 : 0));
  }
  expect_golden("show_latency_queues_80.txt", show_text(samples::terminal(80), view));
  Screen plain = samples::pipe();
  plain.glyphs = false;
  EXPECT_THAT(show_text(plain, view), Not(HasSubstr("backlog")));

  // 15 seconds are 40 cells of 0.375 s.
  counters.queues = {queue_sample(0, "wire", "root", 700), queue_sample(0.1, "wire", "root", 100),
                     queue_sample(3.1, "wire", "root", 350), queue_sample(20, "wire", "root", 9'000),
                     queue_sample(0, "other", "root", 0)};
  const std::string page = show_text(samples::terminal(120), view);
  EXPECT_THAT(page, HasSubstr("700 B  █▂▂▂▂▂▂▂▅\n")) << page;
  EXPECT_THAT(page, HasSubstr("  0 B  ▁\n"));
  counters.queues.clear();
  EXPECT_EQ(show_text(samples::terminal(80), view), show_text(samples::terminal(80), with_latency()));
}

TEST(LatencyPages, are_in_the_list_of_runs) {
  const RunView run = with_latency().details.run;
  const std::string page = runs_text(samples::terminal(120), std::span{&run, 1}, false, false);
  EXPECT_THAT(page, HasSubstr("P50 ms"));
  EXPECT_THAT(page, HasSubstr("97.4"));
}

}  // namespace
}  // namespace netperfctl
