// SPDX-License-Identifier: GPL-2.0-or-later
// A receiver that counted far longer than its test lasted gets a word, and no rate over that time.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::Contains;

void set_received_time(json& document, double seconds) {
  json& received = document["end"]["sum_received"];
  received["seconds"] = received["end"] = seconds;
  received["bits_per_second"] = 8 * received["bytes"].get<double>() / seconds;
}

TEST(Iperf3ReceiverTime, of_udp_that_is_far_beyond_the_test_is_flagged_and_not_used) {
  for (const double seconds : {42.9, 12.0}) {
    json document = json::parse(recorded("3.12/udp-loss"));
    set_received_time(document, seconds);
    const ParsedReport parsed = parse(document, udp());
    EXPECT_EQ(parsed.error, "");
    EXPECT_THAT(codes(parsed), Contains("sums-disagree")) << seconds;
    const Totals& sum = parsed.report.sums.at(0);
    EXPECT_NEAR(sum.seconds.value_or(0), 2, 0.1);
    ASSERT_TRUE(sum.received_bytes);
    const double rate = 8 * static_cast<double>(*sum.received_bytes) / 2;
    EXPECT_NEAR(sum.received_bits_per_second.value_or(0), rate, 0.05 * rate);
  }
}

TEST(Iperf3ReceiverTime, is_flagged_also_if_nothing_arrived) {
  json document = make_document(10);
  document["end"]["sum_received"]["bytes"] = document["end"]["streams"][0]["receiver"]["bytes"] = 0;
  set_received_time(document, 42.9);
  document["end"]["streams"][0]["receiver"]["seconds"] = 42.9;
  const ParsedReport parsed = parse(document);
  EXPECT_THAT(codes(parsed), Contains("sums-disagree"));
  EXPECT_EQ(parsed.report.sums.at(0).seconds, 10);
  EXPECT_EQ(parsed.report.sums.at(0).received_bytes, 0U);
  EXPECT_EQ(parsed.report.streams.at(0).seconds, 10);
}

// Neither intervals nor options tell how long the test was, only its sender does.
TEST(Iperf3ReceiverTime, is_flagged_if_only_the_sender_tells_how_long_the_test_was) {
  const auto text = [](std::string_view id, std::string_view receiver) {
    return fmt::format(
        "Connecting to host 10.0.0.2, port 5201\n"
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "{0}   0.00-5.00   sec  6.25 MBytes  10.5 Mbits/sec  0.000 ms  0/4530 (0%)  sender\n"
        "{0}{1}  0.021 ms  0/4530 (0%)  receiver\n",
        id, receiver);
  };
  const auto read_ends = [&](std::string_view id, std::string_view receiver) {
    const std::string bytes = text(id, receiver);
    const auto file = read_iperf3_text(std::as_bytes(std::span(std::string_view(bytes))));
    EXPECT_TRUE(file) << file.error().message;
    ParsedReport parsed;
    if (!file) return parsed;
    parsed.flags = file->workload->flags;
    parsed.report = file->workload->report;
    EXPECT_EQ(parsed.report.sums.at(0).direction, Direction::send);
    return parsed;
  };
  for (const std::string_view id : {"[  5]", "[SUM]"}) {
    const ParsedReport sound = read_ends(id, "   0.00-5.04   sec  6.25 MBytes  10.4 Mbits/sec");
    EXPECT_THAT(codes(sound), testing::Not(Contains("sums-disagree")));
    EXPECT_NEAR(sound.report.sums.at(0).received_bits_per_second.value_or(0), 10.4e6, 1);
    const ParsedReport late = read_ends(id, "   0.00-42.90  sec  6.25 MBytes  1.22 Mbits/sec");
    EXPECT_THAT(codes(late), Contains("sums-disagree")) << id;
    EXPECT_EQ(late.report.sums.at(0).seconds, 5) << id;
    EXPECT_FALSE(late.report.sums.at(0).received_bits_per_second) << id;
    EXPECT_NEAR(late.report.sums.at(0).sent_bits_per_second.value_or(0), 10.5e6, 1);
  }
}

}  // namespace
}  // namespace netperfd::workload::test
