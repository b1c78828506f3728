// SPDX-License-Identifier: GPL-2.0-or-later
// Texts that lack records, or have them twice.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

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

// ---- The same twice ---------------------------------------------------------------------------------------

const std::string kHead = "# tracer: function_graph\n#\n";

TEST(StrangeText, reads_a_trace_once_that_is_there_twice) {
  const std::vector<std::string> once{"ip_rcv 1 3000 2000", "ip_rcv_core 1 1000 1000"};
  const std::string text = data("same-trace-twice.txt");
  EXPECT_EQ(told(text), once);
  EXPECT_THAT(codes(text), ElementsAre("trace-text", "trace-repeated"));
  EXPECT_EQ(told(text + text), once);
  EXPECT_EQ(told(with_crlf(text)), once);
  // The end of the last line is missing, and nothing else.
  EXPECT_EQ(told(text.substr(0, text.size() - 1)), once);
  // A report has another head.
  const std::string report = data("report-ts-diff.txt");
  EXPECT_EQ(told(report + report), once);
  EXPECT_THAT(codes(report + report), ElementsAre("trace-text", "trace-repeated"));
}

TEST(StrangeText, refuses_two_traces_of_the_same_cpu) {
  const std::string first = kHead + " 0)   1.000 us    |  a();\n 1)   1.000 us    |  a();\n";
  const std::string second = kHead + " 1)   1.000 us    |  a();\n";
  EXPECT_THAT(told(first + second),
              ElementsAre(HasSubstr("line 5 begins another trace, which has lines of CPU 1 like the one")));
  // The second reading has more.
  EXPECT_THAT(told(first + first + " 0)   1.000 us    |  b();\n"),
              ElementsAre(HasSubstr("line 5 begins another trace, which has lines of CPU 0")));
  // A prompt between them is not what is wrong.
  EXPECT_THAT(told(first + "root@dut:~# cat trace\n" + second),
              ElementsAre(HasSubstr("line 6 begins another trace")));
}

TEST(StrangeText, refuses_two_traces_of_several_cpus) {
  const auto of_cpus = [](int one, int other) {
    return fmt::format("{0} {1})   1.000 us    |  a();\n {2})   1.000 us    |  a();\n", kHead, one, other);
  };
  const std::string words = "begins another trace, and one of them has lines of several CPUs";
  EXPECT_THAT(told(of_cpus(0, 1) + of_cpus(2, 3)), ElementsAre(HasSubstr("line 5 " + words)));
  EXPECT_THAT(told(of_cpus(0, 1) + of_cpus(2, 2)), ElementsAre(HasSubstr("line 5 " + words)));
  EXPECT_THAT(told(of_cpus(2, 2) + of_cpus(0, 1)), ElementsAre(HasSubstr("line 5 " + words)));
  EXPECT_THAT(told(of_cpus(2, 2) + of_cpus(0, 0)), ElementsAre("a 4 4000 4000"));
}

TEST(StrangeText, does_not_know_of_which_cpus_two_traces_without_their_column_are) {
  const std::string first = kHead + "   1.000 us    |  a();\n", second = kHead + "   2.000 us    |  a();\n";
  EXPECT_THAT(told(first + second),
              ElementsAre(HasSubstr("line 4 begins another trace, and no column tells of which CPU")));
  EXPECT_THAT(codes(first + first), ElementsAre("trace-text", "trace-repeated"));
}

TEST(StrangeText, reads_a_report_once_that_is_there_twice_with_what_it_says_of_its_cpus) {
  const std::string report = "version = 6\nCPU 1 is empty\n" + data("report-ts-diff.txt");
  EXPECT_EQ(told(report + report), told(report));
  EXPECT_THAT(codes(report + report), ElementsAre("trace-text", "trace-repeated"));
  EXPECT_EQ(told("\n# mine\n" + report + report), told(report)) << "a note";
}

TEST(StrangeText, reads_the_traces_of_cpus_once_that_are_there_twice) {
  const std::string busy = kHead + " 1)   1.000 us    |  a();\n",
                    other = kHead + " 3)   2.000 us    |  a();\n";
  for (const std::string& cpus : {busy + kHead, kHead + busy, kHead + busy + kHead + kHead + other + kHead}) {
    EXPECT_EQ(told(cpus + cpus), told(cpus)) << cpus;
    EXPECT_THAT(codes(cpus + cpus + cpus), ElementsAre("trace-text", "trace-repeated"));
  }
  // The head just before the lines is the one that counts.
  EXPECT_THAT(told(busy + kHead + busy + other), ElementsAre(HasSubstr("line 6 begins another trace")));
}

TEST(StrangeText, reads_the_traces_of_several_cpus_in_one_file) {
  const std::string text = kHead + " 0)   1.000 us    |  a();\n" + kHead + kHead +
                           " 2)   3.000 us    |  a();\n" + kHead + " 1)   2.000 us    |  a();\n";
  EXPECT_THAT(told(text), ElementsAre("a 3 6000 6000"));
  EXPECT_THAT(codes(text), ElementsAre("trace-text"));
}

}  // namespace
}  // namespace netperfd::trace::test
