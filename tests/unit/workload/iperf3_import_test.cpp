// Documents whose asker nobody knows: all that was asked has to come out of the document itself.
#include "daemon/workload/iperf3_import.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "daemon/workload/iperf3_report.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
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
  const Iperf3Spec& asked = recording.expected.asked;
  const auto file = import(bytes);
  if (!recording.expected.error.empty()) {
    EXPECT_FALSE(file);
    return;
  }
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->workload);
  const ImportedWorkload& workload = *file->workload;
  EXPECT_EQ(workload.asked.protocol, asked.protocol);
  EXPECT_EQ(workload.asked.direction, asked.direction);
  EXPECT_EQ(workload.asked.streams, asked.streams);
  EXPECT_EQ(workload.asked.duration, asked.duration);
  EXPECT_EQ(workload.asked.bytes, asked.bytes);
  EXPECT_EQ(workload.asked.omit, asked.omit);
  EXPECT_FALSE(workload.asked.server.empty());
  EXPECT_TRUE(workload.started);
  const Iperf3Report expected = parse_iperf3_report(bytes, "", asked).report;
  ASSERT_EQ(workload.report.sums.size(), expected.sums.size());
  for (std::size_t i = 0; i < expected.sums.size(); ++i) {
    EXPECT_EQ(workload.report.sums[i].direction, expected.sums[i].direction);
    EXPECT_EQ(workload.report.sums[i].received_bytes, expected.sums[i].received_bytes);
    EXPECT_EQ(workload.report.sums[i].retransmits, expected.sums[i].retransmits);
    EXPECT_EQ(workload.report.sums[i].lost_packets, expected.sums[i].lost_packets);
  }
  EXPECT_EQ(workload.report.intervals.size(), expected.intervals.size());
}

TEST(Iperf3ImportedDocument, of_a_server_is_refused) {
  nlohmann::json document = make_document(3);
  document["start"]["accepted_connection"] = {{"host", "10.0.0.1"}, {"port", 40000}};
  EXPECT_THAT(error_of(document.dump()), AllOf(HasSubstr("of iperf3's server"), HasSubstr("of the client")));
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
  EXPECT_EQ(file->workload->asked.direction, Direction::send);
  EXPECT_EQ(file->workload->asked.server, "10.0.0.2") << "the other end of its connection";
  EXPECT_FALSE(file->workload->started);
}

TEST(Iperf3ImportedDocument, of_impossible_figures_keeps_within_its_bounds) {
  nlohmann::json document = make_document(3);
  document["start"]["test_start"]["num_streams"] = 1e15;
  document["start"]["test_start"]["blocks"] = 1e18;
  document["start"]["test_start"]["duration"] = 0;
  document["start"]["timestamp"]["timesecs"] = 1e17;
  const auto file = import(document.dump());
  if (file) {
    EXPECT_LE(file->workload->asked.streams, 1'024U);
    EXPECT_FALSE(file->workload->started);
  }
  const std::string deep = "{\"start\":" + std::string(10U << 20U, '[');
  EXPECT_THAT(error_of(deep), HasSubstr("nested deeper"));
  EXPECT_THAT(error_of(std::string((64U << 20U) + 1, ' ')), HasSubstr("more than 64 MiB"));
}

}  // namespace
}  // namespace netperfd::workload::test
