// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded documents that are truncated or have wrong bytes.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/text.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

struct Sample {
  std::string file;
  TestSpec asked;
};

std::vector<Sample> samples() {
  return {{"3.12/tcp-both", both(tcp())},
          {"3.12/udp-loss-omit", omit(udp())},
          {"3.18/tcp-send-16", streams(tcp(1), 16)},
          {"3.18/tcp-debug", tcp(1)},
          {"3.18/stream-tcp-omit-both", both(omit(streams(tcp(), 2)))},
          {"3.18/stream-udp-send", udp()}};
}

TEST(DamagedDocument, is_no_measurement_wherever_it_is_cut) {
  for (const auto& [file, asked] : samples()) {
    const std::string whole = recorded(file);
    ASSERT_EQ(parse_iperf3_report(whole, "", asked).error, "") << file;
    const std::size_t end = whole.find_last_of('}');  // only white space and debug output follow
    const std::size_t step = end / 200 + 1;
    for (std::size_t cut = 0; cut <= end; cut += step) {
      const ParsedReport parsed = parse_iperf3_report(std::string_view(whole).substr(0, cut), "", asked);
      ASSERT_NE(parsed.error, "") << file << " cut at " << cut;
    }
  }
}

TEST(DamagedDocument, is_read_without_harm_whatever_bytes_are_wrong) {
  std::mt19937 random(20240117);  // NOLINT(bugprone-random-generator-seed): the same bytes each time
  for (const auto& [file, asked] : samples()) {
    const std::string whole = recorded(file);
    for (int round = 0; round < 60; ++round) {
      std::string damaged = whole;
      for (unsigned flips = 1 + random() % 8; flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      const ParsedReport parsed = parse_iperf3_report(damaged, damaged, asked);
      EXPECT_TRUE(is_printable(parsed.error)) << parsed.error;
      for (const QualityFlag& flag : parsed.flags) EXPECT_TRUE(is_printable(flag.message)) << flag.message;
    }
  }
}

// iperf3's mistakes are in digits: wrong figures in an otherwise sound document.
TEST(DamagedDocument, is_read_without_harm_whatever_figures_are_wrong) {
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same figures each time
  constexpr std::string_view kFigures = "0123456789-.e\"[]{}tfn,";
  for (const auto& [file, asked] : samples()) {
    const std::string whole = recorded(file);
    for (int round = 0; round < 60; ++round) {
      std::string damaged = whole;
      for (int changes = 0; changes < 4; ++changes) {
        const std::size_t digit = damaged.find_first_of("0123456789", random() % damaged.size());
        if (digit != std::string::npos) damaged[digit] = kFigures[random() % kFigures.size()];
      }
      const ParsedReport parsed = parse_iperf3_report(damaged, "", asked);
      EXPECT_TRUE(is_printable(parsed.error)) << parsed.error;
    }
  }
}

}  // namespace
}  // namespace netperfd::workload::test
