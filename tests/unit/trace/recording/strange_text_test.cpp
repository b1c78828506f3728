// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings as people have them: with other options, other tools around them, and impossible values.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "daemon/trace/recording/trace_dat_record.hpp"
#include "tests/unit/trace/recording/strange_text_support.hpp"
#include "tests/unit/trace/recording/trace_dat_support.hpp"

namespace netperfd::trace::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

// A line of trace-cmd as it stands in the report with each of its options.
const std::vector<std::string> kReceived{"ip_rcv 1 3000 2000", "ip_rcv_core 1 1000 1000"};

// ---- Interrupts at the tracer's own edges -----------------------------------------------------------------

TEST(StrangeText, gives_interrupts_at_the_tracers_edges_to_the_call_that_they_lengthened) {
  for (const std::string& text : {data("interrupt-window.txt"), with_crlf(data("interrupt-window.txt"))}) {
    EXPECT_THAT(told(text), UnorderedElementsAre("!gic_handle_irq 2 200000 196000", "handle_irq 2 4000 4000",
                                                 "napi_poll 1 10000 6000", "tcp_rcv 1 6000 5000",
                                                 "page_pool_get 1 3000 3000", "gro_receive 1 1000 1000",
                                                 "lock 1 1000 1000"));
    EXPECT_THAT(codes(text), ElementsAre("trace-text"));
  }
}

TEST(StrangeText, has_the_same_from_the_binary_records) {
  const std::string file = dat_file("interrupt-before-entry.dat");
  const auto record = record_of_trace_dat(as_bytes(file));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_THAT(told(*record->profile),
              UnorderedElementsAre(HasSubstr("!irq"), "pool 1 3000 3000", "napi 1 10000 7000",
                                   "rcv 1 6000 5000", "lock 1 1000 1000"));
  EXPECT_EQ(record->profile->damage.clipped, 0U);
}

