// SPDX-License-Identifier: GPL-2.0-or-later
// Documents that somebody has shortened, or that a tool has put among its own values: what iperf3 measured is
// still there.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Result<ImportedFile> file_of(const std::string& bytes) {
  return read_iperf3_file(std::as_bytes(std::span(std::string_view(bytes))));
}

// In Mbit/s, of each run.
std::vector<double> received_rates(const std::string& bytes) {
  const auto file = file_of(bytes);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return {};
  }
  const auto rate_of_run = [](const ImportedWorkload& workload) {
    return workload.report.sums.at(0).received_bits_per_second.value_or(0) / 1e6;
  };
  std::vector<double> rates{rate_of_run(*file->workload)};
  for (const ImportedMore& more : file->more) rates.push_back(rate_of_run(more.workload));
  return rates;
}

std::vector<std::string> flags_of_file(const std::string& bytes) {
  const auto file = file_of(bytes);
  std::vector<std::string> flags;
  if (!file) return {file.error().message};
  for (const QualityFlag& flag : file->workload->flags) flags.push_back(flag.code);
  return flags;
}

std::string message_of(const std::string& bytes) {
  const auto file = file_of(bytes);
  return file ? "imported" : file.error().message;
}

// ---- Fewer intervals than seconds -------------------------------------------------------------------------

TEST(Iperf3ShortenedDocument, of_one_interval_of_ten_has_the_rate_of_its_end_and_a_flag) {
  const std::string text = recorded("foreign/first-interval-only", "json");
  EXPECT_THAT(received_rates(text), ElementsAre(100));
  EXPECT_THAT(flags_of_file(text), Contains("missing-intervals"));
}

TEST(Iperf3ShortenedDocument, has_its_rate_whichever_intervals_are_left) {
  for (const std::size_t kept : {0U, 1U, 4U, 7U}) {
    for (const bool first : {true, false}) {
      json document = make_document(10);
      const json all = document["intervals"];
      document["intervals"] = json::array();
      for (std::size_t i = 0; i < kept; ++i)
        document["intervals"].push_back(all[first ? i : all.size() - kept + i]);
      const std::string text = document.dump(1);
      EXPECT_THAT(received_rates(text), ElementsAre(8)) << kept << first;
      EXPECT_THAT(flags_of_file(text), Contains("missing-intervals")) << kept << first;
    }
  }
}

TEST(Iperf3ShortenedDocument, tells_how_much_its_intervals_cover) {
  json document = make_document(10);
  document["intervals"].erase(document["intervals"].begin() + 4, document["intervals"].end());
  const auto file = file_of(document.dump(1));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->workload->flags.back().message,
            "of the 10 s of the test, the document has only intervals of 4.00 s: its sums cannot be checked");
}

// Its options do not tell how long it was to last, and its intervals contradict its end as a wrong end would.
TEST(Iperf3ShortenedDocument, of_a_number_of_bytes_has_the_rate_of_its_end) {
  for (const std::size_t kept : {0U, 1U, 4U}) {
    json document = make_document(10);
    document["start"]["test_start"]["duration"] = 0;
    document["start"]["test_start"]["bytes"] = document["end"]["sum_sent"]["bytes"];
    json& intervals = document["intervals"];
    intervals.erase(intervals.begin() + static_cast<std::ptrdiff_t>(kept), intervals.end());
    const std::string text = document.dump(1);
    EXPECT_THAT(received_rates(text), ElementsAre(8)) << kept;
    EXPECT_THAT(flags_of_file(text), Contains("missing-intervals")) << kept;
  }
}

TEST(Iperf3ShortenedText, has_the_rate_of_its_end_and_a_flag) {
  const std::string text =
      "Connecting to host 10.0.0.2, port 5201\n"
      "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
      "[  5]   0.00-1.00   sec  11.9 MBytes   100 Mbits/sec    0    402 KBytes       \n"
      "[  5]   1.00-2.00   sec  11.9 MBytes   100 Mbits/sec    0    402 KBytes       \n"
      "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "[ ID] Interval           Transfer     Bitrate         Retr\n"
      "[  5]   0.00-10.00  sec   119 MBytes   100 Mbits/sec    0             sender\n"
      "[  5]   0.00-10.00  sec   119 MBytes   100 Mbits/sec                  receiver\n";
  const auto file = read_iperf3_text(std::as_bytes(std::span(std::string_view(text))));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->workload->report.sums.at(0).received_bits_per_second, 100e6);
  const auto is_missing = [](const QualityFlag& flag) { return flag.code == "missing-intervals"; };
  EXPECT_EQ(std::ranges::count_if(file->workload->flags, is_missing), 1);
}

// Its end has no more than its intervals, or says itself that it was shorter.
TEST(Iperf3ShortenedDocument, is_not_one_whose_test_ended_early) {
  json document = make_document(4);
  document["start"]["test_start"]["duration"] = 10;
  EXPECT_THAT(message_of(document.dump(1)), HasSubstr("the test ended early: of the 10 s asked"));
  for (json* end : {&document["end"]["sum_sent"], &document["end"]["sum_received"]})
    (*end)["seconds"] = (*end)["end"] = 10;
  EXPECT_THAT(message_of(document.dump(1)), HasSubstr("the test ended early: of the 10 s asked"));
}

// netperfd knows what its own iperf3 printed.
TEST(Iperf3ShortenedDocument, of_a_run_of_netperfd_itself_is_a_failed_one) {
  json document = make_document(10);
  document["intervals"].erase(1);
  document["intervals"].erase(1);
  EXPECT_THAT(parse(document).error, HasSubstr("the test ended early"));
}

// ---- Among a tool's own values ----------------------------------------------------------------------------

TEST(Iperf3DocumentOfATool, within_a_list_of_objects_is_found) {
  EXPECT_THAT(received_rates(recorded("foreign/document-within-a-list", "json")), ElementsAre(10));
}

TEST(Iperf3DocumentOfATool, under_whatever_keys_is_each_a_run) {
  std::vector<json> documents;
  for (int i = 0; i < 3; ++i) {
    documents.push_back(make_document(3 + i));
    documents.back()["start"]["cookie"] = std::string(36, static_cast<char>('a' + i));
  }
  const std::vector<json> wrapped{
      json::array({{{"data", documents[0]}}, {{"data", documents[1]}}, {{"data", documents[2]}}}),
      json::array({{{"run", {{"data", documents[0]}}}}, {{"data", {documents[1], documents[2]}}}}),
      {{"data", documents[0]}, {"peer", {{"data", documents[1]}, {"peer", {{"data", documents[2]}}}}}},
      json::array({json::array({documents[0], {{"a", documents[1]}}}), {{"b", {{"c", documents[2]}}}}}),
  };
  for (const json& each : wrapped) {
    for (const int indent : {-1, 1}) {
      const auto file = file_of(each.dump(indent));
      ASSERT_TRUE(file) << file.error().message << "\n" << each.dump(1).substr(0, 200);
      EXPECT_EQ(file->more.size(), 2U) << each.dump(1).substr(0, 200);
    }
  }
}

}  // namespace
}  // namespace netperfd::workload::test
