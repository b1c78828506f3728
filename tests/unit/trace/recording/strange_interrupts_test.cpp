// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupts of which a text marks only a part.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/unit/trace/recording/strange_text_support.hpp"

namespace netperfd::trace::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

std::string words_about(const std::string& text) {
  const auto file = read(text);
  return file ? file->flags.front().message : file.error().message;
}

TEST(StrangeText, gives_what_is_around_the_arrows_to_the_interrupt) {
  const std::vector<std::string> expected{
      "page_pool_put 1 3000 3000",    "!irq_enter_rcu 1 2000 2000", "!do_interrupt_handler 1 51000 2000",
      "gic_handle_irq 1 49000 49000", "!irq_exit_rcu 1 21000 5000", "do_softirq_own_stack 1 16000 16000"};
  const std::string text = data("arm64-interrupt-exit.txt");
  for (const std::string& each : {text, with_crlf(text)}) {
    EXPECT_THAT(told(each), UnorderedElementsAreArray(expected));
    EXPECT_THAT(codes(each), ElementsAre("trace-text"));
  }
  EXPECT_THAT(words_about(text), HasSubstr("arrows mark only a part of each interrupt"));
}

// An interrupt over a softirq that irq_exit_rcu() runs: its own irq_exit_rcu() runs none.
TEST(StrangeText, gives_them_to_an_interrupt_over_a_softirq) {
  const std::string text =
      " 0)               |  napi_poll() {\n"
      " 0)   1.000 us    |    irq_enter_rcu();\n"
      " 0)               |    irq_exit_rcu() {\n"
      " 0)               |      net_rx() {\n"
      " 0)   1.000 us    |        irq_enter_rcu();\n"
      " 0)               |        do_interrupt_handler() {\n"
      " 0)   ==========> |\n"
      " 0)   4.000 us    |          gic_handle_irq();\n"
      " 0)   <========== |\n"
      " 0)   5.000 us    |        }\n"
      " 0)   2.000 us    |        irq_exit_rcu();\n"
      " 0) + 18.000 us   |      }\n"
      " 0) + 20.000 us   |    }\n"
      " 0) + 31.000 us   |  }\n";
  EXPECT_THAT(told(text),
              UnorderedElementsAre("napi_poll 1 10000 10000", "!irq_enter_rcu 2 2000 2000",
                                   "!irq_exit_rcu 2 14000 4000", "net_rx 1 10000 10000",
                                   "!do_interrupt_handler 1 5000 1000", "gic_handle_irq 1 4000 4000"));
}

// Those of x86 up to 5.7 and of arm64 up to 5.15 hold the entry code too.
TEST(StrangeText, says_nothing_of_arrows_that_mark_all_of_the_interrupt) {
  const std::string text =
      " 0)               |  ip_rcv() {\n"
      " 0)   ==========> |\n"
      " 0)               |    smp_apic_timer_interrupt() {\n"
      " 0)   1.000 us    |      irq_enter();\n"
      " 0)   2.000 us    |      irq_exit();\n"
      " 0)   5.000 us    |    }\n"
      " 0)   <========== |\n"
      " 0)   9.000 us    |  }\n";
  EXPECT_THAT(told(text), Contains("!smp_apic_timer_interrupt 1 5000 2000"));
  EXPECT_THAT(words_about(text), Not(HasSubstr("arrows")));
}

TEST(StrangeText, says_nothing_of_arrows_where_flags_tell_the_context) {
  const std::string text =
      "     1.000001 |   0)  ....1  |               |  ip_rcv() {\n"
      "     1.000002 |   0)  d.h11  |   ==========> |\n"
      "     1.000002 |   0)  d.h11  |   2.000 us    |    gic_handle_irq();\n"
      "     1.000002 |   0)  d.h11  |   <========== |\n"
      "     1.000006 |   0)  ....1  |   5.000 us    |  }\n";
  EXPECT_THAT(told(text), Contains("!gic_handle_irq 1 2000 2000"));
  EXPECT_THAT(words_about(text), Not(HasSubstr("arrows")));
}

// A text without arrows has them as what they look like, and says so.
TEST(StrangeText, leaves_entry_code_alone_without_arrows) {
  const std::string text =
      " 0)               |  ip_rcv() {\n"
      " 0)   2.000 us    |    irq_exit_rcu();\n"
      " 0)   5.000 us    |  }\n";
  EXPECT_THAT(told(text), ElementsAre("ip_rcv 1 5000 3000", "irq_exit_rcu 1 2000 2000"));
  EXPECT_THAT(words_about(text), HasSubstr("calls of interrupts count as those of what they came over"));
}

}  // namespace
}  // namespace netperfd::trace::test
