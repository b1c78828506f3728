// SPDX-License-Identifier: GPL-2.0-or-later
// Documents whose figures cannot be, or contradict each other: what is still known of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

json foreign(const std::string& name) {
  std::ifstream file(std::string(NETPERFD_TEST_DATA) + "/iperf3/foreign/" + name);
  return json::parse(file);
}

ImportedWorkload read(const json& document) {
  const std::string bytes = document.dump(1, '\t');
  auto file = read_iperf3_file(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(file) << file.error().message;
  return file ? std::move(*file->workload) : ImportedWorkload{};
}

std::vector<std::string> codes_of(const ImportedWorkload& workload) {
  std::vector<std::string> codes;
  for (const QualityFlag& flag : workload.flags) codes.push_back(flag.code);
  return codes;
}

std::string messages_of(const ImportedWorkload& workload) {
  std::string text;
  for (const QualityFlag& flag : workload.flags) text += flag.code + ": " + flag.message + "\n";
  return text;
}

const Totals& sum_of(const ImportedWorkload& workload) {
  static const Totals none;
  EXPECT_EQ(workload.report.sums.size(), 1U);
  return workload.report.sums.empty() ? none : workload.report.sums.front();
}

// The final sums and the streams at the end of a document.
std::vector<json*> ends_of(json& document, bool with_streams) {
  std::vector<json*> ends;
  for (auto& [key, value] : document["end"].items()) {
    if (key.starts_with("sum")) ends.push_back(&value);
  }
  if (!with_streams) return ends;
  for (json& stream : document["end"]["streams"]) {
    for (json& side : stream) ends.push_back(&side);
  }
  return ends;
}

// ---- Counts that cannot be
// ----------------------------------------------------------------------------------

TEST(Iperf3Counts, of_lost_datagrams_below_0_are_not_taken) {
  for (const std::int64_t lost : {-3L, -1L, -1'000'000L, 4'294'967'293L, 9'000'000'000'000'000'000L}) {
    json document = foreign("udp-lost-minus-3.json");
    for (json* end : ends_of(document, true)) (*end)["lost_packets"] = lost;
    const ImportedWorkload workload = read(document);
    EXPECT_EQ(sum_of(workload).lost_packets, 0) << "of 1,035 sent 1,035 arrived";
    EXPECT_EQ(sum_of(workload).lost_percent, 0);
    EXPECT_FALSE(workload.report.streams.at(0).lost_packets) << lost;
    EXPECT_THAT(codes_of(workload), Contains("impossible-figures")) << lost;
    EXPECT_THAT(messages_of(workload), HasSubstr(fmt::format("the receiver reports {} lost", lost)));
    for (const Interval& interval : workload.report.intervals)
      EXPECT_GE(interval.lost_packets.value_or(0), 0);
  }
}

// What arrived is not told by this iperf3, only computed from what was lost.
TEST(Iperf3Counts, of_lost_datagrams_below_0_leave_what_arrived_unknown) {
  json document = foreign("udp-lost-minus-3.json");
  document["start"]["test_start"]["reverse"] = 0;
  const ImportedWorkload workload = read(document);
  EXPECT_FALSE(sum_of(workload).lost_packets);
  EXPECT_FALSE(sum_of(workload).lost_percent);
  EXPECT_EQ(sum_of(workload).sent_bytes, 1'500'000U);
  EXPECT_FALSE(sum_of(workload).received_bytes);
  EXPECT_THAT(codes_of(workload), Contains("impossible-figures"));
}

TEST(Iperf3Counts, of_retransmits_that_wrapped_are_unknown_and_not_0) {
  for (const json& wrapped : {json(4'294'967'294U), json(18'446'744'073'709'551'614U), json(-2)}) {
    json document = make_document(5);
    document["intervals"][2]["sum"]["retransmits"] = wrapped;
    for (json* end : {&document["end"]["sum_sent"], &document["end"]["streams"][0]["sender"]})
      (*end)["retransmits"] = wrapped;
    const ImportedWorkload workload = read(document);
    EXPECT_FALSE(sum_of(workload).retransmits) << wrapped;
    EXPECT_FALSE(workload.report.streams.at(0).retransmits) << wrapped;
    EXPECT_THAT(codes_of(workload), Contains(testing::AnyOf("impossible-figures", "unreadable-values")));
  }
}

// A sum over streams would otherwise be a small number.
TEST(Iperf3Counts, that_wrapped_in_streams_do_not_wrap_their_sum_again) {
  json document = make_document(5);
  for (json& interval : document["intervals"]) {
    interval.erase("sum");
    json second = interval["streams"][0];
    second["socket"] = 7;
    interval["streams"][0]["retransmits"] = 18'446'744'073'709'551'615U;
    second["lost_packets"] = interval["streams"][0]["lost_packets"] =
        std::numeric_limits<std::int64_t>::max();
    interval["streams"].push_back(second);
  }
  const ImportedWorkload workload = read(document);
  for (const Interval& interval : workload.report.intervals) {
    if (!interval.stream) EXPECT_FALSE(interval.retransmits);
  }
  EXPECT_THAT(codes_of(workload), Contains("impossible-figures"));
}

TEST(Iperf3Counts, of_an_impossible_jitter_have_a_flag) {
  for (const double jitter : {-0.5, 6'500.0, 62'985.7, 4'294'967'295.0, 1e300}) {
    json document = foreign("udp-lost-minus-3.json");
    for (json* end : ends_of(document, true)) {
      (*end)["lost_packets"] = 0;
      (*end)["jitter_ms"] = jitter;
    }
    const ImportedWorkload workload = read(document);
    EXPECT_FALSE(sum_of(workload).jitter_ms) << jitter;
    EXPECT_THAT(codes_of(workload), Contains("impossible-figures")) << jitter;
  }
}

TEST(Iperf3Counts, that_are_impossible_are_told_in_one_plain_sentence) {
  json document = make_document(5);
  document["intervals"][2]["sum"]["retransmits"] = 4'294'967'294U;
  EXPECT_THAT(messages_of(read(document)),
              HasSubstr("impossible-figures: one figure of iperf3 is impossible and counts as unknown: "
                        "4294967294 retransmits in an interval"));
  document["intervals"][3]["sum"]["retransmits"] = 4'294'967'290U;
  EXPECT_THAT(
      messages_of(read(document)),
      HasSubstr("2 figures of iperf3 are impossible and count as unknown; the first one: 4294967294"));
}

// ---- A server's documents
// -----------------------------------------------------------------------------------

TEST(Iperf3ServerCounts, of_old_udp_are_those_of_the_receiver_whether_or_not_the_clients_cpu_is_known) {
  for (const double cpu : {0.0, 1.0}) {
    json document = foreign("udp-server-sum-of-0-bytes.json");
    document["end"]["cpu_utilization_percent"]["remote_total"] = cpu;
    const ImportedWorkload workload = read(document);
    const Totals& sum = sum_of(workload);
    EXPECT_EQ(sum.direction, Direction::send);
    EXPECT_EQ(sum.lost_packets, 1'640);
    EXPECT_NEAR(sum.lost_percent.value_or(0), 76.0, 0.1);
    EXPECT_EQ(sum.received_bytes, 750'000U);
    EXPECT_EQ(sum.received_bits_per_second, 1'200'000);
    EXPECT_EQ(sum.seconds, 5);
    EXPECT_FALSE(sum.sent_bytes || sum.packets);
    EXPECT_EQ(workload.report.streams.at(0).lost_packets, 1'640);
    EXPECT_FALSE(workload.report.streams.at(0).sent_bytes);
    EXPECT_THAT(codes_of(workload), ElementsAre("server-document", "sender-unknown"));
  }
}

// What its client counted is 0 in it, though the client's CPU is known.
TEST(Iperf3ServerCounts, of_both_directions_are_its_own_whether_or_not_the_clients_cpu_is_known) {
  for (const char* name : {"of-server/3.12/udp-both", "of-server/3.18/udp-both", "of-server/3.22/tcp-both"}) {
    json document = json::parse(recorded(name));
    document["end"]["cpu_utilization_percent"]["remote_total"] = 3.5;
    const ImportedWorkload workload = read(document);
    ASSERT_EQ(workload.report.sums.size(), 2U);
    const json& end = document["end"];
    for (const Totals& sum : workload.report.sums) {
      const bool sends = sum.direction == Direction::send;  // the client
      EXPECT_EQ(sum.sent_bytes.has_value(), !sends) << name;
      EXPECT_EQ(sum.received_bytes.has_value(), sends) << name;
      EXPECT_FALSE(sends && sum.retransmits) << name;
      EXPECT_EQ(sum.sent_bytes.value_or(0) + sum.received_bytes.value_or(0),
                end[sends ? "sum_received" : "sum_sent_bidir_reverse"]["bytes"])
          << name;
    }
    EXPECT_THAT(codes_of(workload), Not(Contains("impossible-figures"))) << name;
  }
}

// ---- Times
// --------------------------------------------------------------------------------------------------

TEST(Iperf3Times, that_intervals_and_request_contradict_are_theirs) {
  for (const double seconds : {3'606.0, 12.0, 1.0, 18'446'744.07, -1.0, 4'294'967'295.0}) {
    for (const bool with_streams : {false, true}) {
      json document = foreign("end-seconds-3606.json");
      for (json* end : ends_of(document, with_streams)) {
        (*end)["seconds"] = (*end)["end"] = seconds;
        (*end)["bits_per_second"] = 8 * 75e6 / seconds;
      }
      const ImportedWorkload workload = read(document);
      const Totals& sum = sum_of(workload);
      EXPECT_EQ(sum.seconds, 6) << seconds;
      EXPECT_EQ(sum.sent_bits_per_second, 1e8) << seconds;
      EXPECT_EQ(sum.received_bits_per_second, 1e8) << seconds;
      EXPECT_EQ(workload.report.streams.at(0).received_bits_per_second, 1e8) << seconds;
      EXPECT_THAT(codes_of(workload), ElementsAre("sums-disagree")) << seconds;
      EXPECT_THAT(messages_of(workload), HasSubstr("6 s was used, which two of them support"));
    }
  }
}

TEST(Iperf3Times, that_nothing_supports_are_unknown) {
  json document = foreign("end-seconds-3606.json");
  document["intervals"] = json::array();
  for (json* end : ends_of(document, true)) (*end)["seconds"] = 3'606;
  const ImportedWorkload workload = read(document);
  EXPECT_FALSE(sum_of(workload).seconds || sum_of(workload).received_bits_per_second);
  EXPECT_EQ(sum_of(workload).received_bytes, 75'000'000U);
  EXPECT_THAT(messages_of(workload), HasSubstr("time and rate are not known"));
  EXPECT_THAT(codes_of(workload), Not(Contains("too-short")));
}

TEST(Iperf3Times, of_the_far_side_that_are_0_leave_its_rate_unknown) {
  for (const bool with_streams : {false, true}) {
    json document = foreign("received-seconds-0.json");
    if (with_streams) {
      document["end"]["streams"][0]["receiver"]["seconds"] = 0;
      document["end"]["streams"][0]["receiver"]["bits_per_second"] = 0;
    }
    const ImportedWorkload workload = read(document);
    const Totals& sum = sum_of(workload);
    EXPECT_FALSE(sum.received_bits_per_second);
    EXPECT_EQ(sum.received_bytes, 75'000'000U);
    EXPECT_EQ(sum.sent_bits_per_second, 1e8);
    EXPECT_EQ(sum.seconds, 6);
    EXPECT_EQ(workload.report.streams.at(0).received_bits_per_second.has_value(), !with_streams);
    EXPECT_THAT(codes_of(workload), ElementsAre("sums-disagree"));
  }
}

TEST(Iperf3Times, of_a_receiver_that_empties_its_queue_for_a_while_are_its_own) {
  json document = foreign("end-seconds-3606.json");
  for (json* end : ends_of(document, false)) {
    (*end)["seconds"] = 6.0;
    (*end)["bits_per_second"] = 1e8;
  }
  document["end"]["sum_received"]["seconds"] = 8.0;
  document["end"]["sum_received"]["bits_per_second"] = 7.5e7;
  const ImportedWorkload workload = read(document);
  EXPECT_EQ(sum_of(workload).received_bits_per_second, 7.5e7);
  EXPECT_THAT(codes_of(workload), ElementsAre());
}

// 213 days are what a wrapped count of 64 bits makes; an hour is a clock that was set.
TEST(Iperf3Times, of_an_interval_that_cannot_be_are_mended_from_its_others) {
  struct Wrong {
    const char* key;
    double value;
  };
  for (const std::size_t row : {0U, 2U, 4U}) {
    for (const Wrong& wrong : {Wrong{"seconds", 18'446'744.07}, Wrong{"end", 18'446'744.07}, Wrong{"end", 50},
                               Wrong{"start", 4'294'967.3}, Wrong{"start", -1}, Wrong{"seconds", 0}}) {
      json document = make_document(5);
      document["intervals"][row]["sum"][wrong.key] = wrong.value;
      document["intervals"][row]["streams"][0][wrong.key] = wrong.value;
      const ImportedWorkload workload = read(document);
      EXPECT_THAT(codes_of(workload), ElementsAre("impossible-figures")) << wrong.key << wrong.value;
      ASSERT_EQ(workload.report.intervals.size(), 10U);
      for (std::size_t i = 0; i < 5; ++i) {
        const Interval& interval = workload.report.intervals[2 * i + 1];
        EXPECT_DOUBLE_EQ(interval.start_s, static_cast<double>(i)) << wrong.key << wrong.value;
        EXPECT_DOUBLE_EQ(interval.end_s, static_cast<double>(i) + 1) << wrong.key << wrong.value;
        EXPECT_DOUBLE_EQ(interval.seconds, 1) << wrong.key << wrong.value;
        EXPECT_EQ(interval.bits_per_second, 8e6);
      }
    }
  }
}

TEST(Iperf3Times, behind_a_clock_that_was_set_begin_anew_and_the_rate_then_is_unknown) {
  json document = make_document(5);
  for (std::size_t row = 2; row < 5; ++row) {
    for (json* figures : {&document["intervals"][row]["sum"], &document["intervals"][row]["streams"][0]}) {
      if (row > 2) (*figures)["start"] = (*figures)["start"].get<double>() + 3'600;
      (*figures)["end"] = (*figures)["end"].get<double>() + 3'600;
      if (row == 2) (*figures)["seconds"] = 3'601;
    }
  }
  for (json* end : ends_of(document, true)) {
    (*end)["seconds"] = 3'605;
    (*end)["bits_per_second"] = 8 * 5e6 / 3'605;
  }
  const ImportedWorkload workload = read(document);
  EXPECT_EQ(sum_of(workload).seconds, 5);
  EXPECT_EQ(sum_of(workload).received_bits_per_second, 8e6);
  EXPECT_FALSE(workload.report.intervals[5].bits_per_second);
  EXPECT_DOUBLE_EQ(workload.report.intervals[9].end_s, 5);
}

// ---- Bytes and rates
// ----------------------------------------------------------------------------------------

TEST(Iperf3Rates, that_bytes_and_time_contradict_are_computed_and_flagged) {
  for (const double rate : {0.0, 8e3, 1e24, -8e6}) {
    json document = make_document(5);
    document["end"]["sum_received"]["bits_per_second"] = rate;
    const ImportedWorkload workload = read(document);
    EXPECT_EQ(sum_of(workload).received_bits_per_second, 8e6) << rate;
    EXPECT_THAT(codes_of(workload), ElementsAre("sums-disagree")) << rate;
  }
}

TEST(Iperf3Bytes, that_rate_and_streams_contradict_are_theirs) {
  for (const std::uint64_t bytes : {500'000'000U, 50'000U, 4'294'967'295U}) {
    json document = make_document(5);
    document["end"]["sum_received"]["bytes"] = bytes;
    const ImportedWorkload workload = read(document);
    EXPECT_EQ(sum_of(workload).received_bytes, 5'000'000U) << bytes;
    EXPECT_EQ(sum_of(workload).received_bits_per_second, 8e6);
    EXPECT_THAT(codes_of(workload), ElementsAre("sums-disagree")) << bytes;
  }
}

TEST(Iperf3Bytes, that_rate_and_intervals_contradict_are_theirs) {
  json document = make_document(5);
  document["end"]["sum_sent"]["bytes"] = 9'000'000;
  document["end"]["sum_received"]["bytes"] = 8'900'000;
  document["end"]["sum_received"]["bits_per_second"] = 8 * 8.9e6 / 5;
  document["end"]["streams"] = json::array();
  const ImportedWorkload workload = read(document);
  EXPECT_EQ(sum_of(workload).sent_bytes, 5'000'000U);
  EXPECT_THAT(messages_of(workload), HasSubstr("the rate of the end agrees with the intervals"));
}

// ---- What was asked
// -----------------------------------------------------------------------------------------

TEST(Iperf3AskedInterval, is_what_the_document_tells_and_else_the_median) {
  json document = foreign("first-interval-tells-2-seconds.json");
  ImportedWorkload workload = read(document);
  EXPECT_EQ(workload.asked.traffic.interval, std::chrono::milliseconds{1'000});
  EXPECT_THAT(messages_of(workload), HasSubstr("1 of 10 intervals"));
  EXPECT_THAT(messages_of(workload), HasSubstr("1.00 s were asked"));
  document["start"]["test_start"]["interval"] = 0.5;
  EXPECT_EQ(read(document).asked.traffic.interval, std::chrono::milliseconds{500});
  document = make_document(2);
  document["intervals"].push_back(interval(2, 2.05, 50'000));
  EXPECT_EQ(read(document).asked.traffic.interval, std::chrono::milliseconds{1'000})
      << "the last one is short";
}

TEST(Iperf3SystemInfo, may_end_in_a_newline) {
  json document = foreign("system-info-newline.json");
  for (const char* end : {"\n", "\r\n", " \n", ""}) {
    document["start"]["system_info"] = std::string("Linux dut 4.4.0-87-generic x86_64") + end;
    const ImportedWorkload workload = read(document);
    EXPECT_EQ(workload.system, "Linux dut 4.4.0-87-generic x86_64");
    EXPECT_THAT(codes_of(workload), ElementsAre());
  }
  document["start"]["system_info"] = "Linux\ndut";
  EXPECT_THAT(codes_of(read(document)), ElementsAre("unreadable-values"));
}

}  // namespace
}  // namespace netperfd::workload::test
