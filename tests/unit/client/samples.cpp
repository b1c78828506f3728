// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/client/samples.hpp"

#include "client/rows/interval_points.hpp"

namespace netperfctl::samples {
namespace {

RunView base_run(std::uint64_t number) {
  RunView run;
  run.run = number;
  run.job = 12;
  run.index = static_cast<std::uint32_t>(number - 40);
  run.repeat = 3;
  run.scenario = "hsr-ring";
  run.label = "before";
  run.state = "finished";
  run.owner = 1000;
  run.created_us = kNow - 5 * kMinute;
  run.started_us = kNow - 4 * kMinute;
  run.ended_us = kNow - 3 * kMinute;
  run.protocol = "tcp";
  run.direction = "send";
  run.streams = 4;
  run.duration_s = 10;
  run.omit_s = 1;
  run.server = "10.9.0.2";
  run.client_netns = "ring-a";
  run.server_netns = "ring-b";
  run.flags = 0;
  run.documents = {"client.stdout", "client.stderr"};
  return run;
}

RunView measured_run(std::uint64_t number) {
  RunView run = base_run(number);
  run.iperf3_version = "3.18";
  run.client_host = "10.9.0.1";
  run.server_host = "10.9.0.2";
  run.client_port = 43210;
  run.server_port = 5201;
  run.mss = 1448;
  run.congestion = "cubic";
  run.cpu_client_percent = 97.2;
  run.cpu_server_percent = 41.4;
  run.client_user_s = 0.31;
  run.client_system_s = 4.2;
  return run;
}

SumView tcp_sum(Direction direction, double received) {
  SumView sum;
  sum.direction = direction;
  sum.seconds = 10;
  sum.sent_bytes = 100'500'000;
  sum.received_bytes = 99'500'000;
  sum.sent_bits_per_second = received + 0.8e6;
  sum.received_bits_per_second = received;
  sum.retransmits = 1234;
  sum.max_snd_cwnd = 524'288;
  sum.min_rtt = 85;
  sum.mean_rtt = 1900;
  sum.max_rtt = 3400;
  return sum;
}

// Intervals of one second each; the first is omitted, the last is a meaningless remainder.
std::vector<IntervalView> intervals(Direction direction, bool sender, double scale = 1) {
  std::vector<IntervalView> rows;
  double start = 0;
  for (const double megabits : {12.0, 74.0, 78.1, 81.0, 80.2, 77.4, 80.9, 81.3, 83.2, 80.0, 81.1, 900.0}) {
    IntervalView row;
    row.direction = direction;
    row.sender = sender;
    row.omitted = megabits < 50;
    row.seconds = megabits > 100 ? 0.0005 : 1.0;
    row.start_s = start;
    row.end_s = start + row.seconds;
    row.bits_per_second = megabits * 1e6 * scale;
    row.bytes = static_cast<std::uint64_t>(megabits * 125'000 * scale * row.seconds);
    if (sender) {
      row.retransmits = 3;
      row.snd_cwnd = 262'144;
      row.rtt = 1900;
    }
    start = row.omitted ? 0 : row.end_s;
    rows.push_back(row);
  }
  return rows;
}

JobDetails job() {
  JobDetails details;
  details.job.job = 12;
  details.job.scenario = "hsr-ring";
  details.job.label = "before";
  details.job.owner = 1000;
  details.job.created_us = kNow - 5 * kMinute;
  details.job.repeat = 3;
  details.job.runs = {41, 42, 43};
  details.job.finished = 2;
  details.job.failed = 1;
  details.job.canceled = 0;
  details.job.interrupted = 0;
  SpreadView spread;
  spread.direction = "send";
  spread.runs = 2;
  spread.median = 79.9e6;
  spread.lowest = 79.6e6;
  spread.highest = 80.1e6;
  details.spreads = {spread};
  return details;
}

RunView listed(RunView run, double received) {
  run.received_bits_per_second = received;
  run.sent_bits_per_second = received + 1e5;
  run.retransmits = 12;
  return run;
}

RunView failed_run() {
  RunView run = base_run(42);
  run.state = "failed";
  run.error =
      "the client could not connect to 10.9.0.2 port 5201\n"
      "iperf3: error - unable to connect to server - server may have stopped running or use a different "
      "port: "
      "Connection refused";
  return run;
}

}  // namespace

Screen pipe() {
  return {.width = {}, .colour = false, .glyphs = true, .live = false, .now_us = kNow};
}

Screen one_line() {
  Screen screen = pipe();
  screen.prose = 1000;
  return screen;
}

Screen terminal(std::size_t width) {
  return {.width = width, .colour = false, .glyphs = true, .live = true, .now_us = kNow};
}

std::vector<RunView> runs() {
  RunView pending = base_run(45);
  pending.state = "pending";
  pending.started_us.reset();
  pending.label = "after";
  RunView udp = listed(measured_run(44), 1.2e9);
  udp.scenario = "a-scenario-with-quite-a-long-name";
  udp.label = "\x1b[31mevil\r\n";
  udp.retransmits.reset();
  udp.lost_percent = 2.7;
  udp.flags = 2;
  RunView old = listed(measured_run(7), 24.9e9);
  old.created_us = old.started_us = old.ended_us = kNow - 400ULL * 24 * 60 * kMinute;
  old.retransmits = 0;
  return {pending, udp, listed(measured_run(43), 79.6e6), failed_run(), listed(measured_run(41), 80.1e6),
          old};
}

std::vector<LiveJobView> jobs() {
  LiveJobView running;
  running.job = 12;
  running.scenario = "hsr-ring";
  running.label = "before";
  running.owner = 1000;
  running.runs = {41, 42, 43};
  running.planned_s = 11;
  running.state = "running";
  running.runs_ended = 1;
  running.runs_finished = 1;
  running.current_run = 42;
  running.run_state = "running";
  running.progress = (1 + 0.56) / 3;
  running.queue_position = 0;
  running.expected_end_us = 1'753'000'022'000'000;
  LiveJobView waiting;
  waiting.job = 13;
  waiting.scenario = "veth-udp";
  waiting.owner = 0;
  waiting.runs = {44};
  waiting.state = "pending";
  waiting.runs_ended = 0;
  waiting.runs_finished = 0;
  waiting.run_state = "pending";
  waiting.progress = 0;
  waiting.queue_position = 1;
  return {running, waiting};
}

std::vector<ScenarioView> scenarios() {
  return {{.name = "veth-tcp",
           .description = "TCP between two network namespaces of this host, joined by veth, four streams",
           .file = "/etc/netperfd/scenarios.d/veth-tcp.yaml",
           .error = {}},
          {.name = "broken",
           .description = {},
           .file = "/etc/netperfd/scenarios.d/broken.yaml",
           .error = "broken.yaml:3:5: workload.iperf3.stream: no such key"}};
}

AuditLogView audit_log() {
  const auto entry = [](std::uint64_t number, std::uint64_t before_s, const char* action,
                        const char* outcome) {
    AuditView view;
    view.entry = number;
    view.time_us = view.last_us = kNow - before_s * 1'000'000;
    view.count = 1;
    view.action = action;
    view.outcome = outcome;
    return view;
  };
  AuditView reloaded = entry(104, 60, "reload", "failed");
  reloaded.detail =
      "netperfd.yaml:3:5: limits.user.queue: \"0\" is not a whole number from 1 to 10000, or none";
  AuditView flood = entry(103, 3600, "call", "refused");
  flood.last_us = *flood.time_us + 1'000'000;
  flood.count = 20'000;
  flood.user = 65534;
  flood.detail = "uid 65534 may not stop job 12";
  AuditView removed = entry(102, 7200, "delete", "allowed");
  removed.user = 1001;
  removed.job = 11;
  removed.run = 41;
  AuditView started = entry(101, 90'000, "start", "failed");
  started.user = 1001;
  started.detail = "the queue is full: 64 jobs wait or run already";
  return {.entries = {reloaded, flood, removed, started}, .more = true, .names = {{1001, "alice"}}};
}

ShowView tcp() {
  ShowView view;
  view.details.run = measured_run(43);
  view.details.run.streams = 1;
  view.details.sums = {tcp_sum(Direction::send, 79.6e6)};
  view.job = job();
  view.intervals = intervals(Direction::send, false);
  for (const IntervalView& row : intervals(Direction::send, true)) view.intervals.push_back(row);
  view.over_time = points_of(view.intervals);
  SumView stream = tcp_sum(Direction::send, 79.6e6);
  stream.stream = 5;
  view.streams = {stream};
  return view;
}

ShowView both() {
  ShowView view = tcp();
  view.details.run.direction = "both";
  view.details.run.streams = 4;
  view.details.sums.push_back(tcp_sum(Direction::receive, 1.25e9));
  view.details.flags = {
      {"interval-sum-differs",
       "The intervals of sending add up to 98.1 MB, 1.4 % below the total of iperf3's end, which is "
       "the figure used."}};
  view.intervals = intervals(Direction::send, true);
  for (const IntervalView& row : intervals(Direction::receive, false, 15.6)) view.intervals.push_back(row);
  view.over_time = points_of(view.intervals);
  SpreadView back = view.job->spreads.front();
  back.direction = "receive";
  back.median = 1.25e9;
  back.lowest = 0.98e9;
  back.highest = 1.31e9;
  back.runs = 3;
  back.cv_percent = 12.4;
  view.job->spreads.push_back(back);
  return view;
}

ShowView udp() {
  ShowView view;
  view.details.run = measured_run(44);
  view.details.run.protocol = "udp";
  view.details.run.repeat = 1;
  view.details.run.index = 1;
  view.details.run.congestion.reset();
  SumView sum;
  sum.direction = Direction::send;
  sum.sent_bits_per_second = 100e6;
  sum.received_bits_per_second = 97.3e6;
  sum.jitter_ms = 0.0341;
  sum.packets = 86'330;
  sum.lost_packets = 2331;
  sum.lost_percent = 2.7;
  sum.out_of_order = 4;
  view.details.sums = {sum};
  view.details.flags = {
      {"loss-recomputed", "The server reported no loss; the loss shown is what was sent less what arrived."}};
  view.intervals = intervals(Direction::send, true);
  view.over_time = points_of(view.intervals);
  return view;
}

ShowView failed() {
  ShowView view;
  view.details.run = failed_run();
  view.job = job();
  return view;
}

ShowView unknown() {
  ShowView view;
  view.details.run.run = 46;
  view.details.run.state = "finished";
  view.details.run.protocol = "tcp";
  SumView sum;
  sum.direction = Direction::send;
  view.details.sums = {sum};
  return view;
}

StartView started() {
  StartView view{.job = job(),
                 .runs = {listed(measured_run(41), 80.1e6), failed_run(), listed(measured_run(43), 79.6e6)},
                 .boots = {}};
  return view;
}

}  // namespace netperfctl::samples
