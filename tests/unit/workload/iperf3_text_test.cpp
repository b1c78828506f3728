// SPDX-License-Identifier: GPL-2.0-or-later
// What iperf3 prints for people. Its truth is its JSON of the same test: recorded by the other side of one
// connection, or printed from a recorded document.
#include "daemon/workload/iperf3/text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_text_maker.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<ImportedFile> read_text(std::string_view bytes) {
  return read_iperf3_text(std::as_bytes(std::span(bytes)));
}

std::string text_file(const std::string& name) {
  std::ifstream file(recordings_directory() / "text" / name, std::ios::binary);
  if (!file) throw std::runtime_error("no " + name);
  return (std::ostringstream() << file.rdbuf()).str();
}

ImportedWorkload json_of(std::string_view bytes) {
  auto file = read_iperf3_file(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(file) << file.error().message;
  return file ? *file->workload : ImportedWorkload{};
}

ImportedWorkload text_of(std::string_view bytes) {
  auto file = read_text(bytes);
  EXPECT_TRUE(file) << file.error().message << "\n" << bytes;
  return file ? *file->workload : ImportedWorkload{};
}

std::string refusal_of_text(std::string_view bytes) {
  const auto file = read_text(bytes);
  if (file) return "imported";
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  return file.error().message;
}

std::vector<std::string> text_flags(const ImportedWorkload& workload) {
  std::vector<std::string> codes;
  for (const QualityFlag& flag : workload.flags) codes.push_back(flag.code);
  return codes;
}

// Three digits of a figure: half a unit of the last one.
template <class Number>
void expect_rounded(const std::optional<Number>& text, const std::optional<Number>& truth,
                    const std::string& what) {
  ASSERT_EQ(text.has_value(), truth.has_value()) << what;
  if (!truth) return;
  EXPECT_NEAR(static_cast<double>(*text), static_cast<double>(*truth),
              0.0051 * static_cast<double>(*truth) + 1)
      << what;
}

void expect_same_test(const ImportedWorkload& text, const ImportedWorkload& truth) {
  EXPECT_EQ(text.asked.traffic.protocol, truth.asked.traffic.protocol);
  EXPECT_EQ(text.asked.traffic.direction, truth.asked.traffic.direction);
  EXPECT_EQ(text.asked.traffic.streams, truth.asked.traffic.streams);
  ASSERT_EQ(text.report.sums.size(), truth.report.sums.size());
}

class Iperf3TextOfClient : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recorded, Iperf3TextOfClient,
                         testing::Values("tcp-send", "tcp-send-3", "tcp-receive", "tcp-both", "tcp-omit",
                                         "tcp-bytes", "udp-send", "udp-loss", "udp-receive", "udp-both"));

// The server's document has what the server counted: bytes received or sent, retransmits, loss.
TEST_P(Iperf3TextOfClient, tells_what_the_servers_document_of_the_same_test_tells) {
  const std::string name = GetParam();
  const ImportedWorkload text = text_of(text_file(name + ".client.txt"));
  const ImportedWorkload truth = json_of(text_file(name + ".server.json"));
  expect_same_test(text, truth);
  for (std::size_t i = 0; i < truth.report.sums.size(); ++i) {
    const Totals& told = text.report.sums[i];
    const Totals& counted = truth.report.sums[i];
    EXPECT_EQ(told.direction, counted.direction);
    if (counted.received_bytes) expect_rounded(told.received_bytes, counted.received_bytes, "received");
    if (counted.received_bits_per_second)
      expect_rounded(told.received_bits_per_second, counted.received_bits_per_second, "rate received");
    if (counted.sent_bytes) expect_rounded(told.sent_bytes, counted.sent_bytes, "sent");
    if (counted.retransmits) EXPECT_EQ(told.retransmits, counted.retransmits);
    if (counted.received_bytes && counted.lost_packets) EXPECT_EQ(told.lost_packets, counted.lost_packets);
    EXPECT_TRUE(told.sent_bytes);
    EXPECT_TRUE(told.received_bytes);
  }
  EXPECT_THAT(text_flags(text), testing::Contains("rounded-figures"));
}

