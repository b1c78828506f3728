// SPDX-License-Identifier: GPL-2.0-or-later
// What iperf3 prints for SCTP and does not know: it counts no retransmits, and its round-trip times are in
// ticks of the kernel's clock.
#include <gmock/gmock.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;

json sctp_document(const std::string& name) {
  return json::parse(recorded("foreign/" + name, "json"));
}

ImportedWorkload workload_of_sctp(Result<ImportedFile> file) {
  EXPECT_TRUE(file) << file.error().message;
  return file ? std::move(*file->workload) : ImportedWorkload{};
}

ImportedWorkload read_sctp(const json& document) {
  const std::string bytes = document.dump(1, '\t');
  return workload_of_sctp(read_iperf3_file(std::as_bytes(std::span(bytes))));
}

std::vector<std::string> flags_of_sctp(const ImportedWorkload& workload) {
  std::vector<std::string> flags;
  for (const QualityFlag& flag : workload.flags) flags.push_back(flag.code);
  return flags;
}

void expect_untold(const WorkloadReport& report) {
  for (const std::vector<Totals>* part : {&report.sums, &report.streams}) {
    ASSERT_FALSE(part->empty());
    for (const Totals& totals : *part)
      EXPECT_FALSE(totals.retransmits || totals.min_rtt || totals.mean_rtt || totals.max_rtt);
  }
  ASSERT_FALSE(report.intervals.empty());
  for (const Interval& interval : report.intervals)
    EXPECT_FALSE(interval.retransmits || interval.rtt || interval.rttvar);
}

TEST(Iperf3Sctp, has_neither_round_trip_times_nor_retransmits) {
  for (const char* name : {"sctp-rtt-30", "sctp-rtt-0", "sctp-reverse-retransmits-minus-1"}) {
    SCOPED_TRACE(name);
    const ImportedWorkload workload = read_sctp(sctp_document(name));
    EXPECT_EQ(workload.asked.traffic.protocol, Protocol::sctp);
    expect_untold(workload.report);
    EXPECT_EQ(workload.report.sums.at(0).received_bits_per_second, 8e6);
    EXPECT_THAT(flags_of_sctp(workload), testing::IsEmpty());
  }
}

TEST(Iperf3Sctp, has_them_neither_if_the_sums_are_computed_or_told) {
  json document = sctp_document("sctp-rtt-30");
  for (json& interval : document["intervals"]) interval.erase("sum");
  document["end"]["sum_sent"]["retransmits"] = 0;
  document["start"]["test_start"]["protocol"] = "sctp";
  expect_untold(read_sctp(document).report);
}

TEST(Iperf3Sctp, still_tells_its_congestion_window) {
  EXPECT_EQ(read_sctp(sctp_document("sctp-rtt-30")).report.sums.at(0).max_snd_cwnd, 131'064U);
}

// Where the kernel of the sender does not tell them, as on FreeBSD.
TEST(Iperf3Connection, of_minus_1_is_not_told) {
  json document = make_document(5);
  for (json& interval : document["intervals"]) {
    for (const char* key : {"pmtu", "rtt", "rttvar", "snd_cwnd"}) interval["streams"][0][key] = -1;
  }
  const ImportedWorkload workload = read_sctp(document);
  EXPECT_FALSE(workload.report.sums.at(0).max_snd_cwnd || workload.report.sums.at(0).mean_rtt);
  EXPECT_THAT(flags_of_sctp(workload), testing::Not(testing::Contains("unreadable-values")));
}

TEST(Iperf3Retransmits, of_minus_1_are_those_that_nobody_counted) {
  for (const json& uncounted : {json(-1), json("-1"), json(-1.0)}) {
    json document = make_document(5);
    for (json* end : {&document["end"]["sum_sent"], &document["end"]["streams"][0]["sender"]})
      (*end)["retransmits"] = uncounted;
    const ImportedWorkload workload = read_sctp(document);
    EXPECT_FALSE(workload.report.sums.at(0).retransmits) << uncounted;
    EXPECT_THAT(flags_of_sctp(workload), testing::ElementsAre("retransmits-unknown")) << uncounted;
  }
}

// With a count of retransmits, but without its column.
TEST(Iperf3Sctp, of_which_a_text_tells_is_told_from_tcp_by_the_head_of_its_table) {
  const std::string connected =
      "Connecting to host 10.0.0.2, port 5201\n"
      "[  5] local 10.0.0.1 port 40000 connected to 10.0.0.2 port 5201\n";
  const std::string options =
      "Starting Test: protocol: SCTP, 1 streams, 65536 byte blocks, omitting 0 seconds, 1 second test, tos "
      "0\n";
  const std::string rows =
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    402 KBytes       \n"
      "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0             sender\n"
      "[  5]   0.00-1.04   sec   112 MBytes   910 Mbits/sec                  receiver\n";
  for (const std::string& text : {connected + rows, connected + options + rows}) {
    const ImportedWorkload workload =
        workload_of_sctp(read_iperf3_text(std::as_bytes(std::span(std::string_view(text)))));
    EXPECT_EQ(workload.asked.traffic.protocol, Protocol::sctp) << text;
    expect_untold(workload.report);
    EXPECT_EQ(workload.report.sums.at(0).received_bits_per_second, 910e6);
  }
}

// Its sender is the far side, of which iperf3 prints -1.
TEST(Iperf3Sctp, of_which_a_text_tells_the_other_direction_keeps_what_its_sender_sent) {
  const std::string text =
      "Connecting to host 10.0.0.2, port 5201\n"
      "Reverse mode, remote host 10.0.0.2 is sending\n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  \n"
      "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   113 MBytes   948 Mbits/sec   -1             sender\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  receiver\n";
  const ImportedWorkload workload =
      workload_of_sctp(read_iperf3_text(std::as_bytes(std::span(std::string_view(text)))));
  EXPECT_EQ(workload.asked.traffic.protocol, Protocol::sctp);
  expect_untold(workload.report);
  EXPECT_EQ(workload.report.sums.at(0).sent_bits_per_second, 948e6);
  EXPECT_THAT(flags_of_sctp(workload), testing::Not(testing::Contains("unreadable-values")));
}

TEST(Iperf3Sctp, of_which_a_text_tells_both_directions_is_not_taken_for_tcp) {
  const std::string text =
      "Connecting to host 10.0.0.2, port 5201\n"
      "[ ID][Role] Interval           Transfer     Bitrate\n"
      "[  5][TX-C]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    402 KBytes       \n"
      "[  7][RX-C]   0.00-1.00   sec   111 MBytes   931 Mbits/sec                  \n"
      "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "[ ID][Role] Interval           Transfer     Bitrate\n"
      "[  5][TX-C]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0             sender\n"
      "[  5][TX-C]   0.00-1.00   sec   112 MBytes   940 Mbits/sec                  receiver\n"
      "[  7][RX-C]   0.00-1.00   sec   111 MBytes   932 Mbits/sec   -1             sender\n"
      "[  7][RX-C]   0.00-1.00   sec   111 MBytes   931 Mbits/sec                  receiver\n";
  const ImportedWorkload workload =
      workload_of_sctp(read_iperf3_text(std::as_bytes(std::span(std::string_view(text)))));
  EXPECT_EQ(workload.asked.traffic.protocol, Protocol::sctp);
  ASSERT_EQ(workload.report.sums.size(), 2U);
  for (const Totals& sum : workload.report.sums) {
    EXPECT_FALSE(sum.retransmits);
    EXPECT_TRUE(sum.sent_bytes && sum.received_bytes);
  }
}

}  // namespace
}  // namespace netperfd::workload::test
