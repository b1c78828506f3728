// SPDX-License-Identifier: GPL-2.0-or-later
// Documents from an unknown source: all options must come from the document itself.
#include "daemon/workload/iperf3/import.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Result<ImportedFile> import(std::string_view bytes) {
  return read_iperf3_file(std::as_bytes(std::span(bytes)));
}

std::string error_of(std::string_view bytes) {
  const auto file = import(bytes);
  if (file) return "imported";
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  return file.error().message;
}

class Iperf3Import : public testing::TestWithParam<Recording> {};

INSTANTIATE_TEST_SUITE_P(Recordings, Iperf3Import, testing::ValuesIn(all_recordings()),
                         [](const auto& which) {
                           std::string name = which.param.file;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
                               '_');
                           return name;
                         });

TEST_P(Iperf3Import, says_of_a_recorded_document_what_the_asker_of_it_learnt) {
  const Recording& recording = GetParam();
  const std::string bytes = recorded(recording.file);
  const TestSpec& asked = recording.expected.asked;
  const auto file = import(bytes);
  if (!recording.expected.error.empty()) {
    EXPECT_FALSE(file);
    return;
  }
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->workload);
  const ImportedWorkload& workload = *file->workload;
  EXPECT_EQ(workload.asked.traffic.protocol, asked.traffic.protocol);
  EXPECT_EQ(workload.asked.traffic.direction, asked.traffic.direction);
  EXPECT_EQ(workload.asked.traffic.streams, asked.traffic.streams);
  EXPECT_EQ(workload.asked.traffic.duration, asked.traffic.duration);
  EXPECT_EQ(workload.asked.traffic.bytes, asked.traffic.bytes);
  EXPECT_EQ(workload.asked.traffic.omit, asked.traffic.omit);
  EXPECT_FALSE(workload.asked.path.server.empty());
  EXPECT_TRUE(workload.started);
  EXPECT_TRUE(workload.system.starts_with("Linux ")) << workload.system;
  const WorkloadReport expected = parse_iperf3_report(bytes, "", asked).report;
  ASSERT_EQ(workload.report.sums.size(), expected.sums.size());
  for (std::size_t i = 0; i < expected.sums.size(); ++i) {
    EXPECT_EQ(workload.report.sums[i].direction, expected.sums[i].direction);
    EXPECT_EQ(workload.report.sums[i].received_bytes, expected.sums[i].received_bytes);
    EXPECT_EQ(workload.report.sums[i].retransmits, expected.sums[i].retransmits);
    EXPECT_EQ(workload.report.sums[i].lost_packets, expected.sums[i].lost_packets);
  }
  EXPECT_EQ(workload.report.intervals.size(), expected.intervals.size());
}

nlohmann::json of_server(bool client_sends) {
  nlohmann::json document = make_document(3);
  document["start"]["accepted_connection"] = {{"host", "10.0.0.1"}, {"port", 40000}};
  document["start"]["test_start"]["reverse"] = client_sends ? 0 : 1;
  const auto set = [&](nlohmann::json& figures) { figures["sender"] = !client_sends; };
  for (auto& interval : document["intervals"]) {
    set(interval["sum"]);
    set(interval["streams"][0]);
  }
  auto& end = document["end"];
  for (const char* side : {"sender", "receiver"}) set(end["streams"][0][side]);
  set(end["sum_sent"]);
  set(end["sum_received"]);
  // Of its client it prints zeros.
  end[client_sends ? "sum_sent" : "sum_received"]["bytes"] = 0;
  end["streams"][0][client_sends ? "sender" : "receiver"]["bytes"] = 0;
  end["sum_sent"]["retransmits"] = client_sends ? 0 : 7;
  end["cpu_utilization_percent"]["remote_total"] = 0;
  return document;
}

std::vector<std::string> codes_of(const ImportedFile& file) {
  std::vector<std::string> codes;
  for (const QualityFlag& flag : file.workload->flags) codes.push_back(flag.code);
  return codes;
}

