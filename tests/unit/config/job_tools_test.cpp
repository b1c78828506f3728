// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of the programs that netperfd knows: what they make it run, what it must be told, and by which
// figures it is judged.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"
#include "daemon/model/figure_check.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

// As anybody's text: no scenario of root.
Result<JobSpec> read_tool(const std::string& tool, const std::string& keys) {
  return read_job({.text = "name: job\nworkload:\n  " + tool + ": {" + keys + "}\n",
                   .origin = "job.yaml",
                   .expected_name = {},
                   .commands_refused = "it is not root's"},
                  {}, {});
}
std::string tool_complaint(const std::string& tool, const std::string& keys) {
  const auto job = read_tool(tool, keys);
  return job ? "" : job.error().message;
}
CommandSpec command_of(const std::string& tool, const std::string& keys) {
  const auto job = read_tool(tool, keys);
  if (!job) throw std::runtime_error(job.error().message);
  return *job->command;
}
std::vector<std::string> names_of(const CommandSpec& command) {
  std::vector<std::string> names;
  std::ranges::transform(command.figures, std::back_inserter(names), &DeclaredFigure::name);
  return names;
}

constexpr const char* kLocal = ", netns: left, local: {netns: right, bind: 10.0.0.2}";

TEST(JobSockperf, becomes_the_commands_of_a_server_and_a_client) {
  const auto job = read_tool("sockperf",
                             "test: under-load, protocol: tcp, message: 1K, rate: 5000, reply_every: 10, "
                             "full_rtt: true, duration: 3s, port: 7000, bind: 10.0.0.1, cpus: [0], netns: "
                             "left, local: {netns: right, bind: 10.0.0.2, cpus: [1, 2]}");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(
      job->command->client.argv,
      ElementsAre("sockperf", "under-load", "-i", "10.0.0.2", "-p", "7000", "--tcp", "-t", "3", "-m", "1024",
                  "--mps", "5000", "--reply-every", "10", "--full-rtt", "--client_ip", "10.0.0.1"));
  EXPECT_THAT(job->command->server->argv,
              ElementsAre("sockperf", "server", "-i", "10.0.0.2", "-p", "7000", "--tcp"));
  EXPECT_THAT(job->command->client.cpus, ElementsAre(0));
  EXPECT_THAT(job->command->server->cpus, ElementsAre(1, 2));
  EXPECT_EQ(job->command->ready.port, 7000);
  EXPECT_EQ(planned_duration(*job), 3s);
  EXPECT_EQ(job->test.path.netns, "left");
  EXPECT_EQ(job->test.path.server, "10.0.0.2");
  EXPECT_EQ(job->test.path.local, (LocalServer{.netns = "right", .bind = "10.0.0.2"}));
  EXPECT_EQ(job->test.path.server_wait, 0ms);
  ASSERT_TRUE(job->workload.ports);
  EXPECT_THAT(job->workload.ports(*job), ElementsAre(PortOfJob{"workload.sockperf.port", 7000}));
  ASSERT_NE(job->workload.facts, nullptr);
  EXPECT_THAT(job->workload.facts(*job, "3.12"),
              IsSupersetOf({Fact{"sockperf", "test", "latency"}, Fact{"sockperf", "protocol", "TCP"},
                            Fact{"sockperf", "mode", "under-load"}, Fact{"sockperf", "message", "1024"},
                            Fact{"sockperf", "rate", "5000"}, Fact{"sockperf", "reply every", "10"}}));
}

TEST(JobSockperf, of_a_server_that_somebody_else_runs_starts_none) {
  const CommandSpec command = command_of("sockperf", "test: ping-pong, server: far.example, duration: 1min");
  EXPECT_FALSE(command.server);
  EXPECT_THAT(command.client.argv, ElementsAre("sockperf", "ping-pong", "-i", "far.example", "-p", "11111",
                                               "-t", "60", "-m", "14"));
}

TEST(JobSockperf, has_the_figures_of_its_import) {
  const CommandSpec half = command_of("sockperf", std::string("test: ping-pong, duration: 1s") + kLocal);
  EXPECT_THAT(
      names_of(half),
      ElementsAre("half_round_trip.mean", "half_round_trip.std_dev", "half_round_trip.min",
                  "half_round_trip.p25", "half_round_trip.p50", "half_round_trip.p75", "half_round_trip.p90",
                  "half_round_trip.p99", "half_round_trip.p999", "half_round_trip.p9999",
                  "half_round_trip.p99999", "half_round_trip.max", "message_rate", "sent_messages",
                  "received_messages", "dropped_messages", "duplicated_messages", "out_of_order_messages"));
  EXPECT_EQ(half.figures[0], (DeclaredFigure{.name = "half_round_trip.mean",
                                             .unit = "ns",
                                             .better = Better::lower,
                                             .form = FigureForm::tool,
                                             .place = "sockperf\n1\ntest=latency\nprotocol=UDP\n",
                                             .take = FigureTake::last,
                                             .document = "client.stdout",
                                             .scale = 1}));
  const CommandSpec whole =
      command_of("sockperf", std::string("test: under-load, full_rtt: true, duration: 1s") + kLocal);
  EXPECT_EQ(whole.figures[7].name, "round_trip.p99");
  const CommandSpec stream =
      command_of("sockperf", std::string("test: throughput, protocol: tcp, duration: 1s") + kLocal);
  EXPECT_THAT(names_of(stream), ElementsAre("message_rate", "bandwidth"));
  const auto job = read_tool("sockperf", std::string("test: throughput, duration: 1s") + kLocal);
  EXPECT_EQ(job->figures, (std::vector<FigureChoice>{{.figure = {.name = "message_rate"}}}));
  EXPECT_THAT(measured_by(*job).own, ElementsAre("message_rate", "bandwidth"));
}