class Iperf3TextOfServer : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recorded, Iperf3TextOfServer,
                         testing::Values("s-tcp-send", "s-tcp-send-2", "s-tcp-receive", "s-tcp-both",
                                         "s-udp-send", "s-udp-receive"));

TEST_P(Iperf3TextOfServer, tells_what_the_clients_document_says_of_the_server) {
  const std::string name = GetParam();
  const ImportedWorkload text = text_of(text_file(name + ".server.txt"));
  const ImportedWorkload truth = json_of(text_file(name + ".client.json"));
  expect_same_test(text, truth);
  for (std::size_t i = 0; i < truth.report.sums.size(); ++i) {
    const Totals& told = text.report.sums[i];
    const Totals& counted = truth.report.sums[i];
    ASSERT_EQ(told.direction, counted.direction);
    if (told.direction == Direction::send) {
      expect_rounded(told.received_bytes, counted.received_bytes, "received");
      EXPECT_FALSE(told.sent_bytes) << "only the client knows it";
      EXPECT_FALSE(told.retransmits);
    } else {
      expect_rounded(told.sent_bytes, counted.sent_bytes, "sent");
      EXPECT_EQ(told.retransmits, counted.retransmits);
      EXPECT_FALSE(told.received_bytes);
    }
  }
  EXPECT_THAT(text_flags(text), testing::Contains("server-document"));
}

class Iperf3TextOfRecording : public testing::TestWithParam<Recording> {};
INSTANTIATE_TEST_SUITE_P(Recordings, Iperf3TextOfRecording, testing::ValuesIn([] {
                           std::vector<Recording> sound;
                           for (Recording& each : all_recordings()) {
                             const bool alone = nlohmann::json::accept(recorded(each.file));
                             const bool stream = each.file.find("stream-") != std::string::npos;
                             if (each.expected.error.empty() && alone && !stream)
                               sound.push_back(std::move(each));
                           }
                           return sound;
                         }()),
                         [](const auto& which) {
                           std::string name = which.param.file;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
                               '_');
                           return name;
                         });

TEST_P(Iperf3TextOfRecording, tells_what_the_document_tells_but_for_rounding) {
  const std::string bytes = recorded(GetParam().file);
  const auto document = nlohmann::json::parse(bytes);
  const ImportedWorkload truth = json_of(bytes);
  for (const bool verbose : {false, true}) {
    const std::string printed = text_for_people(document, verbose);
    SCOPED_TRACE(printed);
    const ImportedWorkload text = text_of(printed);
    expect_same_test(text, truth);
    EXPECT_EQ(text.options_unknown, !verbose);
    EXPECT_EQ(text.asked.traffic.omit, truth.asked.traffic.omit);
    if (verbose) {
      EXPECT_EQ(text.asked.traffic.duration, truth.asked.traffic.duration);
      EXPECT_EQ(text.asked.traffic.bytes, truth.asked.traffic.bytes);
      EXPECT_EQ(text.started, truth.started);
      EXPECT_EQ(text.report.version, truth.report.version);
      EXPECT_EQ(text.system, truth.system);
    }
    EXPECT_EQ(text.report.client, truth.report.client);
    EXPECT_EQ(text.report.server, truth.report.server);
    EXPECT_EQ(text.report.intervals.size(), truth.report.intervals.size());
    for (std::size_t i = 0; i < truth.report.sums.size(); ++i) {
      const Totals& told = text.report.sums[i];
      const Totals& counted = truth.report.sums[i];
      EXPECT_EQ(told.direction, counted.direction);
      expect_rounded(told.sent_bytes, counted.sent_bytes, "sent");
      EXPECT_EQ(told.retransmits, counted.retransmits);
      if (counted.received_bytes == 0U) continue;  // the document tells by the receiver's CPU that it knows
      expect_rounded(told.received_bytes, counted.received_bytes, "received");
      expect_rounded(told.received_bits_per_second, counted.received_bits_per_second, "rate");
    }
    for (std::size_t i = 0; i < truth.report.intervals.size(); ++i) {
      expect_rounded(text.report.intervals[i].bytes, truth.report.intervals[i].bytes, "interval");
      EXPECT_EQ(text.report.intervals[i].omitted, truth.report.intervals[i].omitted);
      EXPECT_EQ(text.report.intervals[i].retransmits, truth.report.intervals[i].retransmits);
    }
  }
}

