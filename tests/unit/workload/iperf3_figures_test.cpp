// SPDX-License-Identifier: GPL-2.0-or-later
// Checks on the figures of a document: contradicting sums, unknown figures, and the course of the test.
#include <gmock/gmock.h>

#include <cstddef>
#include <string>

#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// ---- Contradicting or unknown figures ---------------------------------------------------------------------

TEST(Iperf3Sums, use_the_end_where_the_intervals_differ) {
  json document = make_document(10);
  document["intervals"][3]["sum"]["bytes"] = 1;
  const ParsedReport parsed = parse(document);
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.report.sums[0].sent_bytes, kTen);
  EXPECT_EQ(
      only_flag(parsed, "sums-disagree"),
      "send: iperf3's end has 10000000 bytes sent, its counted intervals 9000001; the end was used, since "
      "intervals can be lost, repeated or cut by the omitted part");
}

TEST(Iperf3Sums, use_the_intervals_where_the_end_holds_the_omitted_part) {
  json document = make_document(10);
  document["start"]["test_start"]["omit"] = 1;
  document["intervals"].insert(document["intervals"].begin(), interval(0, 1, kIntervalBytes, true));
  for (json* sent : {&document["end"]["sum_sent"], &document["end"]["streams"][0]["sender"]}) {
    (*sent)["bytes"] = 11 * kIntervalBytes;
    (*sent)["bits_per_second"] = 8.8e6;
  }
  const ParsedReport parsed = parse(document, omit(tcp(10)));
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.report.sums[0].sent_bytes, kTen);
  EXPECT_EQ(parsed.report.sums[0].sent_bits_per_second, 8e6);
  EXPECT_EQ(codes(parsed).front(), "sums-disagree");
  EXPECT_THAT(parsed.flags.front().message, HasSubstr("the end holds the omitted part too"));
}

TEST(Iperf3Sums, use_the_streams_where_the_intervals_agree_with_them) {
  json document = make_document(10);
  document["end"]["sum_sent"]["bytes"] = 20 * kIntervalBytes;
  const ParsedReport parsed = parse(document);
  EXPECT_EQ(parsed.report.sums[0].sent_bytes, kTen);
  EXPECT_EQ(parsed.report.sums[0].sent_bits_per_second, 8e6);
  EXPECT_THAT(only_flag(parsed, "sums-disagree"),
              HasSubstr("20000000 bytes sent, its streams together 10000000"));
}

TEST(Iperf3Sums, of_a_far_side_that_never_answered_are_absent) {
  json document = make_document(10);
  document["end"]["cpu_utilization_percent"]["remote_total"] = 0;
  for (const char* key : {"bytes", "bits_per_second"}) {
    document["end"]["sum_received"][key] = 0;
    document["end"]["streams"][0]["receiver"][key] = 0;
  }
  const ParsedReport parsed = parse(document);
  const Totals& sum = parsed.report.sums.at(0);
  EXPECT_FALSE(sum.received_bytes || sum.received_bits_per_second);
  EXPECT_FALSE(parsed.report.streams.at(0).received_bytes);
  EXPECT_FALSE(parsed.report.cpu_server_percent);
  EXPECT_EQ(sum.sent_bytes, kTen);
  only_flag(parsed, "receiver-unknown");
}

TEST(Iperf3Sums, of_a_far_side_that_received_nothing_are_zero) {
  json document = make_document(10);
  document["end"]["sum_received"]["bytes"] = 0;
  document["end"]["streams"][0]["receiver"]["bytes"] = 0;
  EXPECT_EQ(parse(document).report.sums.at(0).received_bytes, 0U) << "its CPU time shows that it answered";
}

TEST(Iperf3Sums, without_retransmits_say_so) {
  json document = make_document(10);
  document["end"]["sum_sent"].erase("retransmits");
  const ParsedReport parsed = parse(document);
  EXPECT_FALSE(parsed.report.sums[0].retransmits);
  only_flag(parsed, "retransmits-unknown");
}

// ---- Course of the test -----------------------------------------------------------------------------------

TEST(Iperf3Intervals, that_moved_nothing_are_stalls) {
  json document = make_document(10);
  for (const std::size_t row : {3U, 4U}) {
    const auto start = static_cast<double>(row);
    document["intervals"][row] = interval(start, start + 1, 0);
    document["intervals"][row + 3] = interval(start + 3, start + 4, 2 * kIntervalBytes);
  }
  EXPECT_EQ(
      only_flag(parse(document), "stalls"),
      "send: the client moved not one byte in 2 of 10 intervals, first in the one from 3.00 s to 4.00 s");
}

TEST(Iperf3Intervals, that_are_missing_leave_a_gap) {
  json document = make_document(10);
  document["intervals"].erase(4);
  const ParsedReport parsed = parse(document);
  EXPECT_EQ(parsed.error, "") << "one of ten is within the tolerance";
  EXPECT_THAT(codes(parsed), testing::IsSupersetOf({"missing-intervals", "run-length", "sums-disagree"}));
  document["intervals"].erase(4);
  EXPECT_THAT(parse(document).error, HasSubstr("its intervals cover 8.00 s"));
}

TEST(Iperf3Intervals, that_are_repeated_count_once) {
  json document = make_document(10);
  document["intervals"].push_back(document["intervals"][9]);
  const ParsedReport parsed = parse(document);
  EXPECT_EQ(parsed.report.intervals.size(), 20U);
  only_flag(parsed, "repeated-intervals");
}

TEST(Iperf3Intervals, of_another_length_than_asked_are_odd) {
  json document = make_document(10);
  document["intervals"][4] = interval(4, 6, 2 * kIntervalBytes);
  document["intervals"].erase(5);
  EXPECT_THAT(only_flag(parse(document), "odd-intervals"), HasSubstr("1 of 9 intervals"));
}

TEST(Iperf3Intervals, that_rise_through_the_test_show_a_trend) {
  json document = make_document(12);
  double rate = 8e6;
  for (json& row : document["intervals"]) {
    row["sum"]["bits_per_second"] = rate;
    rate += 8e5;
  }
  EXPECT_THAT(only_flag(parse(document, tcp(12)), "trend"), HasSubstr("(+70 %)"));
}

TEST(Iperf3Intervals, show_where_less_was_omitted_than_asked) {
  const ParsedReport parsed = parse(make_document(10), omit(tcp(10)));
  EXPECT_THAT(codes(parsed), testing::ElementsAre("not-as-asked", "omit-short"));
}

TEST(Iperf3Intervals, of_a_stream_that_never_moved_a_byte_tell_its_number) {
  json document = make_document(10);
  for (json& row : document["intervals"]) {
    json idle = row["streams"][0];
    idle["socket"] = 7;
    idle["bytes"] = 0;
    row["streams"].push_back(idle);
  }
  EXPECT_EQ(only_flag(parse(document), "idle-streams"), "1 of 2 streams moved not one byte: 7");
}

TEST(WorkloadReport, of_another_test_than_asked_says_what_differs) {
  TestSpec asked = streams(tcp(10), 4);
  EXPECT_EQ(only_flag(parse(make_document(10), asked), "not-as-asked"),
            "the document tells of another test: streams 1 instead of 4");
}

}  // namespace
}  // namespace netperfd::workload::test
