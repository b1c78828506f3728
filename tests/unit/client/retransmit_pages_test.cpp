// SPDX-License-Identifier: GPL-2.0-or-later
// The three counts of retransmissions on a run's page, and whether they agree.
#include <gmock/gmock.h>

#include <string>

#include "client/pages/render.hpp"
#include "client/pages/retransmits_text.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// iperf3 has 1,234 segments, and 3 in the omitted part.
ShowView resent(std::uint64_t counted, std::uint64_t events) {
  ShowView view = samples::traced();
  view.trace->trace.only_cpus.reset();
  view.trace->events.back().count = events;
  view.counters.emplace().counters = {{"netstat", "ring-a", "TcpExtTCPTimeouts", 2, {}},
                                      {"snmp", "ring-a", "TcpRetransSegs", counted, {}},
                                      {"snmp", "ring-b", "TcpRetransSegs", 0, {}}};
  return view;
}

std::string part(const ShowView& view) {
  return show::retransmits_part(samples::one_line(), view);
}

TEST(RetransmitPages, show_the_three_counts_and_what_each_of_them_covers) {
  expect_golden("show_retransmits_80.txt", show_text(samples::terminal(80), resent(1'241, 93)));
  EXPECT_EQ(
      part(resent(1'241, 93)),
      "\n"
      "  RETRANSMITTED             COUNT  UNIT      COVERS\n"
      "  iperf3                    1,234  segments  its streams after the omitted part\n"
      "  TcpRetransSegs of ring-a  1,241  segments  all connections there\n"
      "  tcp:tcp_retransmit_skb       93  skbs      the whole machine\n"
      "  consistent TcpRetransSegs of ring-a has 7 more than iperf3: 3 in the omitted part, 4 by other "
      "connections or after iperf3's last report.\n"
      "             An skb is a packet handed to the network stack. With GSO it can have several segments, "
      "here 13.3 per event. "
      "Since Linux 6.17, attempts that fail are events too.\n");
}

TEST(RetransmitPages, show_two_counts_if_the_event_was_not_traced) {
  ShowView view = resent(1'234, 0);
  view.trace.reset();
  view.over_time = {};
  view.details.run.omit_s = 0;
  EXPECT_EQ(part(view),
            "\n"
            "  RETRANSMITTED             COUNT  UNIT      COVERS\n"
            "  iperf3                    1,234  segments  its streams\n"
            "  TcpRetransSegs of ring-a  1,234  segments  all connections there\n"
            "  consistent TcpRetransSegs of ring-a equals iperf3's figure.\n");
}

TEST(RetransmitPages, show_nothing_of_a_udp_run_nor_of_one_count_nor_of_zeros) {
  ShowView udp = resent(1'241, 93);
  udp.details.run.protocol = "udp";
  EXPECT_THAT(part(udp), IsEmpty());
  ShowView one = resent(1'241, 93);
  one.counters.reset();
  one.trace.reset();
  EXPECT_THAT(part(one), IsEmpty());
  EXPECT_THAT(part(samples::both()), IsEmpty()) << "iperf3's count alone, of two directions";
  ShowView zeros = resent(0, 0);
  zeros.details.sums.front().retransmits = 0;
  EXPECT_THAT(part(zeros), IsEmpty());
}

TEST(RetransmitPages, say_that_the_kernel_counted_fewer_segments_than_iperf3) {
  expect_golden("show_retransmits_conflict_80.txt",
                show::retransmits_part(samples::terminal(80), resent(1'236, 93)));
  EXPECT_THAT(part(resent(1'237, 93)), HasSubstr("  consistent ")) << "1,234 and 3 in the omitted part";
}

TEST(RetransmitPages, say_that_segments_were_counted_but_the_event_did_not_occur) {
  ShowView view = resent(1'241, 0);
  EXPECT_THAT(
      part(view),
      HasSubstr("  conflict   iperf3 reports 1,234 retransmitted segments, but the event did not occur.\n"));
  view.counters->counters.push_back({"netstat", "ring-a", "TcpExtTCPRetransFail", 1'230, {}});
  view.counters->counters.push_back({"netstat", "ring-b", "TcpExtTCPSynRetrans", 4, {}});
  EXPECT_THAT(part(view), HasSubstr("  consistent ")) << "these count without the event";
  view = resent(1'241, 0);
  view.trace->trace.lost = 1;
  EXPECT_THAT(part(view), AllOf(HasSubstr("skbs      what was not lost"), HasSubstr("  consistent ")));
  view = resent(1'241, 0);
  view.trace->events.back().filter = "sport > 1000";
  EXPECT_THAT(part(view), AllOf(HasSubstr("what the trace was restricted to"), HasSubstr("  consistent ")));
}

TEST(RetransmitPages, give_no_mean_of_events_that_are_a_part) {
  for (const auto& change : {+[](TraceDetails& trace) { trace.trace.lost = 1; },
                             +[](TraceDetails& trace) { trace.trace.broken = "unloaded"; },
                             +[](TraceDetails& trace) { trace.trace.workload_only = true; },
                             +[](TraceDetails& trace) { trace.trace.only_cpus = {{1}}; }}) {
    ShowView view = resent(1'241, 93);
    change(*view.trace);
    EXPECT_THAT(part(view), AllOf(Not(HasSubstr("per event")), HasSubstr("several segments. Since")));
  }
}

TEST(RetransmitPages, explain_more_events_than_segments) {
  EXPECT_THAT(
      part(resent(1'241, 1'242)),
      AllOf(HasSubstr("  consistent "), HasSubstr("explain why there are more events than segments.\n")));
  ShowView uncounted = resent(0, 1'242);
  uncounted.counters.reset();
  EXPECT_THAT(part(uncounted), AllOf(HasSubstr("  note       An skb"), Not(HasSubstr("more events"))));
}

TEST(RetransmitPages, compare_each_direction_with_the_namespace_that_sends) {
  ShowView view = samples::both();
  view.details.sums.back().retransmits = 50;
  view.counters.emplace().counters = {{"snmp", "ring-a", "TcpRetransSegs", 1'237, {}},
                                      {"snmp", "ring-b", "TcpRetransSegs", 60, {}}};
  EXPECT_THAT(part(view),
              AllOf(HasSubstr("iperf3 to the client         50"),
                    HasSubstr("ring-a has 3 more than iperf3, in the omitted part."),
                    HasSubstr("ring-b has 10 more than iperf3, in the omitted part, by other connections")));
  view.details.run.client_netns = view.details.run.server_netns = {};
  view.details.run.documents = {"client.stdout", "server.stdout"};
  view.counters->counters = {{"snmp", {}, "TcpRetransSegs", 1'286, {}}};
  EXPECT_THAT(part(view),
              HasSubstr("iperf3 reports 1,287 retransmitted segments from this host with the omitted"));
}

TEST(RetransmitPages, of_a_server_elsewhere_compare_nothing) {
  ShowView view = resent(2, 3);
  view.details.sums.front().direction = Direction::receive;
  view.details.run.server_netns.reset();
  EXPECT_THAT(part(view),
              AllOf(HasSubstr("  note       The server is on another machine"), Not(HasSubstr("conflict"))));
}

TEST(RetransmitPages, leave_the_documents_as_they_are) {
  ShowView without = resent(1'241, 93);
  without.counters.reset();
  EXPECT_EQ(show_json(resent(1'241, 93)), show_json(without));
}

}  // namespace
}  // namespace netperfctl