constexpr std::string_view kPlain =
    "Connecting to host 10.0.0.2, port 5201\n"
    "[  5] local 10.0.0.1 port 40000 connected to 10.0.0.2 port 5201\n"
    "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    3    402 KBytes       \n"
    "[  5]   1.00-2.00   sec   113 MBytes   945 Mbits/sec    0   1.00 MBytes       \n"
    "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
    "[ ID] Interval           Transfer     Bitrate         Retr\n"
    "[  5]   0.00-2.00   sec   225 MBytes   943 Mbits/sec    3             sender\n"
    "[  5]   0.00-2.04   sec   224 MBytes   921 Mbits/sec                  receiver\n"
    "\n"
    "iperf Done.\n";

TEST(Iperf3Text, gives_each_figure_of_its_rows) {
  const ImportedWorkload workload = text_of(kPlain);
  ASSERT_EQ(workload.report.sums.size(), 1U);
  const Totals& sum = workload.report.sums[0];
  EXPECT_EQ(sum.sent_bytes, 225U << 20U);
  EXPECT_EQ(sum.received_bytes, 224U << 20U);
  EXPECT_EQ(sum.received_bits_per_second, 921e6);
  EXPECT_EQ(sum.retransmits, 3U);
  EXPECT_EQ(sum.max_snd_cwnd, 1U << 20U);
  EXPECT_DOUBLE_EQ(*sum.seconds, 2.04);
  EXPECT_FALSE(sum.mean_rtt);
  ASSERT_EQ(workload.report.intervals.size(), 4U);
  EXPECT_EQ(workload.report.intervals[0].stream, 5);
  EXPECT_EQ(workload.report.intervals[0].snd_cwnd, 402U << 10U);
  EXPECT_EQ(workload.report.intervals[0].retransmits, 3U);
  EXPECT_FALSE(workload.report.intervals[1].stream);
  EXPECT_EQ(workload.asked.path.server, "10.0.0.2");
  EXPECT_FALSE(workload.asked.traffic.duration) << "nobody told it";
  EXPECT_FALSE(workload.started);
  EXPECT_TRUE(workload.report.version.empty());
  EXPECT_THAT(text_flags(workload), testing::ElementsAre("rounded-figures", "options-unknown"));
  EXPECT_THAT(workload.flags[0].message, HasSubstr("0.22 % (bytes) and 0.054 % (rates)"));
}

TEST(Iperf3Text, is_found_behind_a_logs_times_a_title_and_in_a_tools_json) {
  const ImportedWorkload plain = text_of(kPlain);
  for (const char* prefix : {"2024-05-01T10:00:00Z ", "lab:  ", "[2024-05-01 10:00:00] ", "\t"}) {
    std::string text;
    for (std::string_view rest = kPlain; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      text += prefix + std::string(rest.substr(0, end)) + "\r\n";
      rest.remove_prefix(end + 1);
    }
    EXPECT_EQ(text_of(text), plain) << prefix;
  }
  const nlohmann::json tool{{"host", "a"}, {"rc", 0}, {"stdout", kPlain}};
  EXPECT_EQ(text_of(tool.dump()), plain);
  EXPECT_EQ(text_of(tool.dump(2)), plain);
}

TEST(Iperf3Text, of_one_run_that_a_tool_keeps_twice_is_one_run) {
  nlohmann::json lines = nlohmann::json::array();
  for (std::string_view rest = kPlain; !rest.empty();) {
    lines.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(rest.find('\n') + 1);
  }
  const nlohmann::json tool{{"stdout", kPlain}, {"stdout_lines", lines}};
  const auto file = read_text(tool.dump(2));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->more.empty());
}

std::string with(std::string text, std::string_view what, std::string_view instead) {
  return text.replace(text.find(what), what.size(), instead);
}