TEST(Iperf3ImportedDocument, of_a_server_that_received_tells_what_arrived_and_not_what_was_sent) {
  const auto file = import(of_server(true).dump());
  ASSERT_TRUE(file) << file.error().message;
  const WorkloadReport& report = file->workload->report;
  ASSERT_EQ(report.sums.size(), 1U);
  EXPECT_EQ(report.sums[0].direction, Direction::send);
  EXPECT_EQ(report.sums[0].received_bytes, 3'000'000U);
  EXPECT_FALSE(report.sums[0].sent_bytes);
  EXPECT_FALSE(report.sums[0].retransmits);
  EXPECT_EQ(report.client->port, 5201) << "the two ends of the made document, exchanged";
  EXPECT_EQ(report.cpu_server_percent, 12.5);
  EXPECT_FALSE(report.cpu_client_percent);
  ASSERT_FALSE(report.intervals.empty());
  EXPECT_FALSE(report.intervals[0].sender);
  EXPECT_THAT(codes_of(*file), testing::UnorderedElementsAre("server-document", "sender-unknown"));
}

TEST(Iperf3ImportedDocument, of_a_server_that_sent_tells_what_was_sent_and_not_what_arrived) {
  const auto file = import(of_server(false).dump());
  ASSERT_TRUE(file) << file.error().message;
  const Totals& sum = file->workload->report.sums.at(0);
  EXPECT_EQ(sum.direction, Direction::receive);
  EXPECT_EQ(sum.sent_bytes, 3'000'000U);
  EXPECT_EQ(sum.retransmits, 7U);
  EXPECT_FALSE(sum.received_bytes);
  EXPECT_THAT(codes_of(*file), testing::UnorderedElementsAre("server-document", "receiver-unknown"));
}

TEST(Iperf3ImportedDocument, of_a_server_whose_client_vanished_shows_iperf3s_error) {
  nlohmann::json document = of_server(true);
  document["error"] = "the client has unexpectedly closed the connection";
  EXPECT_THAT(error_of(document.dump()), HasSubstr("the client went away during the test: iperf3 says"));
}

TEST(Iperf3ImportedDocument, of_a_failed_test_names_neither_a_server_nor_a_protocol_that_it_does_not_tell) {
  const nlohmann::json document{{"start", {{"connected", nlohmann::json::array()}}},
                                {"error", "unable to connect to server: Connection refused"}};
  EXPECT_EQ(
      error_of(document.dump()),
      "the document is no measurement: the server refused the connection: iperf3 says \"unable to connect "
      "to server: Connection refused\"");
}

// The bytes received of each run.
std::vector<std::uint64_t> runs_of(std::string_view bytes) {
  const auto file = import(bytes);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return {};
  }
  std::vector<std::uint64_t> received{file->workload->report.sums.at(0).received_bytes.value_or(0)};
  for (const ImportedMore& more : file->more)
    received.push_back(more.workload.report.sums.at(0).received_bytes.value_or(0));
  return received;
}

TEST(Iperf3ImportedDocument, of_two_runs_is_a_run_of_each_and_the_same_run_twice_is_one) {
  nlohmann::json first = make_document(3);
  nlohmann::json second = make_document(4);
  first["start"]["cookie"] = "a";
  second["start"]["cookie"] = "b";
  const std::string both = first.dump(1) + "\n" + second.dump(1);
  EXPECT_THAT(runs_of(both), ElementsAre(3'000'000U, 4'000'000U));
  EXPECT_EQ(import(both)->raw, first.dump(1)) << "each keeps its own document";
  EXPECT_EQ(import(both)->more.at(0).raw, second.dump(1));
  EXPECT_THAT(runs_of(first.dump(1) + "\n" + first.dump(1)), ElementsAre(3'000'000U));
  first["start"].erase("cookie");
  second["start"].erase("cookie");
  second["start"]["connected"][0]["local_port"] = 40001;
  EXPECT_THAT(runs_of(first.dump(1) + "\n" + second.dump(1)), ElementsAre(3'000'000U, 4'000'000U))
      << "the ports tell them apart";
}

TEST(Iperf3ImportedDocument, with_an_error_is_refused_with_iperf3s_own_words) {
  nlohmann::json document = make_document(3);
  document["error"] = "the server has terminated";
  EXPECT_THAT(error_of(document.dump()), HasSubstr("iperf3 says \"the server has terminated\""));
}

