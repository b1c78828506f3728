// SPDX-License-Identifier: GPL-2.0-or-later
// The results for every recorded document of a real iperf3.
#include <gmock/gmock.h>

#include <cctype>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "daemon/model/text.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> codes_of(const ParsedReport& parsed) {
  std::vector<std::string> codes;
  codes.reserve(parsed.flags.size());
  for (const QualityFlag& flag : parsed.flags) codes.push_back(flag.code);
  return codes;
}

class Iperf3Conformance : public testing::TestWithParam<Recording> {
 protected:
  const Recording& recording = GetParam();
  const TestSpec& asked = recording.expected.asked;
  ParsedReport parsed = parse_iperf3_report(recorded(recording.file), recorded(recording.file, "err"),
                                            recording.expected.asked);

  void expect_flags() const {
    const auto codes = codes_of(parsed);
    for (const std::string& code : recording.expected.flags) EXPECT_THAT(codes, Contains(code));
    if (!recording.expected.error.empty()) return;
    std::set<std::string> known{"sent-above-received", "run-length", "stalls"};
    known.insert(recording.expected.flags.begin(), recording.expected.flags.end());
    known.insert(recording.expected.may.begin(), recording.expected.may.end());
    for (const QualityFlag& flag : parsed.flags) {
      EXPECT_TRUE(known.contains(flag.code)) << flag.code << ": " << flag.message;
    }
  }

  void expect_facts() const {
    const WorkloadReport& report = parsed.report;
    EXPECT_EQ(report.version, recording.version);
    ASSERT_TRUE(report.client && report.server);
    EXPECT_EQ(report.client->host, "10.0.0.1");
    EXPECT_EQ(report.server->host, "10.0.0.2");
    EXPECT_EQ(report.server->port, 5201);
    EXPECT_GT(report.client->port, 0);
    ASSERT_TRUE(report.cpu_client_percent && report.cpu_server_percent);
    EXPECT_GT(*report.cpu_server_percent, 0);
    if (asked.traffic.protocol != Protocol::tcp) return;
    EXPECT_EQ(report.mss_bytes, 1448U);
    EXPECT_FALSE(report.congestion.empty());
  }

  void expect_sum(const Totals& sum) const {
    SCOPED_TRACE(std::string(to_string(sum.direction)));
    EXPECT_FALSE(sum.stream);
    ASSERT_TRUE(sum.seconds && sum.sent_bytes && sum.received_bytes && sum.sent_bits_per_second &&
                sum.received_bits_per_second);
    if (asked.traffic.duration) {
      const double planned = std::chrono::duration<double>(*asked.traffic.duration).count();
      EXPECT_GE(*sum.seconds, 0.9 * planned);
      EXPECT_LE(*sum.seconds, planned + 1) << "a loaded machine may be late";
    }
    const double rate = 8 * static_cast<double>(*sum.received_bytes) / *sum.seconds;
    EXPECT_NEAR(*sum.received_bits_per_second, rate, 0.05 * rate);
    EXPECT_GE(rate, recording.expected.received.low);
    EXPECT_LE(rate, recording.expected.received.high);
    if (asked.traffic.protocol == Protocol::udp) return expect_udp(sum);
    EXPECT_TRUE(sum.retransmits);
    EXPECT_EQ(sum.mean_rtt.has_value(), sum.direction == Direction::send) << "only the sender here knows it";
    EXPECT_FALSE(sum.lost_packets);
  }

  void expect_udp(const Totals& sum) const {
    ASSERT_TRUE(sum.packets && sum.lost_packets && sum.lost_percent && sum.jitter_ms && sum.out_of_order);
    EXPECT_EQ(*sum.packets, *sum.sent_bytes / 1448);
    EXPECT_GE(*sum.lost_percent, recording.expected.lost_percent.low);
    EXPECT_LE(*sum.lost_percent, recording.expected.lost_percent.high);
    EXPECT_GT(*sum.jitter_ms, 0);
  }

  // The sum of iperf3's intervals on the client's own side.
  [[nodiscard]] std::uint64_t counted_bytes(Direction direction, bool sums) const {
    std::uint64_t bytes = 0;
    for (const Interval& interval : parsed.report.intervals) {
      const bool is_sum = !interval.stream.has_value();
      if (interval.direction == direction && !interval.omitted && is_sum == sums)
        bytes += interval.bytes.value_or(0);
    }
    return bytes;
  }

  void expect_intervals(const Totals& sum) const {
    const std::uint64_t counted = counted_bytes(sum.direction, true);
    EXPECT_EQ(counted, counted_bytes(sum.direction, false)) << "the sums are those of the streams";
    const std::uint64_t own = sum.direction == Direction::send ? *sum.sent_bytes : *sum.received_bytes;
    EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(own), 0.01 * static_cast<double>(own));
  }
};

TEST_P(Iperf3Conformance, gives_the_expected_verdict_and_flags) {
  if (recording.expected.error.empty()) {
    EXPECT_EQ(parsed.error, "");
  } else {
    EXPECT_THAT(parsed.error, HasSubstr(recording.expected.error));
  }
  EXPECT_TRUE(is_printable(parsed.error));
  expect_flags();
}

TEST_P(Iperf3Conformance, gives_every_figure_of_a_measurement) {
  if (!recording.expected.error.empty()) return;
  expect_facts();
  const std::size_t directions = asked.traffic.direction == Direction::both ? 2 : 1;
  ASSERT_EQ(parsed.report.sums.size(), directions);
  EXPECT_EQ(parsed.report.streams.size(), directions * asked.traffic.streams);
  if (asked.traffic.direction != Direction::both) {
    EXPECT_EQ(parsed.report.sums.front().direction, asked.traffic.direction);
  }
  for (const Totals& sum : parsed.report.sums) {
    expect_sum(sum);
    if (!HasFatalFailure()) expect_intervals(sum);
  }
}

TEST_P(Iperf3Conformance, never_invents_what_the_far_side_did_not_tell) {
  if (recording.expected.error.empty()) return;
  for (const Totals& sum : parsed.report.sums) {
    EXPECT_FALSE(sum.direction == Direction::send ? sum.received_bytes : sum.sent_bytes);
    EXPECT_FALSE(sum.packets && sum.lost_packets);
  }
  EXPECT_FALSE(parsed.report.cpu_server_percent);
}

std::string test_name(const testing::TestParamInfo<Recording>& recording) {
  std::string name = recording.param.file;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, Iperf3Conformance, testing::ValuesIn(all_recordings()), test_name);

TEST(Iperf3Recordings, each_has_its_row_and_each_row_its_recording) {
  std::set<std::string> expected;
  for (const Recording& recording : all_recordings()) {
    EXPECT_TRUE(expected.insert(recording.file).second) << recording.file << " has two rows";
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(recordings_directory())) {
    if (entry.path().extension() != ".out") continue;
    if (entry.path().parent_path().parent_path().filename() == "of-server") continue;  // tests/documents
    found.insert(
        std::filesystem::relative(entry.path(), recordings_directory()).replace_extension().string());
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace netperfd::workload::test
