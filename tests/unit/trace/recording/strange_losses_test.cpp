// SPDX-License-Identifier: GPL-2.0-or-later
// Texts that lack records.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/trace/recording/strange_text_support.hpp"

namespace netperfd::trace::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(const std::string& text, const std::string& code) {
  const auto file = read(text);
  if (!file) return file.error().message;
  for (const QualityFlag& flag : file->flags) {
    if (flag.code == code) return flag.message;
  }
  return "no " + code;
}

TEST(StrangeText, does_not_know_how_many_records_were_lost_where_the_kernel_does_not_say) {
  const std::string text = data("lost-number-unknown.txt");
  EXPECT_THAT(told(text), ElementsAre("ip_rcv 2 6000 6000"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text", "events-lost", "losses-uncounted"));
  EXPECT_EQ(message_of(text, "events-lost"),
            "records lost: at least 1 on cpu 1; counts are of what was read");
  EXPECT_THAT(message_of(text, "losses-uncounted"),
              HasSubstr("how many records were lost on cpu 1 is not known"));
  // Beside a number, all of them are unknown.
  const std::string both = text + "CPU:1 [LOST 42 EVENTS]\n 1)   3.000 us    |  ip_rcv();\n";
  EXPECT_THAT(message_of(both, "events-lost"), HasSubstr("at least 43 on cpu 1;"));
}

TEST(StrangeText, tells_the_share_of_lost_records_without_an_exponent) {
  const std::string text = data("nearly-all-lost.txt");
  EXPECT_THAT(told(text), ElementsAre("ip_rcv 2 6000 6000"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text", "events-lost"));
  EXPECT_EQ(message_of(text, "events-lost"),
            "records lost: 5321 of 5325 on cpu 1 (99.9 %); counts are of what was read");
}

}  // namespace
}  // namespace netperfd::trace::test
