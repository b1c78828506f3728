// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/event_patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace netperfd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TraceSpec trace_of(std::vector<EventSpec> events) {
  TraceSpec spec;
  spec.events = std::move(events);
  return spec;
}

std::string refusal(const TraceSpec& spec) {
  return events_beyond(spec, network_events());
}

TEST(EventPatterns, a_pattern_has_a_system_and_an_event) {
  for (const char* text : {"tcp:*", "irq:softirq_*", "!tcp:tcp_probe", "*:*", "skb:kfree_skb"})
    EXPECT_TRUE(is_event_pattern(text)) << text;
  for (const char* text : {"", "tcp", ":x", "tcp:", "a:b:c", "tcp:[a-z]*", "tcp: x", "!!a:b", "tcp:?", "!"})
    EXPECT_FALSE(is_event_pattern(text)) << text;
}

TEST(EventPatterns, an_event_fits_unless_a_pattern_takes_it_back) {
  const std::vector<std::string> patterns{"!tcp:tcp_probe", "tcp:*", "irq:softirq_*"};
  EXPECT_TRUE(fits_event(patterns, "tcp:tcp_retransmit_skb"));
  EXPECT_TRUE(fits_event(patterns, "irq:softirq_entry"));
  for (const char* event :
       {"tcp:tcp_probe", "irq:irq_handler_entry", "mptcp:x", "xtcp:a", "sched:sched_switch"})
    EXPECT_FALSE(fits_event(patterns, event)) << event;
  EXPECT_FALSE(fits_event({}, "tcp:x"));
}

TEST(EventPatterns, the_default_shows_no_program_and_no_text_of_the_kernel) {
  for (const char* event :
       {"printk:console", "sched:sched_process_exec", "sched:sched_switch", "raw_syscalls:sys_enter",
        "syscalls:sys_enter_openat", "task:task_rename", "signal:signal_generate", "netlink:netlink_extack",
        "tcp:tcp_probe", "page_pool:page_pool_state_hold", "irq:tasklet_entry", "ftrace:print",
        "oom:mark_victim"})
    EXPECT_FALSE(fits_event(network_events(), event)) << event;
  for (const char* event :
       {"skb:kfree_skb", "tcp:tcp_retransmit_skb", "net:net_dev_xmit", "xdp:xdp_exception",
        "sock:inet_sock_set_state", "qdisc:qdisc_enqueue", "fib6:fib6_table_lookup"})
    EXPECT_TRUE(fits_event(network_events(), event)) << event;
  for (const std::string& pattern : network_events()) EXPECT_TRUE(is_event_pattern(pattern)) << pattern;
}

TEST(AllowedTrace, the_refusal_names_each_event_the_key_and_what_is_allowed) {
  EXPECT_EQ(refusal(trace_of({{"skb:kfree_skb", "", false}})), "");
  EXPECT_THAT(refusal(trace_of({{"printk:console", "", false},
                                {"skb:kfree_skb", "", false},
                                {"sched:sched_process_exec", "", false}})),
              AllOf(HasSubstr("printk:console may show what other users do"),
                    HasSubstr("sched:sched_process_exec may show"), Not(HasSubstr("kfree_skb may")),
                    HasSubstr("trace.events"), HasSubstr("skb:*, sock:*, tcp:*, !tcp:tcp_probe")));
}

TEST(AllowedTrace, a_filter_cannot_ask_for_the_names_of_programs) {
  const auto filtered = [](const char* filter) {
    return refusal(trace_of({{"skb:kfree_skb", filter, false}}));
  };
  EXPECT_THAT(filtered("comm == \"sshd\""), HasSubstr("filter on comm"));
  EXPECT_THAT(filtered("protocol == 8 && !(COMM ~ \"a*\")"), HasSubstr("filter on COMM"));
  EXPECT_THAT(filtered("prev_comm=='x'"), HasSubstr("filter on prev_comm"));
  EXPECT_THAT(filtered("CPU & CPUS{'} || comm == 'x'"), HasSubstr("filter on comm"));
  EXPECT_EQ(filtered("CPU & CPUS{0-1}"), "");
  EXPECT_EQ(filtered("reason > 3 && CPU == 1"), "");
  EXPECT_EQ(filtered("name == \"comm\" || name == 'COMM'"), "") << "a text is no field";
  EXPECT_THAT(filtered("name == \"a || comm == 1"), "") << "a text without its end reaches no kernel";
}

}  // namespace
}  // namespace netperfd
