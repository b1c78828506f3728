// SPDX-License-Identifier: GPL-2.0-or-later
// The files of tests/data/netperf were printed by netperf 2.7.0 of Debian 13 between two namespaces.
#include "daemon/workload/netperf/import.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string netperf_file(const std::string& name) {
  std::ifstream file(recordings_directory().parent_path() / "netperf" / (name + ".txt"), std::ios::binary);
  if (!file) throw std::runtime_error("no " + name);
  return (std::ostringstream() << file.rdbuf()).str();
}

ToolRun netperf_run(const std::string& bytes) {
  auto runs = read_netperf_text(bytes);
  EXPECT_TRUE(runs) << runs.error().message;
  if (!runs || runs->size() != 1) {
    ADD_FAILURE() << "not one run";
    return {};
  }
  return runs->front();
}

std::string netperf_error(const std::string& bytes) {
  const auto file = read_netperf_file(std::as_bytes(std::span(bytes)));
  if (file) return "imported";
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  return file.error().message;
}

NamedFigure up(const char* name, const char* unit, double value) {
  return {.name = name, .unit = unit, .better = Better::higher, .value = value};
}
NamedFigure down(const char* name, const char* unit, double value) {
  return {.name = name, .unit = unit, .better = Better::lower, .value = value};
}
MATCHER_P(Near, expected, "") {
  const bool alike = arg.name == expected.name && arg.unit == expected.unit && arg.better == expected.better;
  *result_listener << arg.name << " " << arg.value << " " << arg.unit;
  return alike && std::abs(arg.value - expected.value) <= 1e-9 * std::abs(expected.value);
}
Fact of_netperf(const char* key, const char* value) {
  return {.group = "netperf", .key = key, .value = value};
}