TEST(Iperf3Text, of_several_tests_is_a_run_each) {
  const std::string other = with(std::string(kPlain), "port 40000", "port 40002");
  const auto file = read_text(std::string(kPlain) + other + with(other, "40002", "40004"));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->more.size(), 2U);
  EXPECT_EQ(file->more[0].workload.report.client->port, 40002);
  EXPECT_EQ(file->raw, kPlain);
  EXPECT_EQ(file->more[0].raw, other);
  EXPECT_EQ(text_of(file->more[0].raw), file->more[0].workload);
}

TEST(Iperf3Text, of_a_server_gives_its_version_to_each_of_its_tests) {
  const std::string test =
      "Accepted connection from 10.0.0.1, port 40001\n"
      "[  5] local 10.0.0.2 port 5201 connected to 10.0.0.1 port 40000\n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  \n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  receiver\n"
      "-----------------------------------------------------------\n"
      "Server listening on 5201 (test #2)\n";
  const std::string head = "iperf 3.12\nLinux a 6.1 #1 SMP x86_64\nServer listening on 5201 (test #1)\n";
  const auto file = read_text(head + test + with(test, "40000", "40004") +
                              "iperf3: interrupt - the server has terminated\n");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->more.size(), 1U);
  for (const ImportedWorkload* each : {&*file->workload, &file->more[0].workload}) {
    EXPECT_EQ(each->report.version, "3.12");
    EXPECT_EQ(each->system, "Linux a 6.1 #1 SMP x86_64");
    EXPECT_FALSE(each->report.sums.at(0).sent_bytes);
  }
  EXPECT_EQ(text_of(file->more[0].raw), file->more[0].workload) << "as when it is read again";
}

TEST(Iperf3Text, of_the_server_behind_the_clients_is_left_out) {
  const ImportedWorkload workload = text_of(text_file("verbose-with-server.txt"));
  EXPECT_EQ(workload.report.intervals.size(), 6U);
  EXPECT_EQ(workload.report.congestion, "bbr");
  EXPECT_EQ(workload.report.cpu_client_percent, 27.8);
  EXPECT_EQ(workload.report.cpu_server_percent, 26.2);
  EXPECT_EQ(workload.report.mss_bytes, 1448U);
  EXPECT_EQ(workload.asked.traffic.duration, std::chrono::seconds{3});
}

TEST(Iperf3Text, of_udp_before_37_tells_what_arrived_by_the_share_that_was_lost) {
  const ImportedWorkload workload = text_of(
      "Connecting to host 10.0.0.2, port 5201\n"
      "[ ID] Interval           Transfer     Bandwidth       Total Datagrams\n"
      "[  4]   0.00-1.00   sec   100 MBytes   839 Mbits/sec  1000  \n"
      "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
      "[  4]   0.00-1.00   sec   100 MBytes   839 Mbits/sec  0.031 ms  250/1000 (25%)  \n"
      "[  4] Sent 1000 datagrams\n");
  const Totals& sum = workload.report.sums.at(0);
  EXPECT_EQ(sum.sent_bytes, 100U << 20U);
  EXPECT_EQ(sum.received_bytes, 75U << 20U);
  EXPECT_EQ(sum.packets, 1000U);
  EXPECT_EQ(sum.lost_packets, 250);
  EXPECT_EQ(sum.lost_percent, 25);
  EXPECT_EQ(sum.jitter_ms, 0.031);
  EXPECT_THAT(text_flags(workload), testing::Contains("receiver-computed"));
}

TEST(Iperf3Text, of_its_ends_alone_is_a_run_each) {
  const std::string ends =
      "[  5]   0.00-10.00  sec  1.10 GBytes   944 Mbits/sec   12             sender\n"
      "[  5]   0.00-10.04  sec  1.10 GBytes   941 Mbits/sec                  receiver\n";
  const auto file = read_text(ends + with(ends, "941", "940"));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->more.size(), 1U);
  EXPECT_EQ(file->more[0].workload.report.sums.at(0).received_bits_per_second, 940e6);
  EXPECT_EQ(file->workload->report.sums.at(0).retransmits, 12U);
  EXPECT_THAT(text_flags(*file->workload), testing::Contains("missing-intervals"));
}

