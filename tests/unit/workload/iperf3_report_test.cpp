// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/report.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model/noise.hpp"
#include "daemon/model/text.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// ---- A sound document -------------------------------------------------------------------------------------

TEST(WorkloadReport, of_a_sound_document_has_all_its_figures_and_no_flag) {
  const ParsedReport parsed = parse(make_document(10));
  EXPECT_EQ(parsed.error, "");
  EXPECT_THAT(codes(parsed), IsEmpty());
  const WorkloadReport& report = parsed.report;
  EXPECT_EQ(report.version, "3.12");
  EXPECT_EQ(report.client->host, "10.0.0.1");
  EXPECT_EQ(report.client->port, 40000);
  EXPECT_EQ(report.server->port, 5201);
  EXPECT_EQ(report.mss_bytes, 1448U);
  EXPECT_EQ(report.congestion, "cubic");
  EXPECT_EQ(report.cpu_client_percent, 12.5);
  EXPECT_EQ(report.cpu_server_percent, 25.0);
  ASSERT_EQ(report.sums.size(), 1U);
  EXPECT_EQ(report.sums[0].direction, Direction::send);
  EXPECT_EQ(report.sums[0].received_bytes, kTen);
  EXPECT_EQ(report.sums[0].received_bits_per_second, 8e6);
  EXPECT_EQ(report.sums[0].retransmits, 10U);
  EXPECT_EQ(report.intervals.size(), 20U);
  EXPECT_EQ(report.intervals[0].stream, 5);
  EXPECT_FALSE(report.intervals[1].stream);
}

TEST(WorkloadReport, agrees_with_the_sums_of_a_recorded_document) {
  const json document = json::parse(recorded("3.12/tcp-both"));
  const ParsedReport parsed = parse_iperf3_report(recorded("3.12/tcp-both"), "", both(tcp()));
  ASSERT_EQ(parsed.report.sums.size(), 2U);
  const Totals& send = parsed.report.sums[0];
  const Totals& back = parsed.report.sums[1];
  const json& end = document["end"];
  EXPECT_EQ(send.direction, Direction::send);
  EXPECT_EQ(send.sent_bytes, end["sum_sent"]["bytes"]);
  EXPECT_EQ(send.received_bytes, end["sum_received"]["bytes"]);
  EXPECT_EQ(send.retransmits, end["sum_sent"]["retransmits"]);
  EXPECT_EQ(back.direction, Direction::receive);
  EXPECT_EQ(back.sent_bytes, end["sum_sent_bidir_reverse"]["bytes"]);
  EXPECT_EQ(back.received_bytes, end["sum_received_bidir_reverse"]["bytes"]);
  EXPECT_EQ(back.retransmits, end["sum_sent_bidir_reverse"]["retransmits"]);
  EXPECT_EQ(send.max_snd_cwnd, end["streams"][0]["sender"]["max_snd_cwnd"]);
  EXPECT_EQ(send.mean_rtt, end["streams"][0]["sender"]["mean_rtt"]);
  EXPECT_EQ(back.max_snd_cwnd, std::nullopt) << "the client's own window says nothing of the far sender";
}

TEST(WorkloadReport, takes_udp_loss_from_the_receiver_and_its_share_of_what_was_sent) {
  const json end = json::parse(recorded("3.12/udp-loss"))["end"];
  const ParsedReport parsed = parse_iperf3_report(recorded("3.12/udp-loss"), "", udp());
  const Totals& sum = parsed.report.sums.at(0);
  EXPECT_EQ(sum.sent_bytes, end["sum_sent"]["bytes"]);
  EXPECT_EQ(sum.received_bytes, end["sum_received"]["bytes"]);
  EXPECT_EQ(sum.packets, end["sum_sent"]["packets"]);
  EXPECT_EQ(sum.lost_packets, end["sum_received"]["lost_packets"]);
  EXPECT_EQ(sum.jitter_ms, end["sum_received"]["jitter_ms"]);
  EXPECT_NEAR(*sum.lost_percent, end["sum_received"]["lost_percent"], 0.1);
}

