// SPDX-License-Identifier: GPL-2.0-or-later
// The files of tests/data/sockperf were printed by sockperf 3.7 between two namespaces.
#include "daemon/workload/sockperf/import.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string sockperf_file(const std::string& name) {
  std::ifstream file(recordings_directory().parent_path() / "sockperf" / (name + ".txt"), std::ios::binary);
  if (!file) throw std::runtime_error("no " + name);
  return (std::ostringstream() << file.rdbuf()).str();
}

ToolRun sockperf_run(const std::string& bytes) {
  auto runs = read_sockperf_text(bytes);
  EXPECT_TRUE(runs) << runs.error().message;
  if (!runs || runs->size() != 1) {
    ADD_FAILURE() << "not one run";
    return {};
  }
  return runs->front();
}

std::string sockperf_error(const std::string& bytes) {
  const auto file = read_sockperf_file(std::as_bytes(std::span(bytes)));
  if (file) return "imported";
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  return file.error().message;
}

// "18.5 ns lower", by the name.
std::map<std::string, std::string> words_of(const ToolRun& run) {
  std::map<std::string, std::string> words;
  for (const NamedFigure& figure : run.figures) {
    std::ostringstream text;
    text.precision(9);
    text << figure.value << " " << figure.unit << (figure.better == Better::higher ? " higher" : " lower");
    words[figure.name] = text.str();
  }
  return words;
}

TEST(SockperfText, of_ping_pong_tells_half_a_round_trip_and_its_percentiles) {
  const ToolRun run = sockperf_run(sockperf_file("pp-udp"));
  EXPECT_EQ(run.figures.front().name, "half_round_trip.mean");
  const std::map<std::string, std::string> expected{
      {"half_round_trip.mean", "21239 ns lower"},       {"half_round_trip.std_dev", "154142 ns lower"},
      {"half_round_trip.max", "6312127 ns lower"},      {"half_round_trip.p99999", "6312127 ns lower"},
      {"half_round_trip.p9999", "4078208 ns lower"},    {"half_round_trip.p999", "2576099 ns lower"},
      {"half_round_trip.p99", "57212 ns lower"},        {"half_round_trip.p90", "12127 ns lower"},
      {"half_round_trip.p75", "10754 ns lower"},        {"half_round_trip.p50", "9111 ns lower"},
      {"half_round_trip.p25", "7624 ns lower"},         {"half_round_trip.min", "7328 ns lower"},
      {"message_rate", "23509.0439 messages/s higher"}, {"sent_messages", "36392 count higher"},
      {"received_messages", "36392 count higher"},      {"dropped_messages", "0 count lower"},
      {"duplicated_messages", "0 count lower"},         {"out_of_order_messages", "0 count lower"}};
  EXPECT_EQ(words_of(run), expected);
  const std::vector<Fact> facts{{"sockperf", "version", "3.7-no.git"},
                                {"sockperf", "server", "10.9.0.2"},
                                {"sockperf", "protocol", "UDP"},
                                {"sockperf", "test", "latency"}};
  EXPECT_EQ(run.facts, facts);
}

TEST(SockperfText, of_full_round_trips_names_them_so) {
  const ToolRun run = sockperf_run(sockperf_file("pp-rtt"));
  EXPECT_EQ(run.figures.front().name, "round_trip.mean");
  EXPECT_EQ(run.figures.front().value, 33'168);
  EXPECT_EQ(words_of(run)["round_trip.p99"], "42469 ns lower");
}

TEST(SockperfText, of_under_load_counts_the_replies) {
  const ToolRun run = sockperf_run(sockperf_file("ul-udp"));
  EXPECT_EQ(words_of(run)["half_round_trip.p50"], "13640 ns lower");
  EXPECT_EQ(words_of(run)["sent_messages"], "15471 count higher");
  EXPECT_EQ(words_of(run)["received_messages"], "1548 count higher");
}

TEST(SockperfText, of_throughput_tells_messages_and_bits_per_second) {
  const ToolRun udp = sockperf_run(sockperf_file("tp-udp"));
  EXPECT_EQ(words_of(udp)["message_rate"], "44514 messages/s higher");
  // 44,514 messages of 1,472 bytes a second, to the three decimals of its mebibits.
  EXPECT_NEAR(udp.figures.at(1).value, 44'514.0 * 1'472 * 8, 10'000);
  const ToolRun tcp = sockperf_run(sockperf_file("tp-tcp"));
  EXPECT_EQ(words_of(tcp)["message_rate"], "68349 messages/s higher");
  EXPECT_NEAR(tcp.figures.at(1).value, 68'349.0 * 8'000 * 8, 100'000);
}

TEST(SockperfText, of_several_tests_is_a_run_each) {
  const std::string first = sockperf_file("pp-tcp"), second = sockperf_file("tp-udp");
  const std::string both = first + second;
  const auto file = read_sockperf_file(std::as_bytes(std::span(both)));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->more.size(), 1U);
  EXPECT_EQ(file->workload->tool, "sockperf");
  EXPECT_EQ(file->raw, first);
  EXPECT_EQ(file->more[0].raw, second);
  EXPECT_EQ(file->more[0].workload.figures, sockperf_run(second).figures);
}

TEST(SockperfText, that_is_no_result_is_refused_with_the_line_and_the_cause) {
  EXPECT_THAT(sockperf_error(sockperf_file("noserver")),
              AllOf(HasSubstr("line 9:"), HasSubstr("Is the server down?")));
  EXPECT_THAT(sockperf_error(sockperf_file("noserver-tcp")),
              AllOf(HasSubstr("line 2:"), HasSubstr("Connection refused")));
  EXPECT_THAT(sockperf_error(sockperf_file("server")), HasSubstr("what sockperf's server prints"));
  const std::string whole = sockperf_file("pp-udp");
  EXPECT_THAT(sockperf_error(whole.substr(0, whole.find("sockperf: Test ended"))),
              AllOf(HasSubstr("line 7:"), HasSubstr("without a result")));
  std::string servers = whole;
  servers.replace(servers.find("Server No: 0"), 12, "Server No: 1");
  EXPECT_THAT(sockperf_error(servers), HasSubstr("several servers"));
}

TEST(SockperfText, changed_or_cut_anywhere_is_read_or_refused) {
  for (const char* name : {"pp-udp", "tp-tcp"}) {
    const std::string whole = sockperf_file(name);
    for (std::size_t i = 0; i < whole.size(); i += 7) {
      (void)sockperf_error(whole.substr(0, i));
      for (const char c : {'\0', '9', '-', '\n', '\xff'}) {
        std::string changed = whole;
        changed[i] = c;
        (void)sockperf_error(changed);
      }
    }
  }
}

}  // namespace
}  // namespace netperfd::workload::test
