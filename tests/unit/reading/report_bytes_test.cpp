// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/report_bytes.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "daemon/reading/record_check.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::reading {
namespace {

using testing::HasSubstr;

constexpr std::size_t kIntervals = 100;

ParsedReport whole_report() {
  return {.report = test::full_report(), .flags = {{"too-short", "short"}}, .error = "the server went away"};
}

std::string refusal_of(const ParsedReport& parsed, std::size_t most_intervals = kIntervals) {
  const auto back = report_from_bytes(reading::to_bytes(parsed), most_intervals);
  return back ? "none" : back.error().message;
}

TEST(ReportBytes, come_back_as_the_report_they_were_made_of) {
  const auto back = report_from_bytes(reading::to_bytes(whole_report()), kIntervals);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == whole_report());
}

TEST(ReportBytes, that_are_cut_short_or_too_long_are_refused) {
  const std::string bytes = reading::to_bytes(whole_report());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(report_from_bytes(std::string_view(bytes).substr(0, size), kIntervals)) << size;
  }
  EXPECT_FALSE(report_from_bytes(bytes + '\0', kIntervals));
}

TEST(ReportBytes, with_any_byte_changed_give_a_report_that_may_be_stored_or_none) {
  const std::string bytes = reading::to_bytes(whole_report());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      const auto back = report_from_bytes(damaged, kIntervals);
      EXPECT_TRUE(!back || check_report(*back, kIntervals)) << at << " " << value;
    }
  }
}

TEST(ReportBytes, have_limits_for_every_list) {
  ParsedReport parsed;
  parsed.report.intervals.resize(kIntervals);
  EXPECT_EQ(refusal_of(parsed), "none");
  parsed.report.intervals.resize(kIntervals + 1);
  EXPECT_THAT(refusal_of(parsed), HasSubstr("is damaged or too long"));
  parsed = {};
  parsed.report.streams.resize(kMostStreams + 1);
  EXPECT_THAT(refusal_of(parsed), HasSubstr("is damaged or too long"));
  parsed = {};
  parsed.flags.resize(kMostFlags + 1);
  EXPECT_THAT(refusal_of(parsed), HasSubstr("is damaged or too long"));
}

TEST(ReportBytes, of_the_largest_report_fit_into_the_answer) {
  ParsedReport parsed;
  Interval largest;
  largest.direction = Direction::receive;
  largest.stream = std::numeric_limits<std::int64_t>::min();
  const double figure = -std::numeric_limits<double>::max();
  const auto count = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  largest.start_s = largest.end_s = largest.seconds = figure;
  largest.bits_per_second = largest.jitter_ms = largest.lost_percent = figure;
  largest.bytes = largest.retransmits = largest.snd_cwnd = largest.rtt = largest.rttvar = count;
  largest.pmtu = largest.packets = count;
  largest.lost_packets = std::numeric_limits<std::int64_t>::min();
  constexpr std::size_t kMany = 50'000;
  parsed.report.intervals.assign(kMany, largest);
  const std::string bytes = reading::to_bytes(parsed);
  EXPECT_LE(bytes.size(), most_report_bytes(kMany));
  EXPECT_TRUE(report_from_bytes(bytes, kMany));
}

TEST(ReportBytes, with_texts_and_figures_that_cannot_be_stored_are_refused) {
  ParsedReport parsed;
  parsed.error = "two\nlines";
  EXPECT_THAT(refusal_of(parsed), HasSubstr("not as it must be: error"));
  parsed.error = std::string(kLongestText + 1, 'x');
  EXPECT_THAT(refusal_of(parsed), HasSubstr("not as it must be: error"));
  parsed = {};
  parsed.report.cpu_client_percent = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal_of(parsed), HasSubstr("report.cpu_client_percent"));
  parsed = {};
  parsed.report.intervals.resize(1);
  parsed.report.intervals.front().direction = Direction::both;
  EXPECT_THAT(refusal_of(parsed), HasSubstr("an interval's direction"));
}

TEST(ReportBytes, tell_of_a_missing_server_only_without_a_test) {
  ParsedReport parsed;
  parsed.error = "busy";
  parsed.server = ServerAbsence::busy;
  const auto read = report_from_bytes(reading::to_bytes(parsed), kIntervals);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->server, ServerAbsence::busy);
  parsed.error.clear();
  EXPECT_THAT(refusal_of(parsed), HasSubstr("absent from a test that began"));
  parsed.error = "busy";
  parsed.report.intervals.resize(1);
  EXPECT_THAT(refusal_of(parsed), HasSubstr("absent from a test that began"));
}

TEST(ReportBytes, tell_that_something_is_lacking_only_without_a_test) {
  ParsedReport parsed;
  parsed.error = "no such congestion control";
  parsed.lacks_something = true;
  const auto read = report_from_bytes(reading::to_bytes(parsed), kIntervals);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->lacks_something);
  parsed.error.clear();
  EXPECT_THAT(refusal_of(parsed), HasSubstr("a test that began is said to lack something"));
  parsed.error = "no such congestion control";
  parsed.report.intervals.resize(1);
  EXPECT_THAT(refusal_of(parsed), HasSubstr("a test that began is said to lack something"));
}

TEST(ReportBytes, of_an_order_are_what_a_report_is_judged_by_and_the_output) {
  TestSpec asked;
  asked.path.server = "10.0.0.2";
  asked.iperf3.port = 5202;
  asked.path.bind = "10.0.0.1";
  asked.traffic.protocol = Protocol::udp;
  asked.iperf3.congestion = "bbr";
  asked.traffic.direction = Direction::both;
  asked.traffic.streams = 4;
  asked.traffic.duration = std::chrono::milliseconds{10'000};
  asked.traffic.bytes = 1U << 30U;
  asked.traffic.omit = std::chrono::milliseconds{1'000};
  asked.traffic.interval = std::chrono::milliseconds{500};
  asked.traffic.bitrate = 10'000'000;
  asked.iperf3.length_bytes = 1'448;
  const std::string bytes = reading::to_bytes(asked, "words") + std::string("the output\0\xff", 12);
  const auto order = order_from_bytes(bytes);
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_TRUE(order->asked == asked);
  EXPECT_EQ(order->client_stderr, "words");
  EXPECT_EQ(order->client_stdout, std::string_view("the output\0\xff", 12));
  EXPECT_FALSE(order_from_bytes(std::string_view(bytes).substr(0, 20)));
}

TEST(ReportBytes, hold_as_many_intervals_as_the_test_that_was_asked_for) {
  TestSpec asked;
  asked.traffic.duration = std::chrono::seconds{10};
  EXPECT_EQ(most_intervals(asked), (10U + 2U) * 2U + 1'000U);
  asked.traffic.streams = 4;
  asked.traffic.direction = Direction::both;
  asked.traffic.omit = std::chrono::seconds{2};
  EXPECT_EQ(most_intervals(asked), (12U + 3U) * 2U * 5U + 1'000U);
  asked.traffic.duration = std::chrono::hours{24 * 365};
  EXPECT_EQ(most_intervals(asked), kMostLiveIntervals) << "the output has a limit too";
  asked.traffic.duration.reset();
  asked.traffic.bytes = 1;
  EXPECT_EQ(most_intervals(asked), kMostLiveIntervals) << "nobody knows how long it takes";
}

}  // namespace
}  // namespace netperfd::reading