TEST(WorkloadReport, of_stream_lines_equals_that_of_the_same_document) {
  const json document = make_document(10);
  std::string lines = json{{"event", "start"}, {"data", document["start"]}}.dump() + "\n";
  for (const json& row : document["intervals"])
    lines += json{{"event", "interval"}, {"data", row}}.dump() + "\n";
  lines += json{{"event", "end"}, {"data", document["end"]}}.dump() + "\n";
  const ParsedReport parsed = parse_iperf3_report(lines, "", tcp(10));
  EXPECT_EQ(parsed.error, "");
  EXPECT_THAT(codes(parsed), IsEmpty());
  EXPECT_EQ(parsed.report.sums.at(0).received_bytes, kTen);
  EXPECT_EQ(parsed.report.intervals.size(), 20U);
  // --json-stream-full-output of 3.20 and later.
  const ParsedReport full = parse_iperf3_report(lines + document.dump(1, '\t'), "", tcp(10));
  EXPECT_EQ(full.error, "");
  EXPECT_THAT(codes(full), IsEmpty());
  EXPECT_EQ(full.report.intervals.size(), 20U);
}

TEST(WorkloadReport, of_a_document_without_sender_marks_takes_the_direction_that_was_asked) {
  json document = make_document(10);
  const std::string text =
      std::regex_replace(document.dump(1, '\t'), std::regex(R"(,\s*"sender": true)"), "");
  const ParsedReport parsed = parse_iperf3_report(text, "", receive(tcp(10)));
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.report.sums.at(0).direction, Direction::receive);
}

// ---- Verdict ----------------------------------------------------------------------------------------------

TEST(Iperf3Verdict, is_failure_where_the_document_has_an_error_beside_whole_sums) {
  json document = make_document(10);
  document["error"] = "interrupt - the client has terminated";
  const ParsedReport parsed = parse(document);
  EXPECT_EQ(parsed.error,
            "the client was told to stop before its test had ended: iperf3 says \"interrupt - the client has "
            "terminated\"");
  EXPECT_EQ(parsed.report.sums.at(0).received_bytes, kTen) << "what could be read is kept";
}

TEST(Iperf3Verdict, is_failure_without_sums_at_the_end) {
  json document = make_document(10);
  document["end"] = json::object();
  EXPECT_EQ(parse(document).error, "iperf3's document has no sum for the direction send");
  EXPECT_EQ(parse(make_document(10), both(tcp(10))).error,
            "iperf3's document has no sum for the direction receive");
}

TEST(Iperf3Verdict, is_failure_where_the_intervals_cover_less_than_was_asked) {
  EXPECT_EQ(parse(make_document(8)).error,
            "the test ended early: of the 10 s asked its intervals cover 8.00 s (send)");
  EXPECT_EQ(parse(make_document(10)).error, "");
}

TEST(Iperf3Verdict, of_a_test_limited_by_bytes_asks_for_the_bytes) {
  EXPECT_EQ(parse(make_document(10), with_bytes(tcp(), kTen)).error, "");
  EXPECT_EQ(parse(make_document(10), with_bytes(tcp(), 2 * kTen)).error,
            "the test ended early: 10000000 bytes of the 20000000 asked were moved");
}

TEST(Iperf3Verdict, is_failure_of_whatever_is_no_document) {
  const auto error_of = [](std::string_view out, std::string_view err) {
    return parse_iperf3_report(out, err, tcp(10)).error;
  };
  EXPECT_EQ(error_of("", ""), "iperf3 ended without a word, as when its client is killed");
  EXPECT_EQ(error_of("", "iperf3: error - unable to create a new stream\n"),
            "iperf3 could not do the test: iperf3 says \"error - unable to create a new stream\"");
  EXPECT_THAT(error_of("[]", ""), HasSubstr("no document of iperf3"));
  EXPECT_THAT(error_of("{}", ""), HasSubstr("no document of iperf3"));
  EXPECT_EQ(error_of("{\"start\": 1, \"stop\": 2}", "iperf3: unable to x"),
            "iperf3 could not do the test: iperf3 says \"unable to x\"")
      << "iperf3's own words say more";
  EXPECT_THAT(error_of("{\"start\": 1", ""), StartsWith("iperf3's document ends in the middle"));
  EXPECT_THAT(error_of("{\"start\" 1}", ""), StartsWith("iperf3's document is not valid JSON"));
  EXPECT_THAT(error_of("{\"start\": {}, \"end\": []}", ""), StartsWith("iperf3's document has no sum"));
  EXPECT_THAT(error_of("{\"event\": \"start\", \"data\": {}}\n", ""), HasSubstr("there is no `end` event"));
}