TEST(Iperf3ImportedDocument, that_ends_in_the_middle_is_refused) {
  const std::string bytes = make_document(3).dump();
  EXPECT_THAT(error_of(std::string_view(bytes).substr(0, bytes.size() / 2)), HasSubstr("ends in the middle"));
}

TEST(Iperf3ImportedDocument, of_an_old_version_needs_no_direction_server_or_time) {
  nlohmann::json document = make_document(3);
  document["start"].erase("timestamp");
  document["start"].erase("connecting_to");
  document["start"]["test_start"].erase("reverse");
  const auto file = import(document.dump());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->workload->asked.traffic.direction, Direction::send);
  EXPECT_EQ(file->workload->asked.path.server, "10.0.0.2") << "the other end of its connection";
  EXPECT_FALSE(file->workload->started);
}

// For UDP, in the layout of iperf3 3.9: one final sum for both sides.
nlohmann::json make_old_udp(bool client_sends, std::int64_t lost) {
  nlohmann::json document = make_document(3);
  document["start"]["version"] = "iperf 3.9";
  auto& test = document["start"]["test_start"];
  test["protocol"] = "UDP";
  test["reverse"] = client_sends ? 0 : 1;
  for (auto& interval : document["intervals"]) {
    interval["sum"]["sender"] = interval["streams"][0]["sender"] = client_sends;
  }
  nlohmann::json sum = figures(0, 3, 3 * kIntervalBytes + 1'000 * (client_sends ? 0 : lost), client_sends);
  sum["jitter_ms"] = 0.5;
  sum["lost_packets"] = lost;
  sum["packets"] = 3'000;
  document["end"].erase("sum_sent");
  document["end"].erase("sum_received");
  document["end"]["sum"] = sum;
  document["end"]["streams"] = nlohmann::json::array({{{"udp", of_stream(sum)}}});
  return document;
}

TEST(Iperf3ImportedDocument, of_old_udp_that_was_sent_computes_what_arrived_and_says_so) {
  const auto file = import(make_old_udp(true, 30).dump());
  ASSERT_TRUE(file) << file.error().message;
  const WorkloadReport& report = file->workload->report;
  ASSERT_EQ(report.sums.size(), 1U);
  EXPECT_EQ(report.sums[0].direction, Direction::send);
  EXPECT_EQ(report.sums[0].sent_bytes, 3'000'000U);
  EXPECT_EQ(report.sums[0].received_bytes, 2'970'000U);
  EXPECT_DOUBLE_EQ(report.sums[0].received_bits_per_second.value_or(0), 7.92e6);
  EXPECT_EQ(report.sums[0].jitter_ms, 0.5);
  EXPECT_EQ(report.sums[0].packets, 3'000U);
  EXPECT_EQ(report.sums[0].lost_packets, 30);
  ASSERT_EQ(file->workload->flags.size(), 1U);
  EXPECT_EQ(file->workload->flags[0].code, "receiver-computed");
}

TEST(Iperf3ImportedDocument, of_old_udp_that_was_received_has_in_its_intervals_what_arrived) {
  const auto file = import(make_old_udp(false, 30).dump());
  ASSERT_TRUE(file) << file.error().message;
  const WorkloadReport& report = file->workload->report;
  ASSERT_EQ(report.sums.size(), 1U);
  EXPECT_EQ(report.sums[0].direction, Direction::receive);
  EXPECT_EQ(report.sums[0].sent_bytes, 3'030'000U);
  EXPECT_EQ(report.sums[0].received_bytes, 3'000'000U);
  EXPECT_EQ(report.sums[0].lost_packets, 30);
  EXPECT_TRUE(file->workload->flags.empty());
}

TEST(Iperf3ImportedDocument, of_old_udp_whose_receiver_never_answered_does_not_tell_what_arrived) {
  nlohmann::json document = make_old_udp(true, 0);
  document["end"]["cpu_utilization_percent"]["remote_total"] = 0;
  const auto file = import(document.dump());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->workload->report.sums[0].sent_bytes, 3'000'000U);
  EXPECT_FALSE(file->workload->report.sums[0].received_bytes);
}

TEST(Iperf3ImportedDocument, of_both_directions_that_are_named_alike_is_refused) {
  const std::string why = "iperf3 before 3.11 names both directions alike";
  nlohmann::json document = make_document(3);
  nlohmann::json second = document["end"]["streams"][0];
  second["sender"]["socket"] = second["receiver"]["socket"] = 7;
  second["sender"]["sender"] = second["receiver"]["sender"] = false;
  document["end"]["streams"].push_back(second);
  EXPECT_THAT(error_of(document.dump()), HasSubstr(why));
  document = make_document(3);
  document["start"]["test_start"]["bidir"] = 1;
  EXPECT_THAT(error_of(document.dump()), HasSubstr(why));
}

TEST(Iperf3ImportedDocument, tells_the_rate_and_the_length_that_were_used) {
  nlohmann::json document = make_document(3);
  const auto silent = import(document.dump());
  ASSERT_TRUE(silent) << silent.error().message;
  EXPECT_EQ(silent->workload->asked.iperf3.length_bytes, 1'000U);
  EXPECT_FALSE(silent->workload->asked.traffic.bitrate);
  document["start"]["target_bitrate"] = 50'000'000;
  EXPECT_EQ(import(document.dump())->workload->asked.traffic.bitrate, 50'000'000U);
  document["start"]["test_start"]["target_bitrate"] = 0;
  EXPECT_EQ(import(document.dump())->workload->asked.traffic.bitrate, 0U);
}

TEST(Iperf3ImportedDocument, of_impossible_figures_keeps_within_its_bounds) {
  nlohmann::json document = make_document(3);
  document["start"]["test_start"]["num_streams"] = 1e15;
  document["start"]["test_start"]["blocks"] = 1e18;
  document["start"]["test_start"]["duration"] = 0;
  document["start"]["timestamp"]["timesecs"] = 1e17;
  const auto file = import(document.dump());
  if (file) {
    EXPECT_LE(file->workload->asked.traffic.streams, 1'024U);
    EXPECT_FALSE(file->workload->started);
  }
  const std::string deep = "{\"start\":" + std::string(100'000, '[');
  EXPECT_THAT(error_of(deep), HasSubstr("nested deeper"));
  EXPECT_THAT(error_of(std::string((64U << 20U) + 1, ' ')), HasSubstr("more than 64 MiB"));
}

// Each value takes far more memory than the bytes that it is written with.
TEST(Iperf3ImportedDocument, of_more_values_than_iperf3_writes_is_too_large) {
  for (const char* value : {"0,", "\n{}"}) {
    std::string text = R"({"start":{"test_start":{"protocol":"TCP"}},"intervals":[)";
    for (int i = 0; i < 5'000'000; ++i) text += value;
    EXPECT_THAT(error_of(text + "0],\"end\":{}}"), HasSubstr("too large: it has more than 5000000 values"))
        << value;
  }
}

TEST(Iperf3ImportedDocument, of_more_intervals_than_a_run_has_is_too_large) {
  std::string text = R"({"start":{"test_start":{"protocol":"TCP"}},"intervals":[)";
  for (std::size_t i = 0; i <= kMostIntervalsOfFile; ++i)
    text += fmt::format(R"({{"sum":{{"start":{},"end":{},"bytes":1}}}},)", i, i + 1);
  text.back() = ']';
  EXPECT_THAT(
      error_of(text + R"(,"end":{"sum_sent":{"bytes":200001},"sum_received":{"bytes":200001}}})"),
      HasSubstr("it has 200001 intervals of streams and sums, and a run is imported with 200000 at most"));
}

// Each run is compared with those before it.
TEST(Iperf3ImportedDocument, of_many_runs_counts_no_more_than_a_hundred) {
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += fmt::format("{{\"event\":\"start\",\"data\":{{\"cookie\":\"{}\"}}}}\n", i);
  EXPECT_THAT(error_of(text), HasSubstr("it has the documents of 100 runs or more"));
}

}  // namespace
}  // namespace netperfd::workload::test