// Nested: the callee has callees of its own, the interrupt is one of two, and another is truly within.
TEST(StrangeText, gives_them_to_a_nested_call_with_calls_of_its_own) {
  const std::string text =
      " 0)               |  net_rx() {\n"
      " 0)               |    napi_poll() {\n"
      " 0)   ==========> |\n"
      " 0) + 20.000 us   |      gic_handle_irq();\n"
      " 0)   <========== |\n"
      " 0)               |      build_skb() {\n"
      " 0)   2.000 us    |        alloc();\n"
      " 0)   ==========> |\n"
      " 0) + 30.000 us   |        gic_handle_irq();\n"
      " 0)   <========== |\n"
      " 0)   1.000 us    |        fill();\n"
      " 0) + 55.000 us   |      }\n"
      " 0) + 60.000 us   |    }\n"
      " 0) + 61.000 us   |  }\n";
  EXPECT_THAT(told(text), UnorderedElementsAre("!gic_handle_irq 2 50000 50000", "build_skb 1 5000 2000",
                                               "alloc 1 2000 2000", "fill 1 1000 1000",
                                               "napi_poll 1 10000 5000", "net_rx 1 11000 1000"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text"));
}

// Without arrows and flags nobody knows that it was an interrupt.
TEST(StrangeText, says_where_a_call_is_shorter_than_what_happened_within_it) {
  std::string text = replaced(data("interrupt-window.txt"), " 0)   rx-100       |   ==========> |\n", "");
  text = replaced(text, " 0)   rx-100       |   <========== |\n", "");
  EXPECT_THAT(codes(text), Contains("times-contradict"));
}

// ---- Flags of the latency format --------------------------------------------------------------------------

TEST(StrangeText, finds_the_context_where_the_legend_says) {
  const std::vector<std::string> expected{"!gic_handle_irq 1 100000 98000", "napi_poll 1 10000 9000",
                                          "handle_irq 1 2000 2000", "gro_receive 1 1000 1000"};
  const std::string text = data("rt-latency-flags.txt");
  EXPECT_EQ(told(text), expected);
  EXPECT_EQ(told(with_crlf(text)), expected);
  // The legend of another kernel, with its flags.
  std::string mainline =
      replaced(text, "#                                     | / _-----=> need-resched-lazy\n", "");
  mainline =
      replaced(mainline, "#                                     |||| / _--=> preempt-lazy-depth\n", "");
  mainline = replaced(replaced(mainline, "d..h1..", "d.h1."), ".......", ".....");
  ASSERT_NE(mainline, text);
  EXPECT_EQ(told(mainline), expected);
  // No legend at all.
  const std::string bare = text.substr(text.find("  100.000001"));
  EXPECT_EQ(told(bare), expected);
  EXPECT_EQ(told(replaced(replaced(bare, "d..h1..", "d.h1"), ".......", "....")), expected);
}

TEST(StrangeText, believes_the_legend_more_than_a_letter) {
  // A column of a later kernel has an "s" before the context.
  const std::string text =
      "#      _-----=> irqs-off\n#     / _----=> something-new\n#    | / _---=> hardirq/softirq\n"
      "#    || / _--=> preempt-depth\n"
      " 0)  .s..  |               |  ip_rcv() {\n"
      " 0)  .sh.  |   2.000 us    |    irq();\n"
      " 0)  .s..  |   9.000 us    |  }\n";
  EXPECT_THAT(told(text), ElementsAre("ip_rcv 1 7000 7000", "!irq 1 2000 2000"));
}

// ---- Options of trace-cmd report --------------------------------------------------------------------------

TEST(StrangeText, reads_the_report_with_each_of_its_options) {
  EXPECT_EQ(told(data("report-depth.txt")), kReceived);
  EXPECT_EQ(told(data("report-ts-diff.txt")), kReceived);
  EXPECT_EQ(told(with_crlf(data("report-ts-diff.txt"))), kReceived);
  EXPECT_EQ(told(replaced(data("report-ts-diff.txt"), "|  }", "|  } /* ip_rcv */ (0)")), kReceived);
  EXPECT_EQ(told(replaced(data("report-depth.txt"), "} (0)", "} (0) /* ip_rcv */")), kReceived);
  EXPECT_EQ(told(replaced(data("report-depth.txt"), "bash-209   [", "bash-209   (  209) [")), kReceived);
  EXPECT_EQ(told(replaced(data("report-depth.txt"), "bash-209   [", "bash-209   (-----) [")), kReceived);
}

TEST(StrangeText, reads_the_flags_of_a_report_without_a_legend) {
  const std::vector<std::string> expected{"ip_rcv 1 7000 5500", "!irq 1 5000 4000", "ip_rcv_core 1 1500 1500",
                                          "eoi 1 1000 1000"};
  const std::string text = data("report-latency-l.txt");
  EXPECT_EQ(told(text), expected);
  EXPECT_EQ(told(replaced(replaced(text, "312      1d", "312    112d"), "312      1.", "312    112.")),
            expected);
  EXPECT_EQ(told(replaced(text, "cpus=2\n", "")), expected);
}

// Two machines have tasks of the same number, and both have an idle task on the same CPU.
TEST(StrangeText, keeps_the_inputs_of_a_report_apart) {
  const std::string text =
      " host.dat: cpus=1\n"
      "guest.dat: cpus=1\n"
      " host.dat:           <idle>-0     [000]    11.000001: funcgraph_entry:                   |  ip_rcv() "
      "{\n"
      "guest.dat:           <idle>-0     [000]    11.000002: funcgraph_entry:                   |  tcp_rcv() "
      "{\n"
      " host.dat:           <idle>-0     [000]    11.000003: funcgraph_entry:        1.000 us   |    "
      "ip_rcv_core();\n"
      "guest.dat:           <idle>-0     [000]    11.000004: funcgraph_entry:        2.000 us   |    "
      "tcp_ack();\n"
      " host.dat:           <idle>-0     [000]    11.000005: funcgraph_exit:         3.000 us   |  }\n"
      "guest.dat:           <idle>-0     [000]    11.000006: funcgraph_exit:         5.000 us   |  }\n";
  EXPECT_THAT(told(text), ElementsAre("tcp_rcv 1 5000 3000", "ip_rcv 1 3000 2000", "tcp_ack 1 2000 2000",
                                      "ip_rcv_core 1 1000 1000"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text"));
}

TEST(StrangeText, counts_calls_of_the_function_tracer_in_a_report) {
  const std::string text =
      "cpus=1\n"
      "            bash-209   [000]    11.275768: function:             ip_rcv <-- deliver_skb\n"
      "            bash-209   [000]    11.275769: function:             ip_rcv <-- deliver_skb\n";
  EXPECT_THAT(told(text), ElementsAre("ip_rcv 2 ? ?"));
}

// ---- Ends of calls alone ----------------------------------------------------------------------------------

TEST(StrangeText, has_totals_of_calls_whose_ends_alone_were_recorded) {
  const std::string text = data("tracing-thresh.txt");
  EXPECT_THAT(told(text), UnorderedElementsAre("napi_poll 2 260000 ?", "__netif_receive_skb_core 1 40000 ?",
                                               "ip_rcv 2 23000 ?"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text", "only-returns"));
  EXPECT_THAT(told(with_crlf(text)), Contains("ip_rcv 2 23000 ?"));
  // A recursion counts once; the next call of the same function does not belong to it.
  EXPECT_THAT(told(" 0) + 12.000 us   |    } /* f */\n 0) + 20.000 us   |  } /* f */\n"
                   " 0) + 30.000 us   |  } /* f */\n"),
              ElementsAre("f 3 50000 ?"));
}

TEST(StrangeText, is_as_ever_if_a_call_has_its_beginning) {
  const std::string text = data("tracing-thresh.txt") + " 0)   1.000 us    |  lock();\n";
  EXPECT_THAT(told(text), ElementsAre("lock 1 1000 1000"));
  EXPECT_THAT(codes(text), Not(Contains("only-returns")));
}

// ---- Marks, omissions, impossible values ------------------------------------------------------------------

TEST(StrangeText, reads_marks_of_several_lines) {
  EXPECT_THAT(told(data("mark-of-two-lines.txt")), ElementsAre("ip_rcv 1 4000 4000"));
  EXPECT_THAT(codes(data("mark-of-two-lines.txt")), ElementsAre("trace-text"));
  const std::string three =
      replaced(data("mark-of-two-lines.txt"), "second line", "second\n\n# third } line");
  EXPECT_THAT(told(three), ElementsAre("ip_rcv 1 4000 4000"));
  EXPECT_THAT(told(with_crlf(three)), ElementsAre("ip_rcv 1 4000 4000"));
  // The end of the mark is missing: no call is swallowed.
  EXPECT_THAT(
      told(" 0)               |  /* phase one\n 0)   1.000 us    |  a();\n 0)   2.000 us    |  } /* b */\n"),
      Contains("a 1 1000 1000"));
  // In a report nothing ends it.
  EXPECT_THAT(told(replaced(data("report-ts-diff.txt"), "cpus=1\n",
                            "cpus=1\n bash-209 [000] 11.2: print: tracing_mark_write: one\ntwo\nthree\n")),
              ElementsAre(kReceived[0], kReceived[1]));
}

TEST(StrangeText, says_where_somebody_left_lines_out) {
  for (const char* sign : {"[...]", " ...", "[ ... ]", "[snip]", "\xe2\x80\xa6"}) {
    const std::string text = " 0)               |  ip_rcv() {\n" + std::string(sign) +
                             "\n 0)   1.000 us    |    ip_rcv_core();\n 0)   3.000 us    |  }\n";
    EXPECT_THAT(told(text), ElementsAre(kReceived[0], kReceived[1])) << sign;
    EXPECT_THAT(codes(text), ElementsAre("trace-text", "lines-left-out", "calls-unmatched"));
  }
}

TEST(StrangeText, knows_no_time_of_a_call_whose_duration_cannot_be) {
  const std::string text = data("duration-wrapped.txt");
  EXPECT_THAT(told(text), UnorderedElementsAre("ip_rcv 1 4000 4000", "nf_hook_slow 1 ? ?"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text", "call-times-unknown"));
  for (const char* duration : {"18446744073709551615", "99999999999999999999999999", "9000000000000"}) {
    EXPECT_THAT(told(replaced(text, "18446744073709551", duration)), Contains("nf_hook_slow 1 ? ?"))
        << duration;
  }
  // One of several calls, and one that is not a leaf.
  const std::string more = replaced(text, " 0)   4.000 us    |  }",
                                    " 0)   1.000 us    |    nf_hook_slow();\n 0)               |    b() {\n"
                                    " 0)   1.000 us    |      c();\n 0) $ 18446744073709551 us |    }\n"
                                    " 0)   4.000 us    |  }");
  EXPECT_THAT(told(more), UnorderedElementsAre("ip_rcv 1 4000 2000", "nf_hook_slow 2 1000 1000", "b 1 ? ?",
                                               "c 1 1000 1000"));
}

TEST(StrangeText, takes_a_stamp_that_cannot_be_for_none) {
  const std::string text =
      "    1.000001 |   0)  a-1    |               |  ip_rcv() {\n"
      "18446744073709.551000 |   0)  a-1    |   1.000 us    |    ip_rcv_core();\n"
      "    1.000004 |   0)  a-1    |   3.000 us    |  }\n";
  EXPECT_EQ(told(text), kReceived);
}

// ---- What people have around a trace ----------------------------------------------------------------------

TEST(StrangeText, ignores_lines_before_the_first_and_after_the_last_of_the_trace) {
  for (const char* name : {"perf-tools-funcgraph.txt", "shell-prompt.txt"}) {
    EXPECT_EQ(told(data(name)), kReceived) << name;
    EXPECT_EQ(told(with_crlf(data(name))), kReceived) << name;
    EXPECT_THAT(codes(data(name)), ElementsAre("trace-text", "text-around-trace")) << name;
  }
  // As perf ftrace -v tells what it does.
  EXPECT_EQ(told("function_graph tracer is used\nmmap size 528384B\n" +
                 data("shell-prompt.txt").substr(data("shell-prompt.txt").find("# tracer"))),
            kReceived);
  EXPECT_THAT(told(" 0)   1.000 us    |  a();\nroot@dut:~# \n 0)   1.000 us    |  b();\n"),
              ElementsAre(HasSubstr("line 2 is \"root@dut:~# \", which cannot be read")));
}

TEST(StrangeText, has_the_events_of_a_text_without_calls) {
  for (const std::string& text : {data("report-events-only.txt"), with_crlf(data("report-events-only.txt")),
                                  replaced(data("report-events-only.txt"), "cpus=2", "# tracer: nop\n#"),
                                  replaced(data("report-events-only.txt"), "[001] ", "[001] ..s1. ")}) {
    const auto file = read(text);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_FALSE(file->trace->profile);
    ASSERT_EQ(file->trace->events.size(), 1U);
    EXPECT_EQ(file->trace->events[0].name, "napi_poll");
    EXPECT_EQ(file->trace->events[0].count, 2U);
    EXPECT_THAT(file->flags.front().message, HasSubstr("no call of a function"));
  }
}

TEST(StrangeText, reads_the_calls_of_a_latency_tracer) {
  EXPECT_THAT(
      told(data("irqsoff-display-graph.txt")),
      UnorderedElementsAre("set_track 1 3000 1893", "save 1 1107 1107", "_raw_spin_lock_irqsave 1 0 0"));
  EXPECT_THAT(told("# tracer: irqsoff\n#\n  bash-1507  0d...    0us : trace_hardirqs_off\n"),
              ElementsAre(HasSubstr("line 1: this is text of the tracer \"irqsoff\"")));
}

// ---- 32 bits ----------------------------------------------------------------------------------------------

TEST(StrangeRecording, of_a_machine_of_32_bits_is_read) {
  const std::string file = dat_file("v6-32bit.dat");
  const auto record = record_of_trace_dat(as_bytes(file));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_THAT(told(*record->profile), UnorderedElementsAre("ip_rcv 1 7000 5000", "ip_rcv_core 1 2000 2000",
                                                           "tcp_v4_rcv 1 5000 5000"));
  EXPECT_EQ(record->profile->damage, CallDamage{});
}

}  // namespace
}  // namespace netperfd::trace::test
