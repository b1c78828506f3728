// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of function_graph text in all their forms, and invalid ones.
#include "daemon/trace/recording/graph_text_line.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/trace/recording/graph_text_support.hpp"

namespace netperfd::trace::test {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string error_of(std::string_view text) {
  const auto file = read(text);
  return file ? "read" : file.error().message;
}

const FunctionStats& stats_of(const FunctionProfile& profile, const std::string& name) {
  const auto found = std::ranges::find(profile.functions, name, &FunctionStats::name);
  if (found == profile.functions.end()) throw std::runtime_error(name + " was not called");
  return *found;
}

std::vector<std::string> codes_of(const ImportedFile& file) {
  std::vector<std::string> codes;
  for (const QualityFlag& flag : file.flags) codes.push_back(flag.code);
  return codes;
}

// ---- Single lines -----------------------------------------------------------------------------------------

TEST(GraphText, of_the_default_columns_makes_calls_of_one_task) {
  const FunctionProfile profile = profile_of(
      "# tracer: function_graph\n"
      "#\n"
      "# CPU  DURATION                  FUNCTION CALLS\n"
      "# |     |   |                     |   |   |   |\n"
      " 0)               |  hsr_dev_xmit [hsr]() {\n"
      " 0)   1.250 us    |    hsr_get_node [hsr]();\n"
      " 0)               |    hsr_forward_skb() {\n"
      " 0)   0.500 us    |      ip_rcv();\n"
      " 0) + 12.000 us   |    }\n"
      " 0) ! 120.004 us  |  }\n");
  const FunctionStats& outer = stats_of(profile, "hsr_dev_xmit");
  EXPECT_EQ(outer.module, "hsr");
  EXPECT_EQ(outer.hits, 1U);
  EXPECT_EQ(outer.total_ns, 120'004U);
  EXPECT_EQ(outer.self_ns, 120'004U - 1'250U - 12'000U);
  EXPECT_EQ(stats_of(profile, "hsr_forward_skb").self_ns, 11'500U);
  EXPECT_EQ(profile.damage, CallDamage{});
  EXPECT_EQ(profile.edges.size(), 3U);
  EXPECT_TRUE(profile.timed);
  EXPECT_FALSE(profile.off_cpu_known);
}

TEST(GraphText, knows_every_mark_before_a_duration_and_long_ones_with_fewer_digits) {
  const FunctionProfile profile = profile_of(
      " 0)   9.999 us    |  a();\n 0) + 10.001 us   |  b();\n 0) ! 100.001 us  |  c();\n"
      " 0) # 1000.001 us |  d();\n 0) * 10000.01 us |  e();\n 0) @ 100000.1 us |  f();\n"
      " 0) $ 1000000 us  |  g();\n");
  EXPECT_EQ(stats_of(profile, "a").total_ns, 9'999U);
  EXPECT_EQ(stats_of(profile, "d").total_ns, 1'000'001U);
  EXPECT_EQ(stats_of(profile, "e").total_ns, 10'000'010U);
  EXPECT_EQ(stats_of(profile, "f").total_ns, 100'000'100U);
  EXPECT_EQ(stats_of(profile, "g").total_ns, 1'000'000'000U);
}

TEST(GraphText, keeps_the_calls_of_tasks_apart_that_follow_one_another_on_a_cpu) {
  const FunctionProfile profile = profile_of(
      " 0)               |  tcp_recvmsg() {\n"
      " ------------------------------------------\n"
      " 0)   iperf3-312   =>   asker-318   \n"
      " ------------------------------------------\n"
      "\n"
      " 0)   2.000 us    |  ip_rcv();\n"
      " ------------------------------------------\n"
      " 0)   asker-318    =>   iperf3-312  \n"
      " ------------------------------------------\n"
      "\n"
      " 0)   1.000 us    |    tcp_rcv_space_adjust();\n"
      " 0) + 30.000 us   |  }\n");
  EXPECT_EQ(stats_of(profile, "tcp_recvmsg").total_ns, 30'000U);
  EXPECT_EQ(stats_of(profile, "tcp_recvmsg").self_ns, 29'000U);
  EXPECT_EQ(stats_of(profile, "ip_rcv").roots, 1U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(GraphText, takes_sleep_off_where_it_has_stamps_and_switches) {
  const FunctionProfile profile = profile_of(
      "    1.000000 |   0)  iperf3-312    |               |  tcp_recvmsg() {\n"
      "    1.000010 |   0)  iperf3-312    |               |  /* sched_switch: prev_comm=iperf3 prev_pid=312 "
      "prev_prio=120 "
      "prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120 */\n"
      "    1.000510 |   0)   <idle>-0     |               |  /* sched_switch: prev_comm=swapper/0 prev_pid=0 "
      "prev_prio=120 "
      "prev_state=R ==> next_comm=iperf3 next_pid=312 next_prio=120 */\n"
      "    1.000530 |   0)  iperf3-312    | ! 530.000 us  |  } /* tcp_recvmsg */\n");
  EXPECT_EQ(stats_of(profile, "tcp_recvmsg").recorded_ns, 530'000U);
  EXPECT_EQ(stats_of(profile, "tcp_recvmsg").total_ns, 30'000U);
  EXPECT_TRUE(profile.off_cpu_known);
}

TEST(GraphText, knows_interrupts_by_arrows_and_by_the_flags_of_the_latency_format) {
  for (const char* text : {" 0)               |  ip_rcv() {\n"
                           " 0)   ==========> |\n"
                           " 0)   2.000 us    |    irq_work();\n"
                           " 0)   <========== |\n"
                           " 0)   9.000 us    |  }\n",
                           " 0)  .....  |               |  ip_rcv() {\n"
                           " 0)  d.h..  |   2.000 us    |    irq_work();\n"
                           " 0)  .....  |   9.000 us    |  }\n"}) {
    const FunctionProfile profile = profile_of(text);
    EXPECT_EQ(stats_of(profile, "irq_work").interrupt_roots, 1U) << text;
    EXPECT_EQ(stats_of(profile, "ip_rcv").total_ns, 7'000U) << text;
    EXPECT_EQ(stats_of(profile, "ip_rcv").interruptions, 1U) << text;
  }
}

TEST(GraphText, without_durations_has_numbers_of_calls_alone) {
  const auto file = read(" 0)  ip_rcv() {\n 0)    tcp_v4_rcv();\n 0)  }\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_FALSE(file->trace->profile->timed);
  EXPECT_EQ(stats_of(*file->trace->profile, "tcp_v4_rcv").hits, 1U);
  EXPECT_EQ(stats_of(*file->trace->profile, "ip_rcv").hits, 1U);
  EXPECT_THAT(file->flags.front().message, HasSubstr("only numbers of calls"));
}

TEST(GraphText, without_a_column_of_cpus_says_so) {
  const auto file = read("   1.250 us    |  ip_rcv();\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(stats_of(*file->trace->profile, "ip_rcv").total_ns, 1'250U);
  EXPECT_THAT(file->flags.front().message, HasSubstr("without the column of CPUs"));
}

TEST(GraphText, reads_arguments_return_values_and_return_addresses) {
  const FunctionProfile profile = profile_of(
      " 0)               |  ip_rcv(skb=0xffff8880056ac500, dev=0x0) { /* <-deliver+0x1/0x2 [hsr] */\n"
      " 0)   1.000 us    |    a [hsr](x=1); /* <-ip_rcv+0x1/0x2 ret=0x0 */\n"
      " 0)   1.000 us    |    b(); /* = 0x0 */\n"
      " 0)   9.000 us    |  } /* ip_rcv ret=0x0 */\n");
  EXPECT_EQ(stats_of(profile, "ip_rcv").callees, 2U);
  EXPECT_EQ(stats_of(profile, "a").module, "hsr");
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(GraphText, reads_the_report_of_trace_cmd_with_and_without_flags) {
  const FunctionProfile profile = profile_of(
      "CPU 1 is empty\n"
      "cpus=2\n"
      "          iperf3-312   [000]    50.868279: funcgraph_entry:                   |  ip_rcv() {\n"
      "   my [1] task-7-313   [001] d..2.    50.868280: funcgraph_entry:        1.000 us   |  other();\n"
      "          iperf3-312   [000] ...1.    50.868281: funcgraph_entry:        2.000 us   |    "
      "tcp_v4_rcv();\n"
      "          iperf3-312   [000]    50.868282: sched_waking:         comm=x pid=7 prio=120 "
      "target_cpu=001\n"
      "          iperf3-312   [000]    50.868289: funcgraph_exit:       + 10.000 us   |  }\n");
  EXPECT_EQ(stats_of(profile, "ip_rcv").self_ns, 8'000U);
  EXPECT_EQ(stats_of(profile, "other").hits, 1U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(GraphText, counts_lost_records_and_events) {
  const auto file = read(
      " 0)   1.000 us    |  ip_rcv();\n"
      "CPU:0 [LOST 42 EVENTS]\n"
      " 0)               |  /* kfree_skb: skbaddr=0 reason: NO_SOCKET */\n"
      "CPU:1 [3 EVENTS DROPPED]\n"
      " 0)               |  /* hello */\n"
      " 1)   1.000 us    |  ip_rcv();\n");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->trace->cpus.size(), 2U);
  EXPECT_EQ(file->trace->cpus[0].lost_events, 42U);
  EXPECT_EQ(file->trace->cpus[1].lost_events, 3U);
  std::map<std::string, std::uint64_t> events;
  for (const EventCount& event : file->trace->events) events[event.name] = event.count;
  EXPECT_EQ(events["kfree_skb"], 1U);
  EXPECT_EQ(events["ftrace:print"], 1U);
  EXPECT_EQ(events["ftrace:funcgraph_entry"], 2U);
}

// ---- Invalid files ----------------------------------------------------------------------------------------

TEST(GraphText, names_the_line_that_is_wrong_and_what_it_should_be) {
  const std::string error = error_of(" 0)   1.000 us    |  ip_rcv();\n\nwhat is this\n 0) 1.0 us | b();\n");
  EXPECT_THAT(error, HasSubstr("line 3 is \"what is this\""));
  EXPECT_THAT(error, HasSubstr("expected is a line of function_graph"));
  EXPECT_THAT(error_of(" 0)   1.000 ms    |  ip_rcv();\n"), HasSubstr("line 1 is"));
  EXPECT_THAT(error_of(" 0)   1.000 us    |  ip_rcv() [\n"), HasSubstr("line 1 is"));
  EXPECT_THAT(error_of("99999)   1.000 us    |  ip_rcv();\n"), HasSubstr("line 1 is"));
  EXPECT_THAT(error_of("# tracer: function_graph\n#\n"), HasSubstr("there is no call in it"));
  EXPECT_THAT(error_of("# tracer: function\n# x\n  a-1 [000] d..1. 1.0: ip_rcv <-deliver\n"),
              HasSubstr("line 1: this is text of the tracer \"function\""));
}

TEST(GraphText, tolerates_a_last_line_that_is_cut_off) {
  const auto file = read(" 0)   1.000 us    |  ip_rcv();\n 0)   1.000 us    |  ip_r");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(codes_of(*file), UnorderedElementsAre("trace-text", "trace-cut-off"));
  EXPECT_EQ(file->trace->profile->functions.size(), 1U);
  const auto whole = read(" 0)   1.000 us    |  ip_rcv();\n 0)   1.000 us    |  b();");
  EXPECT_THAT(codes_of(*whole), UnorderedElementsAre("trace-text"));
}

TEST(GraphText, has_the_flags_of_a_trace_beside_its_own) {
  const auto file = read(" 0)   1.000 us    |  ip_rcv();\n 0)   2.000 us    |  } /* udp_rcv */\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(codes_of(*file), UnorderedElementsAre("trace-text", "calls-unmatched"));
  EXPECT_THAT(file->flags.front().message, HasSubstr("cut off: below 10 ms after 0.001 us"));
}

TEST(GraphText, never_shows_an_address_that_the_kernel_had_no_symbol_for) {
  const FunctionProfile profile = profile_of(" 0)   1.000 us    |  0xffffffffc0123456();\n");
  ASSERT_EQ(profile.functions.size(), 1U);
  EXPECT_EQ(profile.functions.front().name.find("c0123456"), std::string::npos);
}

TEST(GraphText, takes_no_line_of_any_length_and_no_control_characters) {
  EXPECT_THAT(error_of(" 0)   1.000 us    |  " + std::string(100U << 20U, 'x') + "();\n"),
              HasSubstr("line 1 is longer than"));
  EXPECT_THAT(error_of(" 0)   1.000 us    |  a\x1b[2Jb();\n"), HasSubstr("line 1 is"));
  EXPECT_THAT(error_of(std::string(" 0)   1.000 us    |  a\0b();\n", 28)), HasSubstr("line 1 is"));
}

TEST(GraphText, of_calls_that_never_return_stays_within_its_bounds) {
  std::string endless;
  for (std::size_t depth = 0; depth < 10'000 && endless.size() < (1U << 20U); ++depth) {
    endless += " 0)               |  " + std::string(2 * depth, ' ') + "f() {\n";
  }
  EXPECT_THAT(error_of(endless), HasSubstr("line 257 is"));
  std::string flat;
  for (int i = 0; i < 200'000; ++i) flat += " 0)               |  f" + std::to_string(i) + "() {\n";
  const FunctionProfile profile = profile_of(flat);
  EXPECT_EQ(profile.damage.unmatched_entries, 199'999U);
  EXPECT_LE(profile.functions.size(), 20'001U);
}

}  // namespace
}  // namespace netperfd::trace::test
