// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/reading/support.hpp"

#include <sys/mman.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace netperfd::reading::test {

EventLoop make_loop() {
  Result<EventLoop> loop = EventLoop::create();
  if (!loop) throw std::runtime_error(loop.error().message);
  return *std::move(loop);
}

bool turn_until(EventLoop& loop, const std::function<bool()>& fact, std::chrono::milliseconds deadline) {
  bool late = false;
  const auto timer = loop.after(deadline, [&late] { late = true; });
  if (!timer) throw std::runtime_error(timer.error().message);
  while (!fact() && !late) {
    if (sd_event_run(loop.raw(), UINT64_MAX) < 0) throw std::runtime_error("sd_event_run");
  }
  return fact();
}

Fd file_of(std::string_view bytes) {
  Fd file{::memfd_create("file", MFD_CLOEXEC)};
  if (!file || ::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("memfd");
  }
  return file;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string text;
    if (const auto read = read_file(task.path() / "children", 4096)) text = *read;
    for (std::size_t at = 0; at < text.size(); at = text.find(' ', at) + 1) {
      found.push_back(std::stoi(text.substr(at)));
      if (text.find(' ', at) == std::string::npos) break;
    }
  }
  return found;
}

ReaderSettings settings() {
  ReaderSettings settings;
  settings.uid = kNobody;
  settings.gid = kNogroup;
  return settings;
}

namespace {

FunctionStats full_function(const std::string& name, std::uint64_t base) {
  FunctionStats stats;
  stats.name = name;
  stats.module = "hsr";
  stats.duplicate = 2;
  std::uint64_t next = base;
  for (auto* figure :
       {&stats.hits, &stats.callees, &stats.interruptions, &stats.roots, &stats.interrupt_roots}) {
    *figure = ++next;
  }
  for (auto* time : {&stats.total_ns, &stats.self_ns, &stats.recorded_ns, &stats.interrupted_ns,
                     &stats.off_cpu_ns, &stats.min_ns, &stats.max_ns, &stats.p50_ns, &stats.p90_ns}) {
    *time = ++next;
  }
  stats.p99_ns = ++next;
  stats.p999_ns = ++next;
  stats.histogram.buckets = {{3, 7}, {40, 1}};
  stats.corrected_self_ns = base + 100;
  stats.slice_hits = {1, 0, 3};
  stats.slice_self_ns = {base, 0, 9};
  return stats;
}

FunctionProfile full_profile() {
  FunctionProfile profile;
  profile.functions = {full_function("hsr_dev_xmit", 1'000), full_function("hsr_forward_skb", 1ULL << 40U)};
  profile.edges = {{0, 1, 5, 600}};
  profile.tree = {{std::nullopt, 0, true, 5, 700, 100}, {0, 1, false, 5, 600, 600}};
  profile.damage = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  profile.slice_ns = 1'000'000;
  profile.sleep_in_recorded = false;
  profile.off_cpu_known = false;
  profile.depth = 3;
  profile.calibration = Calibration{12.5, 0.25, 10'000, 0.5, 0.75};
  profile.not_calibrated = "not asked for";
  profile.builds = {{"hsr", "6.12.1", "ab12", "C0FFEE"}, {"", "6.12.1", "cd34", ""}};
  return profile;
}

}  // namespace

WorkloadReport full_report() {
  WorkloadReport report;
  report.version = "3.18";
  report.client = Endpoint{"10.0.0.1", 40'000};
  report.server = Endpoint{"10.0.0.2", 5'202};
  report.mss_bytes = 1'448;
  report.congestion = "cubic";
  report.cpu_client_percent = 12.5;
  report.cpu_server_percent = 25.0;
  Totals totals{Direction::receive, 5, 1.5, 2, 3, 4.5, 5.5, 6, 7, 8, 9, 10, 11.5, 12, -13, 14.5, 15};
  report.streams = {totals};
  totals.stream.reset();
  report.sums = {totals};
  report.intervals = {Interval{Direction::receive, 5, false, true, 1.5, 2.5, 1.0, 3, 4.5, 6, 7, 8, 9, 10,
                               11.5, 12, -13, 14.5}};
  return report;
}

TraceRecord full_record() {
  TraceRecord record;
  record.skipped = "a reason";
  record.broken = "another reason";
  record.clock = "mono";
  record.buffer_bytes = 1'441'792;
  record.functions = 73;
  record.missing_functions = {"no_such_function"};
  record.workload_only = true;
  record.slice_width = std::chrono::milliseconds{10};
  record.only_cpus = {1, 3};
  record.cpus = {{0, 1, 2, 3, 4, 5, 6, 7}, {3, 11, 12, 13, 14, 15, 16, 17}};
  record.events = {{"skb:kfree_skb", "reason > 2", 300, {0, 1, 299}}, {"sched:sched_switch", "", 1, {}}};
  record.samples = {{"skb:kfree_skb",
                     2,
                     -5'000,
                     3,
                     -1,
                     "iperf3",
                     {{"signed", std::int64_t{-7}, "minus seven"},
                      {"unsigned", UINT64_MAX, ""},
                      {"text", std::string("Größe"), ""}}}};
  record.stacks = {{"skb:kfree_skb", {"kfree_skb+0x1c", "hsr_xmit+0x2 [hsr]"}, 9}};
  record.stacks_left_out = 4;
  record.drops = {{"NO_SOCKET", "tcp_v4_rcv", 8}};
  record.marks = {{-3, "release", false}, {44, "mine", true}};
  record.profile = full_profile();
  record.recording = std::string("\x17\x08\x44tracing\0\xff", 12);
  record.recording_left_out = 4096;
  return record;
}

}  // namespace netperfd::reading::test