TEST(JobSockperf, that_is_wrong_is_refused_with_the_line_and_the_key) {
  const auto wrong = [](const std::string& keys) {
    return tool_complaint("sockperf", "test: ping-pong, duration: 1s, " + keys + kLocal);
  };
  EXPECT_THAT(tool_complaint("sockperf", std::string("duration: 1s") + kLocal),
              HasSubstr("workload.sockperf.test"));
  EXPECT_THAT(tool_complaint("sockperf", std::string("test: ping, duration: 1s") + kLocal),
              HasSubstr("\"ping\" is not one of ping-pong, under-load or throughput"));
  EXPECT_THAT(tool_complaint("sockperf", std::string("test: ping-pong") + kLocal),
              HasSubstr("workload.sockperf.duration"));
  for (const char* duration : {"1500ms", "0s", "25h", "-1s", "10"}) {
    EXPECT_THAT(
        tool_complaint("sockperf", std::string("test: ping-pong, duration: ") + duration + kLocal),
        HasSubstr(std::string("\"") + duration + "\" is not a duration of 1 s to 24 h in whole seconds"));
  }
  EXPECT_THAT(wrong("message: 13"), HasSubstr("\"13\" is not a number of bytes from 14 to 65507"));
  EXPECT_THAT(wrong("message: 64K"), HasSubstr("\"64K\" is not a number of bytes from 14 to 65507"));
  EXPECT_THAT(wrong("protocol: sctp"), HasSubstr("\"sctp\" is not one of tcp or udp"));
  EXPECT_THAT(wrong("rate: 0"), HasSubstr("workload.sockperf.rate: \"0\" is not"));
  EXPECT_THAT(wrong("port: 0"), HasSubstr("workload.sockperf.port: \"0\" is not"));
  EXPECT_THAT(wrong("reply_every: 3"), AllOf(HasSubstr("job.yaml:3:"), HasSubstr("under-load only")));
  EXPECT_THAT(wrong("cpus: [5000]"), HasSubstr("5000 is out of range (0 to 1023)"));
  EXPECT_THAT(wrong("server: 10.0.0.3"), HasSubstr("stands beside `local`"));
  EXPECT_THAT(wrong("bind: 10.0.0"), HasSubstr("\"10.0.0\" is not an IPv4 or IPv6 address"));
  EXPECT_THAT(tool_complaint("sockperf", "test: throughput, full_rtt: true, duration: 1s, server: a"),
              HasSubstr("nothing is answered here"));
  EXPECT_THAT(tool_complaint("sockperf", "test: ping-pong, duration: 1s"),
              HasSubstr("workload.sockperf.server: is missing"));
  EXPECT_THAT(tool_complaint("sockperf", "test: ping-pong, duration: 1s, server: '-i'"),
              HasSubstr("\"-i\" is not a host name or an address"));
}

TEST(JobNetperf, becomes_the_commands_of_a_netserver_and_a_client) {
  const auto job = read_tool("netperf",
                             "test: TCP_RR, request: 64, response: 1K, duration: 10s, port: 7001, bind: "
                             "10.0.0.1, cpus: [0], netns: left, local: {netns: right, bind: 10.0.0.2, cpus: "
                             "[1]}");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->command->client.argv,
              ElementsAre("netperf", "-H", "10.0.0.2", "-p", "7001", "-4", "-L", "10.0.0.1", "-t", "TCP_RR",
                          "-l", "10", "-j", "-c", "-C", "--", "-L", "10.0.0.1", "-r", "64,1024", "-k",
                          "THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME,PROTOCOL,DIRECTION,MIN_LATENCY,MEAN_"
                          "LATENCY,P50_LATENCY,P90_LATENCY,P99_LATENCY,MAX_LATENCY,STDDEV_LATENCY,LOCAL_CPU_"
                          "UTIL,LOCAL_SD,REMOTE_CPU_UTIL,REMOTE_SD,SD_UNITS,REQUEST_SIZE,RESPONSE_SIZE,"
                          "LOCAL_TRANSPORT_RETRANS,REMOTE_TRANSPORT_RETRANS"));
  EXPECT_THAT(job->command->server->argv,
              ElementsAre("netserver", "-D", "-f", "-N", "-4", "-L", "10.0.0.2", "-p", "7001"));
  EXPECT_EQ(job->command->ready.port, 7001);
  EXPECT_EQ(planned_duration(*job), 10s);
  EXPECT_THAT(job->workload.ports(*job), ElementsAre(PortOfJob{"workload.netperf.port", 7001}));
  EXPECT_THAT(job->workload.facts(*job, "3.12"),
              IsSupersetOf({Fact{"netperf", "test", "TCP REQUEST/RESPONSE"},
                            Fact{"netperf", "protocol", "TCP"}, Fact{"netperf", "direction", "Send|Recv"},
                            Fact{"netperf", "request", "64"}, Fact{"netperf", "response", "1024"}}));
}