TEST(Iperf3Text, without_retransmits_is_taken_for_tcp_and_says_so) {
  const ImportedWorkload workload = text_of(
      "Connecting to host a, port 5201\n[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  sender\n");
  EXPECT_EQ(workload.asked.traffic.protocol, Protocol::tcp);
  EXPECT_FALSE(workload.report.sums.at(0).retransmits);
  EXPECT_THAT(workload.flags.at(1).message, HasSubstr("TCP is assumed"));
}

TEST(Iperf3Text, that_cannot_be_a_run_is_refused_with_the_line_and_the_cause) {
  const std::string plain(kPlain);
  EXPECT_THAT(refusal_of_text(plain.substr(0, plain.find("- - "))),
              AllOf(HasSubstr("line 5:"), HasSubstr("without its sums")));
  EXPECT_THAT(refusal_of_text("Client connecting to a, TCP port 5001\n[  3]  0.0-10.0 sec  1.10 GBytes   941 "
                              "Mbits/sec\n"),
              AllOf(HasSubstr("line 1:"), HasSubstr("iperf 2")));
  const std::string mixed = with(plain, "[ ID]", "Connecting to host b, port 5201\n[ ID]");
  EXPECT_THAT(refusal_of_text(mixed), AllOf(HasSubstr("line 3:"), HasSubstr("two tests are mixed")));
  const std::string back = with(plain, "   1.00-2.00 ",
                                "   5.00-6.00   sec   113 MBytes   945 Mbits/sec    0   1 MBytes\n[  5]   "
                                "1.00-2.00 ");
  EXPECT_THAT(refusal_of_text(back), AllOf(HasSubstr("line 6:"), HasSubstr("two tests are mixed")));
  EXPECT_THAT(refusal_of_text("iperf3: error - unable to connect to server: Connection refused\n"),
              AllOf(HasSubstr("line"), HasSubstr("Connection refused")));
  EXPECT_THAT(
      refusal_of_text(plain + "iperf3: error - unable to connect to server: Connection refused\n"),
      AllOf(HasSubstr("2 runs, and number 2"), HasSubstr("lines 12 to 12"), HasSubstr("Connection refused")));
  EXPECT_THAT(refusal_of_text("[ ID] Interval           Transfer     Bitrate\n"),
              HasSubstr("expected are its rows"));
}

TEST(Iperf3Text, of_which_a_row_is_cut_off_is_read_without_it) {
  const ImportedWorkload workload = text_of(with(std::string(kPlain), "945 Mbits/sec ", "945 Mb "));
  EXPECT_EQ(workload.report.intervals.size(), 2U);
  EXPECT_THAT(text_flags(workload), testing::Contains("unreadable-values"));
  EXPECT_EQ(workload.report.sums.at(0).received_bits_per_second, 921e6);
}

TEST(Iperf3Text, with_nan_has_unknown_figures) {
  const ImportedWorkload workload =
      text_of(with(std::string(kPlain), "225 MBytes   943 Mbits", "225 MBytes  -nan bits"));
  EXPECT_THAT(text_flags(workload), testing::Contains("repaired-tokens"));
  EXPECT_EQ(workload.report.sums.at(0).sent_bytes, 225U << 20U);
}

TEST(Iperf3Text, of_any_length_takes_bounded_memory) {
  std::string many(kPlain.substr(0, kPlain.find("[  5]   1.00")));
  for (std::size_t i = 0; i <= kMostIntervalsOfFile; ++i)
    many += "[  5]   1.00-2.00   sec   113 MBytes   945 Mbits/sec    0   1.00 MBytes       \n";
  EXPECT_THAT(refusal_of_text(many), AllOf(HasSubstr("line 200004"), HasSubstr("more than 200000 rows")));
  EXPECT_THAT(refusal_of_text(std::string(1U << 20U, '[')), HasSubstr("no test of iperf3"));
}

}  // namespace
}  // namespace netperfd::workload::test