TEST(Iperf3Verdict, explains_iperf3_s_words) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"unable to connect to server: Connection timed out", "the server does not answer (host port 5201)"},
      {"unable to connect to server: No route to host",
       "the server's host does not answer on its link (host port 5201)"},
      {"unable to connect to server: Temporary failure in name resolution",
       "the name of the server is not known"},
      {"unable to connect to server: Name or service not known", "the name of the server is not known"},
      {"unable to connect to server: Permission denied",
       "the client could not connect to the server (host port 5201)"},
      {"unable to receive control message - port may not be available", "the connection to the server broke"},
      {"unable to write to stream socket: Connection reset by peer",
       "the server broke off the test (host port 5201)"},
      {"some error of a later iperf3", "iperf3 could not do the test"},
  };
  TestSpec asked = tcp(10);
  asked.path.server = "host";
  for (const auto& [words, sentence] : table) {
    const ParsedReport parsed =
        parse({{"start", json::object()}, {"end", json::object()}, {"error", words}}, asked);
    EXPECT_THAT(parsed.error, StartsWith(sentence));
    EXPECT_THAT(parsed.error, testing::EndsWith(": iperf3 says \"" + words + "\""));
  }
}

TEST(Iperf3Verdict, is_valid_text_of_one_line_whatever_iperf3_says) {
  const ParsedReport parsed = parse_iperf3_report("", "iperf3: \xff\x1b[2J\x01 \"x\"\n", tcp(10));
  EXPECT_TRUE(is_printable(parsed.error)) << parsed.error;
  const ParsedReport long_words = parse_iperf3_report("", std::string(100'000, 'x'), tcp(10));
  EXPECT_LT(long_words.error.size(), 1000U);
  json document = make_document(10);
  document["error"] = std::string("a\0b", 3);
  EXPECT_TRUE(is_printable(parse(document).error));
}

// ---- Finding the document ---------------------------------------------------------------------------------

TEST(Iperf3Document, is_found_among_text_and_other_objects) {
  const std::string text =
      "WARNING: {not this}\n{\n\t\"tcp\": true\n}\n" + make_document(10).dump(1, '\t') + "\ndone }\n";
  const ParsedReport parsed = parse_iperf3_report(text, "", tcp(10));
  EXPECT_EQ(parsed.error, "");
  EXPECT_THAT(only_flag(parsed, "text-around-document"), StartsWith("34 bytes"));
}

TEST(Iperf3Document, printed_twice_counts_once_with_the_error_of_either) {
  const std::string whole = make_document(10).dump(1, '\t');
  const ParsedReport parsed = parse_iperf3_report(whole + whole, "", tcp(10));
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.report.intervals.size(), 20U);
  only_flag(parsed, "duplicate-document");

  const std::string failed = R"({"start": {}, "intervals": [], "end": {}, "error": "unable to read"})";
  for (const std::string& text : {whole + failed, failed + whole}) {
    const ParsedReport both_parts = parse_iperf3_report(text, "", tcp(10));
    EXPECT_THAT(both_parts.error, HasSubstr("unable to read"));
    EXPECT_EQ(both_parts.report.sums.size(), 1U) << "the one with sums was used";
  }
}

TEST(Iperf3Document, with_nan_and_inf_is_read_without_those_figures) {
  json document = make_document(10);
  document["title"] = "nan, inf and \\\" -nan";
  std::string text = document.dump(1, '\t');
  const auto put = [&](const std::string& key, const std::string& token) {
    text = std::regex_replace(text, std::regex("\"" + key + "\": [0-9.]+"), "\"" + key + "\": " + token);
  };
  put("host_total", "-nan");
  put("remote_total", "inf");
  const ParsedReport parsed = parse_iperf3_report(text, "", tcp(10));
  EXPECT_EQ(parsed.error, "");
  EXPECT_FALSE(parsed.report.cpu_client_percent);
  EXPECT_THAT(only_flag(parsed, "repaired-tokens"), StartsWith("2 numbers"));
}

TEST(Iperf3Document, with_numbers_beyond_all_is_read_without_those_figures) {
  const json document = make_document(10);
  for (const std::string& token : std::vector<std::string>{"1e400", "-1.5E+999", std::string(400, '9')}) {
    const std::string text = std::regex_replace(
        document.dump(1, '\t'), std::regex(R"("host_total": [0-9.]+)"), "\"host_total\": " + token);
    const ParsedReport parsed = parse_iperf3_report(text, "", tcp(10));
    EXPECT_EQ(parsed.error, "") << token;
    EXPECT_FALSE(parsed.report.cpu_client_percent) << token;
    EXPECT_TRUE(parsed.report.cpu_server_percent) << token;
    EXPECT_THAT(only_flag(parsed, "repaired-tokens"), StartsWith("1 numbers")) << token;
  }
}

TEST(Iperf3Document, with_values_of_wrong_types_is_read_without_them) {
  json document = make_document(10);
  document["start"]["version"] = 3;
  document["start"]["connected"] = "nobody";
  document["start"]["tcp_mss_default"] = -1;
  document["end"]["cpu_utilization_percent"]["host_total"] = json::array();
  document["end"]["sum_sent"]["retransmits"] = 1.5;
  const ParsedReport parsed = parse(document);
  EXPECT_EQ(parsed.error, "");
  EXPECT_FALSE(parsed.report.client || parsed.report.mss_bytes || parsed.report.cpu_client_percent);
  EXPECT_EQ(parsed.report.version, "");
  ASSERT_FALSE(parsed.flags.empty());
  EXPECT_EQ(parsed.flags[0].code, "unreadable-values");
  EXPECT_THAT(parsed.flags[0].message, HasSubstr("5 values"));
}

TEST(Iperf3Document, takes_large_counts_that_are_written_with_an_exponent) {
  std::string text = make_document(10).dump(1, '\t');
  text = std::regex_replace(text, std::regex("\"bytes\": 10000000"), "\"bytes\": 1.0000000e+07");
  EXPECT_EQ(parse_iperf3_report(text, "", tcp(10)).report.sums.at(0).received_bytes, kTen);
}

TEST(Iperf3Document, may_be_nested_or_begun_however_often) {
  std::string nested = "{\"start\": ";
  nested += std::string(100'000, '[');
  EXPECT_NE(parse_iperf3_report(nested, "", tcp(10)).error, "");
  nested += std::string(100'000, ']');
  nested += ", \"end\": 0}";
  EXPECT_NE(parse_iperf3_report(nested, "", tcp(10)).error, "");
  std::string begun;
  for (int i = 0; i < 20'000; ++i) begun += "{\"a\": [\n";
  EXPECT_NE(parse_iperf3_report(begun, "", tcp(10)).error, "");
  EXPECT_NE(parse_iperf3_report(begun + "?", "", tcp(10)).error, "");
}

TEST(Iperf3Document, of_more_values_than_iperf3_writes_is_too_large) {
  std::string text = "{\"start\": [";
  for (int i = 0; i < 5'000'000; ++i) text += "0,";
  EXPECT_THAT(parse_iperf3_report(text, "", tcp(10)).error,
              HasSubstr("iperf3's document is too large: it has more than 5000000 values"));
}

// ---- Live intervals ---------------------------------------------------------------------------------------

// What the tests of recorded documents know as errors, and which of them may pass.
TEST(ServerAbsence, is_what_iperf3_says_of_a_busy_or_unreachable_server) {
  const auto of = [](const std::string& file) {
    return parse_iperf3_report(recorded(file), recorded(file, "err"), tcp(1)).server;
  };
  for (const char* version : {"3.12/", "3.18/"}) {
    const std::string folder = version;
    EXPECT_EQ(of(folder + "busy-server"), ServerAbsence::busy) << version;
    EXPECT_EQ(of(folder + "refused"), ServerAbsence::absent) << version;
    EXPECT_EQ(of(folder + "unreachable"), ServerAbsence::absent) << version;
    for (const char* other : {"unknown-host", "usage-error", "wrong-bind", "server-killed", "tcp-send"}) {
      EXPECT_EQ(of(folder + other), ServerAbsence::none) << version << other;
    }
  }
}

TEST(ServerAbsence, is_nothing_that_happens_during_a_test) {
  std::string text = recorded("3.12/server-killed");
  const std::string_view said = "control socket has closed unexpectedly";
  text.replace(text.find(said), said.size(), "unable to connect to server: Connection refused");
  EXPECT_EQ(parse_iperf3_report(text, "", tcp(3)).server, ServerAbsence::none);
}

TEST(LiveIntervals, are_the_sums_of_a_line) {
  const std::string line = json{{"event", "interval"}, {"data", interval(2, 3, 500)}}.dump() + "\n";
  const auto intervals = parse_live_intervals(line, tcp(10));
  ASSERT_EQ(intervals.size(), 1U);
  EXPECT_EQ(intervals[0].direction, Direction::send);
  EXPECT_FALSE(intervals[0].stream);
  EXPECT_EQ(intervals[0].start_s, 2);
  EXPECT_EQ(intervals[0].bytes, 500U);
}

TEST(LiveIntervals, are_two_where_both_directions_run) {
  std::vector<Direction> directions;
  std::string lines = recorded("3.18/stream-tcp-both");
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    for (const Interval& row : parse_live_intervals(lines.substr(0, end), both(tcp()))) {
      directions.push_back(row.direction);
    }
    lines.erase(0, end == std::string::npos ? end : end + 1);
  }
  const std::vector<Direction> once{Direction::send, Direction::receive};
  EXPECT_THAT(directions, testing::ElementsAre(once[0], once[1], once[0], once[1]));
}

TEST(LiveIntervals, are_none_for_any_other_line) {
  for (const std::string_view line :
       {"", "\n", "{", "{}", "[1]", "null", "text", R"({"event": "start", "data": {}})",
        R"({"event": "interval"})", R"({"event": "interval", "data": {"sum": {"start": 0}}})",
        R"({"event": "interval", "data": {"sum": 3}})",
        R"({"event": 1, "data": {"sum": {"start": 0, "end": 1, "bytes": 5}}})"}) {
    EXPECT_THAT(parse_live_intervals(line, tcp(10)), IsEmpty()) << line;
  }
}

// ---- Codes ------------------------------------------------------------------------------------------------

TEST(QualityCodes, are_those_that_the_documentation_explains) {
  std::ifstream file(std::string(NETPERFD_TEST_DATA) + "/../../docs/quality-flags.md");
  ASSERT_TRUE(file) << "docs/quality-flags.md is missing";
  std::set<std::string> documented;
  const std::regex heading("### `([a-z0-9-]+)`");
  // The last section is about the tracer.
  for (std::string line; std::getline(file, line) && line != "## The trace";) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) documented.insert(match[1]);
  }
  std::set<std::string> codes(kQualityCodes.begin(), kQualityCodes.end());
  // These are from the end of the run, not from its document.
  for (const char* const code : {"processes-left", "server-disturbed", "server-unguarded", "server-waited",
                                 "probes-late", "clock-steps", "foreign-packets", "latency-unreadable"})
    codes.emplace(code);
  codes.insert(noise::kFlags.begin(), noise::kFlags.end());
  codes.emplace(noise::kRateMissed);
  codes.emplace(noise::kClockSet);
  EXPECT_EQ(documented, codes);
}

}  // namespace
}  // namespace netperfd::workload::test