TEST(NetperfText, of_tcp_stream_tells_its_throughput_and_sizes) {
  const ToolRun run = netperf_run(netperf_file("tcp-stream"));
  EXPECT_THAT(run.figures, ElementsAre(Near(up("throughput", "bits/s", 2'367.54e6))));
  EXPECT_THAT(run.facts, ElementsAre(of_netperf("test", "TCP STREAM"), of_netperf("server", "10.9.0.2"),
                                     of_netperf("receive socket", "131072"),
                                     of_netperf("send socket", "16384"), of_netperf("message", "16384")));
}

TEST(NetperfText, of_tcp_stream_with_cpu_tells_both_sides_use_and_time_per_byte) {
  const ToolRun run = netperf_run(netperf_file("tcp-stream-cpu"));
  EXPECT_THAT(run.figures,
              ElementsAre(Near(up("throughput", "bits/s", 225'253.36 * 8'192)),
                          Near(down("local_cpu", "share", 1)), Near(down("remote_cpu", "share", 1)),
                          Near(down("local_cpu_per_byte", "ns/byte", 8'879.0 / 1'024)),
                          Near(down("remote_cpu_per_byte", "ns/byte", 8'879.0 / 1'024))));
}

TEST(NetperfText, of_a_test_towards_the_client_is_read_in_any_unit) {
  EXPECT_THAT(netperf_run(netperf_file("tcp-maerts")).figures,
              ElementsAre(Near(up("throughput", "bits/s", 2.24e9))));
}

TEST(NetperfText, of_udp_stream_takes_what_arrived_for_the_throughput) {
  EXPECT_THAT(
      netperf_run(netperf_file("udp-stream")).figures,
      ElementsAre(Near(up("throughput", "bits/s", 175.85e6)), Near(up("sent_throughput", "bits/s", 398.53e6)),
                  Near(up("sent_messages", "messages", 71'740)), Near(down("send_errors", "messages", 0)),
                  Near(up("received_messages", "messages", 31'654))));
  EXPECT_THAT(netperf_run(netperf_file("udp-stream-cpu")).figures,
              AllOf(testing::Contains(Near(down("remote_cpu", "share", 1))),
                    testing::Contains(Near(down("local_cpu_per_byte", "ns/byte", 41'527.0 / 1'024)))));
}

TEST(NetperfText, of_a_receiver_that_counted_longer_than_the_test_has_a_flag) {
  const std::string text = netperf_file("udp-stream");
  EXPECT_TRUE(netperf_run(text).flags.empty());
  const std::string_view counted = "212992           2.02 ";
  for (const auto& [seconds, rate] :
       {std::pair{"42.9", "3735"}, std::pair{"429.0", "37346"}, std::pair{"0.20", "17.41"}}) {
    const std::string other = "212992           " + std::string(seconds) + " ";
    std::string changed = text;
    changed.replace(changed.find(counted), counted.size(), other);
    const auto file = read_netperf_file(std::as_bytes(std::span(changed)));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->workload->flags.size(), 1U);
    EXPECT_EQ(file->workload->flags[0].code, "run-length");
    EXPECT_THAT(file->workload->flags[0].message,
                AllOf(HasSubstr("of a test of 2.02 s"), HasSubstr(std::string(rate) + " Mbit/s")));
    EXPECT_EQ(file->workload->figures, netperf_run(text).figures);
  }
}

TEST(NetperfText, of_requests_tells_transactions_and_cpu_time_of_each) {
  EXPECT_THAT(netperf_run(netperf_file("tcp-rr")).figures,
              ElementsAre(Near(up("transactions", "transactions/s", 12'685.07))));
  const ToolRun run = netperf_run(netperf_file("tcp-rr-cpu"));
  EXPECT_THAT(run.figures,
              ElementsAre(Near(up("transactions", "transactions/s", 14'225.48)),
                          Near(down("local_cpu", "share", 1)), Near(down("remote_cpu", "share", 1)),
                          Near(down("local_cpu_per_transaction", "ns/transaction", 140'593)),
                          Near(down("remote_cpu_per_transaction", "ns/transaction", 140'593))))
      << "without what -v 2 prints below it";
  EXPECT_THAT(run.facts, testing::IsSupersetOf({of_netperf("request", "1"), of_netperf("response", "1")}));
  EXPECT_THAT(netperf_run(netperf_file("tcp-crr")).figures,
              testing::Contains(Near(up("transactions", "transactions/s", 2'728.37))));
  EXPECT_THAT(netperf_run(netperf_file("udp-rr")).figures,
              ElementsAre(Near(up("transactions", "transactions/s", 13'110.22))));
}

TEST(NetperfText, of_keys_tells_the_percentiles) {
  EXPECT_THAT(
      netperf_run(netperf_file("rr-keys")).figures,
      ElementsAre(Near(up("transactions", "transactions/s", 11'431.18)),
                  Near(down("round_trip.mean", "ns", 87'360)),
                  Near(down("round_trip.std_dev", "ns", 628'070)), Near(down("round_trip.min", "ns", 18'000)),
                  Near(down("round_trip.p50", "ns", 26'000)), Near(down("round_trip.p90", "ns", 30'000)),
                  Near(down("round_trip.p99", "ns", 2'436'000)),
                  Near(down("round_trip.max", "ns", 18'449'000)), Near(down("local_cpu", "share", 1)),
                  Near(down("local_cpu_per_transaction", "ns/transaction", 174'960)),
                  Near(down("remote_cpu", "share", 1)),
                  Near(down("remote_cpu_per_transaction", "ns/transaction", 174'960))));
}

TEST(NetperfText, of_columns_is_read_by_their_names) {
  const ToolRun run = netperf_run(netperf_file("rr-columns"));
  EXPECT_THAT(run.figures,
              testing::IsSupersetOf({Near(up("transactions", "transactions/s", 12'896.78)),
                                     Near(down("round_trip.mean", "ns", 77'430)),
                                     Near(down("round_trip.p99", "ns", 1'540'000)),
                                     Near(down("local_cpu_per_transaction", "ns/transaction", 155'077)),
                                     Near(down("local_retransmits", "segments", 0))}));
  EXPECT_THAT(run.facts, testing::IsSupersetOf({of_netperf("protocol", "TCP"), of_netperf("burst", "0")}));
}

TEST(NetperfText, of_all_keys_of_a_stream_leaves_what_was_not_measured_unknown) {
  const ToolRun run = netperf_run(netperf_file("stream-keys"));
  EXPECT_THAT(run.figures.front(), Near(up("throughput", "bits/s", 1'978.32e6)));
  for (const NamedFigure& figure : run.figures) EXPECT_NE(figure.name, "local_cpu") << figure.value;
}

TEST(NetperfText, of_several_tests_is_a_run_each_with_its_own_lines) {
  const std::string first = netperf_file("tcp-stream"), second = netperf_file("tcp-rr");
  const std::string both = first + second + netperf_file("rr-keys") + netperf_file("rr-columns");
  const auto file = read_netperf_file(std::as_bytes(std::span(both)));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->more.size(), 3U);
  EXPECT_EQ(file->workload->tool, "netperf");
  EXPECT_EQ(file->raw, first);
  EXPECT_EQ(file->more[0].raw, second);
  EXPECT_EQ(file->more[2].workload.figures, netperf_run(netperf_file("rr-columns")).figures);
}

TEST(NetperfText, that_is_no_result_is_refused_with_the_line_and_the_cause) {
  EXPECT_THAT(netperf_error(netperf_file("no-server")),
              AllOf(HasSubstr("line 1:"), HasSubstr("are you sure there is a netserver listening")));
  const std::string stream = netperf_file("tcp-stream");
  EXPECT_THAT(netperf_error(stream.substr(0, stream.find("131072"))),
              AllOf(HasSubstr("line 1:"), HasSubstr("no result below its title")));
  EXPECT_THAT(netperf_error(netperf_file("human")), AllOf(HasSubstr("line 1:"), HasSubstr("no result")));
  EXPECT_THAT(netperf_error(stream.substr(0, stream.find("2367.54")) + "\n"),
              AllOf(HasSubstr("line 7:"), HasSubstr("no row of the test TCP STREAM")));
  EXPECT_THAT(netperf_error("THROUGHPUT=1\n"), HasSubstr("has no unit"));
  EXPECT_THAT(netperf_error("THROUGHPUT=1\nTHROUGHPUT_UNITS=furlongs/s\n"),
              AllOf(HasSubstr("line 1:"), HasSubstr("furlongs")));
  EXPECT_THAT(netperf_error("THROUGHPUT=nan\nTHROUGHPUT_UNITS=10^6bits/s\n"), HasSubstr("no figure"));
  EXPECT_THAT(netperf_error("Throughput,Throughput Units\n1\n"),
              AllOf(HasSubstr("line 2:"), HasSubstr("1 values below 2 columns")));
  EXPECT_THAT(netperf_error(""), HasSubstr("no result of netperf"));
}

TEST(NetperfText, changed_or_cut_anywhere_is_read_or_refused) {
  for (const char* name : {"tcp-stream-cpu", "udp-stream-cpu", "tcp-rr-cpu", "rr-keys", "rr-columns"}) {
    const std::string whole = netperf_file(name);
    for (std::size_t i = 0; i < whole.size(); i += 7) {
      (void)netperf_error(whole.substr(0, i));
      for (const char c : {'\0', '9', '-', '\n', '\xff'}) {
        std::string changed = whole;
        changed[i] = c;
        (void)netperf_error(changed);
      }
    }
  }
}

}  // namespace
}  // namespace netperfd::workload::test
