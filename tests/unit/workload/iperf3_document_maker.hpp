// SPDX-License-Identifier: GPL-2.0-or-later
// A sound -J document for tests that damage it: TCP, one stream, intervals of 1 s and 1,000,000 bytes.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {

inline constexpr std::int64_t kIntervalBytes = 1'000'000;

inline nlohmann::json figures(double start, double end, std::int64_t bytes, bool sender = true) {
  return {{"start", start},
          {"end", end},
          {"seconds", end - start},
          {"bytes", bytes},
          {"bits_per_second", 8 * static_cast<double>(bytes) / (end - start)},
          {"sender", sender}};
}

inline nlohmann::json of_stream(nlohmann::json figures) {
  figures["socket"] = 5;
  return figures;
}

inline nlohmann::json interval(double start, double end, std::int64_t bytes, bool omitted = false) {
  nlohmann::json sum = figures(start, end, bytes);
  sum["omitted"] = omitted;
  sum["retransmits"] = 1;
  return {{"streams", nlohmann::json::array({of_stream(sum)})}, {"sum", sum}};
}

inline nlohmann::json make_document(int intervals) {
  using nlohmann::json;
  json document;
  document["start"] = {{"connected", json::array({{{"socket", 5},
                                                   {"local_host", "10.0.0.1"},
                                                   {"local_port", 40000},
                                                   {"remote_host", "10.0.0.2"},
                                                   {"remote_port", 5201}}})},
                       {"version", "iperf 3.12"},
                       {"tcp_mss_default", 1448},
                       {"test_start",
                        {{"protocol", "TCP"},
                         {"num_streams", 1},
                         {"blksize", 1000},
                         {"omit", 0},
                         {"duration", intervals},
                         {"bytes", 0},
                         {"reverse", 0}}}};
  document["intervals"] = json::array();
  for (int i = 0; i < intervals; ++i) document["intervals"].push_back(interval(i, i + 1, kIntervalBytes));
  json sent = figures(0, intervals, kIntervalBytes * intervals);
  sent["retransmits"] = intervals;
  const json received = figures(0, intervals, kIntervalBytes * intervals);
  document["end"] = {
      {"streams", json::array({{{"sender", of_stream(sent)}, {"receiver", of_stream(received)}}})},
      {"sum_sent", sent},
      {"sum_received", received},
      {"cpu_utilization_percent", {{"host_total", 12.5}, {"remote_total", 25.0}}},
      {"sender_tcp_congestion", "cubic"}};
  return document;
}

// For a document of ten intervals.
inline constexpr auto kTen = static_cast<std::uint64_t>(10 * kIntervalBytes);

inline ParsedReport parse(const nlohmann::json& document, const TestSpec& asked = tcp(10)) {
  return parse_iperf3_report(document.dump(1, '\t'), "", asked);
}

inline std::vector<std::string> codes(const ParsedReport& parsed) {
  std::vector<std::string> all;
  all.reserve(parsed.flags.size());
  for (const QualityFlag& flag : parsed.flags) all.push_back(flag.code);
  return all;
}

// The message of the only flag, which must have this code.
inline std::string only_flag(const ParsedReport& parsed, const std::string& code) {
  EXPECT_THAT(codes(parsed), testing::ElementsAre(code));
  return parsed.flags.empty() ? "" : parsed.flags.front().message;
}

}  // namespace netperfd::workload::test