TEST(JobNetperf, of_an_ipv6_address_or_a_name_says_so) {
  const CommandSpec six =
      command_of("netperf", "test: TCP_STREAM, duration: 1s, local: {bind: 'fd00::2'}, message: 16K");
  EXPECT_THAT(six.server->argv,
              ElementsAre("netserver", "-D", "-f", "-N", "-6", "-L", "fd00::2", "-p", "12865"));
  EXPECT_EQ(six.client.argv[5], "-6");
  EXPECT_THAT(six.client.argv, testing::Contains("16384"));
  const CommandSpec name = command_of("netperf", "test: UDP_RR, duration: 1s, server: far.example");
  EXPECT_FALSE(name.server);
  EXPECT_EQ(name.client.argv[5], "-t");
  EXPECT_EQ(name.figures[0].place,
            "netperf\n1\ntest=UDP REQUEST/RESPONSE\nprotocol=UDP\ndirection=Send|Recv\nrequest=1\n"
            "response=1\n");
}

TEST(JobNetperf, has_the_figures_of_its_import) {
  const auto figures = [](const std::string& test, const std::string& place) {
    return names_of(command_of("netperf", "test: " + test + ", duration: 1s" + place));
  };
  EXPECT_THAT(figures("TCP_RR", kLocal),
              ElementsAre("transactions", "round_trip.mean", "round_trip.std_dev", "round_trip.min",
                          "round_trip.p50", "round_trip.p90", "round_trip.p99", "round_trip.max", "local_cpu",
                          "local_cpu_per_transaction", "local_retransmits", "remote_cpu",
                          "remote_cpu_per_transaction", "remote_retransmits"));
  EXPECT_THAT(figures("TCP_CRR", kLocal),
              ElementsAre("transactions", "round_trip.mean", "round_trip.std_dev", "round_trip.min",
                          "round_trip.p50", "round_trip.p90", "round_trip.p99", "round_trip.max", "local_cpu",
                          "local_cpu_per_transaction"));
  EXPECT_THAT(figures("UDP_RR", ", server: far"),
              ElementsAre("transactions", "round_trip.mean", "round_trip.std_dev", "round_trip.min",
                          "round_trip.p50", "round_trip.p90", "round_trip.p99", "round_trip.max", "local_cpu",
                          "local_cpu_per_transaction"));
  EXPECT_THAT(figures("TCP_STREAM", kLocal),
              ElementsAre("throughput", "call.mean", "call.std_dev", "call.min", "call.p50", "call.p90",
                          "call.p99", "call.max", "local_cpu", "local_cpu_per_byte", "local_retransmits",
                          "remote_cpu", "remote_cpu_per_byte", "remote_retransmits"));
}

TEST(JobNetperf, that_is_wrong_is_refused_with_the_line_and_the_key) {
  const auto wrong = [](const std::string& test, const std::string& keys) {
    return tool_complaint("netperf", "test: " + test + ", duration: 1s, " + keys + kLocal);
  };
  EXPECT_THAT(wrong("TCP_MAERTS", "request: 1"),
              HasSubstr("\"TCP_MAERTS\" is not one of TCP_STREAM, TCP_RR, TCP_CRR or UDP_RR"));
  EXPECT_THAT(wrong("TCP_RR", "request: 0"), HasSubstr("\"0\" is not a number of bytes from 1 to 16M"));
  EXPECT_THAT(wrong("TCP_RR", "response: 17M"), HasSubstr("\"17M\" is not a number of bytes from 1 to 16M"));
  EXPECT_THAT(
      wrong("TCP_RR", "message: 10"),
      AllOf(HasSubstr("job.yaml:3:"), HasSubstr("workload.netperf.message: is for the test TCP_STREAM")));
  EXPECT_THAT(wrong("TCP_STREAM", "response: 10"), HasSubstr("is for the tests TCP_RR, TCP_CRR and UDP_RR"));
  EXPECT_THAT(wrong("UDP_RR", "request: 64K"), HasSubstr("65536 is more than a datagram has (65507)"));
  EXPECT_THAT(tool_complaint("netperf", "test: TCP_RR, duration: 1s"),
              HasSubstr("workload.netperf.server: is missing"));
}

}  // namespace
}  // namespace netperfd::config
