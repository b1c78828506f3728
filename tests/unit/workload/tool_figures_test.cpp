// SPDX-License-Identifier: GPL-2.0-or-later
// What netperf and sockperf printed in a run: believed if it is of the test that was asked for, and whole.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/workload/command/figures.hpp"
#include "daemon/workload/command/job/tool_check.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string printed_by(const std::string& tool, const std::string& name) {
  std::ifstream file(recordings_directory().parent_path() / tool / (name + ".txt"), std::ios::binary);
  if (!file) throw std::runtime_error("no " + name);
  return (std::ostringstream() << file.rdbuf()).str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from);
  return text.replace(at, from.size(), to);
}

class ToolFigures : public testing::Test {
 protected:
  ToolFigures() = default;
  ToolFigures(ToolCheck check, DeclaredFigure figure) : check_(std::move(check)), figure_(std::move(figure)) {
    figure_.form = FigureForm::tool;
    figure_.document = "client.stdout";
  }

  core::FigureReading::Values read(const std::string& text) {
    figure_.place = to_place(check_);
    return read_command_figures({figure_}, {{"client.stdout", text}});
  }
  double value(const std::string& text) {
    const auto values = read(text);
    EXPECT_TRUE(values) << values.error().message;
    return values ? values->front() : -1;
  }
  std::string error(const std::string& text) {
    const auto values = read(text);
    if (values) return "it is believed";
    EXPECT_EQ(values.error().kind, ErrorKind::not_found);
    return values.error().message;
  }

  ToolCheck check_;
  DeclaredFigure figure_;
};

class SockperfFigures : public ToolFigures {
 protected:
  SockperfFigures()
      : ToolFigures({.tool = "sockperf",
                     .duration = std::chrono::seconds{2},
                     .says = {{"test", "latency"}, {"protocol", "UDP"}}},
                    {.name = "half_round_trip.p99",
                     .unit = "ns",
                     .better = Better::lower,
                     .place = {},
                     .document = {}}) {}
  std::string whole = printed_by("sockperf", "pp-udp");
};

