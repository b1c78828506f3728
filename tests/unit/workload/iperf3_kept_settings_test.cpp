// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of documents in which a key means another thing: those of a server that had other tests before,
// of versions that leave a key out, and of options with several names.
#include <gmock/gmock.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "daemon/workload/iperf3/document_facts.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using ToldFacts = std::map<std::string, std::string>;
using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;

ToldFacts told_by(const json& document) {
  ToldFacts told;
  for (const Fact& fact : document_facts(document["start"], document["end"])) told[fact.key] = fact.value;
  return told;
}

json document_of_server(const std::string& version, json document = make_document(10)) {
  document["start"]["version"] = "iperf " + version;
  document["start"]["accepted_connection"] = {{"host", "10.0.0.1"}, {"port", 40'000}};
  return document;
}

// One server, six tests of 10 s, one of 1 GiB, six of 10 s.
TEST(Iperf3KeptSettings, of_a_servers_earlier_test_are_no_facts_of_its_number_of_bytes) {
  json first = document_of_server("3.9"), later = first;
  first["start"]["test_start"]["blocks"] = 0;
  later["start"]["test_start"]["bytes"] = 1'073'741'824;
  later["start"]["test_start"]["blocks"] = 1'000;
  EXPECT_EQ(told_by(first), told_by(later));
  later["start"].erase("accepted_connection");
  EXPECT_NE(told_by(first), told_by(later));
}

TEST(Iperf3KeptSettings, of_a_servers_udp_test_are_no_facts_of_tcp) {
  json first = document_of_server("3.21"), later = first;
  for (const char* key : {"gso", "gro"}) {
    first["start"]["test_start"][key] = 0;
    later["start"]["test_start"][key] = 1;
  }
  EXPECT_EQ(told_by(first), told_by(later));
  for (json* document : {&first, &later}) (*document)["start"]["test_start"]["protocol"] = "UDP";
  EXPECT_NE(told_by(first), told_by(later));
}

TEST(Iperf3KeptSettings, of_pacing_are_facts_only_where_the_server_sends_or_clears_them) {
  json document = document_of_server("3.16");
  document["start"]["test_start"]["fqrate"] = 500'000'000;
  document["start"]["fq_rate"] = 500'000'000;
  EXPECT_THAT(told_by(document), Not(Contains(Key("fq_rate"))));
  for (const char* key : {"reverse", "bidir"}) {
    json sending = document;
    sending["start"]["test_start"][key] = 1;
    EXPECT_THAT(told_by(sending), Contains(Pair("fq_rate", "500000000"))) << key;
  }
  for (const char* version : {"iperf 3.17", "iperf 3.18", "iperf 3.9"}) {
    document["start"]["version"] = version;
    EXPECT_THAT(told_by(document), Contains(Pair("fq_rate", "500000000"))) << version;
  }
}

TEST(Iperf3KeptSettings, of_the_receivers_congestion_control_are_facts_of_a_server_that_receives) {
  json document = document_of_server("3.6");
  document["end"]["receiver_tcp_congestion"] = "bbr";
  EXPECT_THAT(told_by(document), Contains(Pair("end.receiver_tcp_congestion", "bbr")));
  document["start"]["test_start"]["reverse"] = 1;
  EXPECT_THAT(told_by(document), Not(Contains(Key("end.receiver_tcp_congestion"))));
  document["start"].erase("accepted_connection");
  EXPECT_THAT(told_by(document), Contains(Pair("end.receiver_tcp_congestion", "bbr")));
}

TEST(Iperf3DocumentFactsOfOldVersions, have_no_bitrate_as_an_unlimited_one) {
  json document = make_document(10);
  for (const char* version : {"iperf 3.7", "iperf 3.9", "iperf 3.10.1"}) {
    document["start"]["version"] = version;
    EXPECT_THAT(told_by(document), Contains(Pair("bitrate", "(absent)"))) << version;
  }
  document["start"]["test_start"]["protocol"] = "UDP";
  EXPECT_THAT(told_by(document), Not(Contains(Key("bitrate")))) << "a client does not write it";
  EXPECT_THAT(told_by(document_of_server("3.9", document)), Contains(Pair("bitrate", "0")));
  document["start"]["test_start"]["protocol"] = "TCP";
  for (const char* version : {"iperf 3.6", "iperf 3.11", "iperf 4.9", ""}) {
    document["start"]["version"] = version;
    EXPECT_THAT(told_by(document), Not(Contains(Key("bitrate")))) << version;
  }
  document["start"]["version"] = "iperf 3.9";
  document["start"]["target_bitrate"] = 1'000;
  EXPECT_THAT(told_by(document), Not(Contains(Key("bitrate")))) << "it is one of the options";
}

TEST(Iperf3DocumentFactsOfOptions, have_the_dscp_of_each_type_of_service) {
  json document = make_document(10);
  EXPECT_THAT(told_by(document), Not(Contains(Key("dscp"))));
  const std::pair<int, const char*> known[] = {
      {0, "(absent)"}, {184, "46"}, {32, "8"}, {16, "4"}, {185, "tos 185"}};
  for (const auto& [tos, dscp] : known) {
    document["start"]["test_start"]["tos"] = tos;
    EXPECT_THAT(told_by(document), Contains(Pair("dscp", dscp)));
    EXPECT_THAT(told_by(document), Not(Contains(Key("test_start.tos"))));
  }
}

TEST(Iperf3DocumentFactsOfOptions, have_the_window_and_the_segment_size_that_were_asked_for) {
  json document = make_document(10);
  document["start"]["sock_bufsize"] = 0;
  EXPECT_THAT(told_by(document), Contains(Pair("window", "(absent)")));
  EXPECT_THAT(told_by(document), Contains(Pair("mss", "(absent)")));
  document["start"]["sock_bufsize"] = 262'144;
  document["start"].erase("tcp_mss_default");
  document["start"]["tcp_mss"] = 1'400;
  EXPECT_THAT(told_by(document), Contains(Pair("window", "262144")));
  EXPECT_THAT(told_by(document), Contains(Pair("mss", "1400")));
}

TEST(Iperf3DocumentFactsOfOptions, of_test_start_come_first_if_there_are_too_many) {
  json document = make_document(10);
  for (int i = 0; i < 100; ++i) document["start"]["key" + std::to_string(i)] = i;
  document["start"]["test_start"]["zerocopy"] = 1;
  EXPECT_THAT(told_by(document), Contains(Pair("test_start.zerocopy", "1")));
}

TEST(Iperf3TextFacts, tell_the_options_that_it_prints) {
  const std::string text =
      "iperf 3.12\n"
      "Linux vm 6.18.44 #1 SMP x86_64\n"
      "Connecting to host 10.9.0.2, port 5201\n"
      "      TCP MSS: 1400\n"
      "[  5] local 10.9.0.1 port 45154 connected to 10.9.0.2 port 5201\n"
      "Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, 1 second test, tos "
      "184\n"
      "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
      "[  5]   0.00-1.00   sec  1.00 MBytes  8389 Kbits/sec    0   2.36 MBytes       \n"
      "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "Test Complete. Summary Results:\n"
      "[ ID] Interval           Transfer     Bitrate         Retr\n"
      "[  5]   0.00-1.00   sec  1.00 MBytes  8389 Kbits/sec    0             sender\n"
      "[  5]   0.00-1.00   sec  1.00 MBytes  8389 Kbits/sec                  receiver\n"
      "snd_tcp_congestion cubic\n"
      "rcv_tcp_congestion bbr\n"
      "\n"
      "iperf Done.\n";
  const auto file = read_iperf3_text(std::as_bytes(std::span(text)));
  ASSERT_TRUE(file && file->workload) << (file ? "" : file.error().message);
  EXPECT_THAT(file->workload->facts,
              testing::UnorderedElementsAre(Fact{"iperf3", "dscp", "46"}, Fact{"iperf3", "mss", "1400"},
                                            Fact{"iperf3", "end.receiver_tcp_congestion", "bbr"}));
}

}  // namespace
}  // namespace netperfd::workload::test
