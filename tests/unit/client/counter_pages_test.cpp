// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of a run, as `show --counters` and `show --tcp` list them.
#include <gmock/gmock.h>

#include <string>

#include "client/pages/drop_check.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/escaped.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ShowView counted() {
  ShowView view = samples::traced();
  view.list_counters = view.list_tcp = true;
  CountersView& counters = view.counters.emplace();
  counters.counters = {
      {"cpu", {}, "busy", 12'345'000'000, "ns"},
      {"cpu", {}, "cpu0 busy", 9'876'000'000, "ns"},
      {"netstat", "left", "TcpExtTCPTimeouts", 0, {}},
      {"netstat", "left", "TcpExtTCPLossProbes", 12, {}},
      {"nic", "left", "wire0-with-quite-a-long-name tx_bytes", 1'234'567'890, "bytes"},
      {"nic", "left", "wire0-with-quite-a-long-name tx_packets", 812'345, {}},
      {"snmp", "left", "TcpRetransSegs", 1'204, {}},
      {"snmp", "right", "UdpRcvbufErrors", 7, {}},
      {"softnet", {}, "dropped", 3, {}},
      {"softnet", {}, "cpu1 dropped", 3, {}},
      {"softirqs", {}, "NET_RX", 34'567, {}},
  };
  counters.tcp = {{0.5, 41'234, 5'201, 10, 85, 40, 0, 1'234'567'890, {}},
                  {0.5, 41'235, 5'201, 12, 90, 41, 1, {}, 2'000'000'000},
                  {1.0, 41'234, 5'201, 320, 1'185, 440, 12, 2'234'567'890, {}}};
  counters.unknown = {"perf: not available here: cycles, instructions (No such file or directory)"};
  return view;
}

TEST(CounterPages, list_counters_and_samples_where_asked) {
  expect_golden("show_counters_80.txt", show_text(samples::terminal(80), counted()));
  expect_golden("show_counters_pipe.txt", show_text(samples::pipe(), counted()));
}

// A queue that fills, and a child of it.
ShowView queued() {
  ShowView view = samples::tcp();
  view.with_page = false;
  view.list_queues = true;
  view.counters.emplace().queues = {
      {0.0, "wire", "left", "tbf", "1:", "root", 0, 0, 0, 0, 0, 0, 0},
      {0.0, "wire", "left", "pfifo", "10:", "1:1", 0, 0, 0, 0, 0, 0, 0},
      {0.5, "wire", "left", "tbf", "1:", "root", 302'800, 200, 6'250'000, 4'128, 17, 8'121, 3},
      {0.5, "wire", "left", "pfifo", "10:", "1:1", 302'800, 200, 6'250'000, 4'128, 17, 0, 0},
      {0.5, "eth0", {}, "fq_codel", "8001:", "root", 1'514, 1, 12'500'000'000, 8'256'275, 0, 0, 0}};
  return view;
}

TEST(CounterPages, of_queues_pass_nothing_on_to_the_terminal) {
  ShowView view = queued();
  for (QueueSampleView& sample : view.counters->queues) sample.device = sample.kind = "\x1b]0;x\x07";
  view.counters = escaped(std::move(*view.counters));
  const std::string text = show_text(samples::terminal(120), view);
  EXPECT_EQ(text.find("\x1b]"), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("\\x1b]0;x"));
}

TEST(CounterPages, list_queues_where_asked) {
  expect_golden("show_queues_80.txt", show_text(samples::terminal(80), queued()));
  expect_golden("show_queues_120.txt", show_text(samples::terminal(120), queued()));
  ShowView none = queued();
  none.counters->queues.clear();
  EXPECT_THAT(show_text(samples::terminal(80), none),
              HasSubstr("Its network devices have no queue that was sampled."));
}

TEST(CounterPages, tell_of_drops_that_were_counted_and_none_of_which_was_traced) {
  ShowView view = counted();
  view.trace->drops.clear();
  EXPECT_THAT(show_text(samples::terminal(120), view), HasSubstr("7 not seen"));
  view.trace->events.clear();
  EXPECT_THAT(show_text(samples::terminal(120), view), Not(HasSubstr("not seen"))) << "nobody watched";
}

TEST(CounterPages, are_not_there_unasked) {
  ShowView view = counted();
  view.list_counters = view.list_tcp = false;
  view.counters.reset();
  EXPECT_EQ(show_text(samples::terminal(80), view), show_text(samples::terminal(80), samples::traced()));
}

TEST(CounterPages, say_where_none_were_read) {
  ShowView view = counted();
  view.counters.reset();
  EXPECT_THAT(show_text(samples::terminal(80), view), HasSubstr("No counters were read around this run."));
  view.counters.emplace();
  const std::string text = show_text(samples::terminal(80), view);
  EXPECT_THAT(text, HasSubstr("No counter could be read."));
  EXPECT_THAT(text, HasSubstr("No TCP connection of its client was seen."));
}

TEST(CounterPages, write_out_what_could_steer_a_terminal) {
  ShowView view = counted();
  view.counters->counters.front().name = "\x1b[2J";
  view.counters->unknown.front() = "\x1b[2J";
  EXPECT_THAT(show_text(samples::terminal(80), view), Not(HasSubstr("\x1b")));
}

TEST(CounterDocuments, have_every_figure) {
  expect_golden("show_counters.json", show_json(counted()));
  ShowView view = counted();
  expect_golden("show_counters.csv", show_csv(view));
  view.list_counters = false;
  expect_golden("show_tcp.csv", show_csv(view));
  expect_golden("show_queues.csv", show_csv(queued()));
  expect_golden("show_queues.json", show_json(queued()));
}

DropView drop(const char* reason, std::uint64_t count) {
  DropView view;
  view.reason = reason;
  view.count = count;
  return view;
}

TEST(DropCheck, sets_what_was_counted_beside_what_was_traced) {
  const auto checks =
      check_drops({drop("SOCKET_RCVBUFF", 9), drop("SOCKET_RCVBUFF", 1), drop("NETFILTER_DROP", 4)},
                  {{"snmp", "left", "UdpRcvbufErrors", 7, {}},
                   {"snmp6", "right", "Udp6RcvbufErrors", 2, {}},
                   {"softnet", {}, "dropped", 3, {}},
                   {"softnet", {}, "cpu0 dropped", 3, {}},
                   {"ethtool", "left", "dropped", 100, {}}});
  ASSERT_EQ(checks.kinds.size(), 2U);
  EXPECT_EQ(checks.kinds[0].reason, "CPU_BACKLOG");
  EXPECT_EQ(checks.kinds[0].counted, 3U) << "neither once more for its CPU nor a driver's";
  EXPECT_EQ(checks.kinds[0].seen, 0U);
  EXPECT_EQ(checks.kinds[1].counter, "UdpRcvbufErrors + Udp6RcvbufErrors");
  EXPECT_EQ(checks.kinds[1].counted, 9U);
  EXPECT_EQ(checks.kinds[1].seen, 10U);
  EXPECT_EQ(checks.seen_uncounted, 4U);
}

TEST(DropCheck, of_nothing_is_empty) {
  const auto checks = check_drops({}, {{"snmp", "left", "UdpRcvbufErrors", 0, {}}});
  EXPECT_THAT(checks.kinds, IsEmpty());
  EXPECT_EQ(checks.seen_uncounted, 0U);
}

}  // namespace
}  // namespace netperfctl