TEST_F(SockperfFigures, are_those_of_its_text) {
  EXPECT_EQ(value(whole), 57'212);
  figure_.name = "dropped_messages";
  figure_.unit = "count";
  EXPECT_EQ(value(whole), 0);
  check_.says = {{"test", "throughput"}, {"protocol", "TCP"}};
  figure_.name = "message_rate";
  figure_.unit = "messages/s";
  EXPECT_EQ(value(printed_by("sockperf", "tp-tcp")), 68'349);
}

TEST_F(SockperfFigures, of_another_test_are_refused) {
  check_.says[1].second = "TCP";
  EXPECT_THAT(error(whole), AllOf(HasSubstr("sockperf: client.stdout: it was asked for the protocol TCP and "
                                            "had UDP; its last lines: "),
                                  HasSubstr("<MIN> observation")));
  check_.says = {{"test", "throughput"}};
  EXPECT_THAT(error(whole), HasSubstr("asked for the test throughput and had latency"));
  check_.says = {{"colour", "red"}};
  EXPECT_THAT(error(whole), HasSubstr("asked for the colour red and does not say which one it had"));
  check_.says.clear();
  check_.duration = std::chrono::seconds{3};
  EXPECT_THAT(error(whole), HasSubstr("it was asked for 3 s and ended after 2 s"));
  EXPECT_THAT(error(replaced(whole, "[Total Run] RunTime=2.000", "[Total Run] RunTime=nan")),
              HasSubstr("does not say how long the test took"));
}

TEST_F(SockperfFigures, that_are_not_there_or_no_numbers_are_refused) {
  EXPECT_THAT(error(""), HasSubstr("it has the results of 0 tests; expected is one; it is empty"));
  EXPECT_THAT(error(whole + whole), HasSubstr("it has the results of 2 tests; expected is one"));
  EXPECT_THAT(error(replaced(whole, "99.000 =   57.212", "99.000 =   nan")),
              HasSubstr("it has no number for the figure half_round_trip.p99 in ns"));
  EXPECT_THAT(error(whole.substr(0, whole.find("sockperf: ---> percentile 99.000"))),
              HasSubstr("it has no number for the figure half_round_trip.p99 in ns"));
  EXPECT_THAT(error(whole.substr(0, whole.find("sockperf: Test ended"))), HasSubstr("without a result"));
  EXPECT_THAT(error(printed_by("sockperf", "noserver")),
              HasSubstr("the test failed: sockperf says \"No messages were received from the server. Is the "
                        "server down?\""));
  EXPECT_THAT(error(printed_by("sockperf", "noserver-tcp")), HasSubstr("Connection refused"));
  figure_.unit = "us";
  EXPECT_THAT(error(whole), HasSubstr("no number for the figure half_round_trip.p99 in us"));
}

class NetperfFigures : public ToolFigures {
 protected:
  NetperfFigures()
      : ToolFigures(
            {.tool = "netperf",
             .duration = std::chrono::seconds{2},
             .says = {{"test", "TCP REQUEST/RESPONSE"},
                      {"protocol", "TCP"},
                      {"direction", "Send|Recv"},
                      {"request", "64"},
                      {"response", "128"}}},
            {.name = "round_trip.p99", .unit = "ns", .better = Better::lower, .place = {}, .document = {}}) {}
  double value_of(const std::string& name, const std::string& unit, const std::string& text) {
    figure_.name = name;
    figure_.unit = unit;
    return value(text);
  }
  std::string whole = printed_by("netperf", "run-tcp-rr");
};

TEST_F(NetperfFigures, are_those_of_its_text) {
  EXPECT_EQ(value(whole), 1'643'000);
  EXPECT_EQ(value_of("transactions", "transactions/s", whole), 13'220.18);
  EXPECT_EQ(value_of("local_cpu", "share", whole), 1);
  EXPECT_EQ(value_of("remote_cpu_per_transaction", "ns/transaction", whole), 151'284);
  EXPECT_EQ(value_of("local_retransmits", "segments", whole), 0);
  check_.says[0].second = "UDP REQUEST/RESPONSE";
  check_.says[1].second = "UDP";
  EXPECT_EQ(value_of("round_trip.std_dev", "ns", printed_by("netperf", "run-udp-rr")), 222'120);
  check_.says = {{"test", "TCP STREAM"}, {"protocol", "TCP"}, {"direction", "Send"}, {"message", "16384"}};
  const std::string stream = printed_by("netperf", "run-tcp-stream");
  EXPECT_EQ(value_of("throughput", "bits/s", stream), 1'837'950'000);
  EXPECT_EQ(value_of("call.p90", "ns", stream), 20'000);
  EXPECT_DOUBLE_EQ(value_of("local_cpu_per_byte", "ns/byte", stream), 8'915.0 / 1'024);
}

TEST_F(NetperfFigures, of_the_other_sides_cpu_are_unknown_if_they_are_impossible) {
  check_.says[0].second = "TCP Connect/Request/Response";
  check_.says[2].second = "Connect|Send|Recv";
  const std::string crr = printed_by("netperf", "run-tcp-crr");
  EXPECT_EQ(value_of("local_cpu_per_transaction", "ns/transaction", crr), 850'864);
  for (const auto& [name, unit] :
       {std::pair{"remote_cpu", "share"}, {"remote_cpu_per_transaction", "ns/transaction"}}) {
    figure_.name = name;
    figure_.unit = unit;
    EXPECT_THAT(error(crr), HasSubstr(std::string("it has no number for the figure ") + name)) << name;
  }
}

TEST_F(NetperfFigures, of_another_test_are_refused) {
  EXPECT_THAT(error(printed_by("netperf", "run-udp-rr")),
              HasSubstr("netperf: client.stdout: it was asked for the test TCP REQUEST/RESPONSE and had UDP "
                        "REQUEST/RESPONSE; its last lines: "));
  EXPECT_THAT(error(replaced(whole, "REQUEST_SIZE=64", "REQUEST_SIZE=1")),
              HasSubstr("it was asked for the request 64 and had 1"));
  EXPECT_THAT(error(replaced(whole, "RESPONSE_SIZE=128\n", "")),
              HasSubstr("it was asked for the response 128 and does not say which one it had"));
  EXPECT_THAT(error(whole.substr(whole.find('\n') + 1)),
              HasSubstr("it was asked for the test TCP REQUEST/RESPONSE and does not say which one it had"));
  EXPECT_THAT(error(replaced(whole, "ELAPSED_TIME=2.00", "ELAPSED_TIME=1.20")),
              HasSubstr("it was asked for 2 s and ended after 1.2 s"));
}

TEST_F(NetperfFigures, that_are_not_there_or_no_numbers_are_refused) {
  for (const char* number : {"nan", "-1", "inf", "", "12x", "1e999"}) {
    EXPECT_THAT(error(replaced(whole, "P99_LATENCY=1643", std::string("P99_LATENCY=") + number)),
                HasSubstr("it has no number for the figure round_trip.p99 in ns"))
        << number;
  }
  EXPECT_THAT(error(replaced(whole, "THROUGHPUT_UNITS=Trans/s", "THROUGHPUT_UNITS=furlongs/s")),
              HasSubstr("the unit of the throughput is \"furlongs/s\""));
  EXPECT_THAT(error(whole.substr(0, whole.find("P99_LATENCY"))), HasSubstr("does not say which one it had"));
  EXPECT_THAT(error(whole.substr(0, whole.find('\n') + 1)),
              HasSubstr("the test has no result below its title"));
  EXPECT_THAT(error(printed_by("netperf", "no-server")), HasSubstr("are you sure there is a netserver"));
}

TEST(ToolChecks, come_back_from_the_place_of_a_figure) {
  const ToolCheck check{.tool = "netperf",
                        .duration = std::chrono::seconds{86'400},
                        .says = {{"test", "TCP REQUEST/RESPONSE"}, {"request", "64"}, {"empty", ""}}};
  EXPECT_EQ(to_place(check), "netperf\n86400\ntest=TCP REQUEST/RESPONSE\nrequest=64\nempty=\n");
  EXPECT_EQ(tool_check(to_place(check)), check);
  EXPECT_EQ(tool_check(""), (ToolCheck{.tool = "", .duration = {}, .says = {}}));
}

}  // namespace
}  // namespace netperfd::workload::test
