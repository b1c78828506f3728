// SPDX-License-Identifier: GPL-2.0-or-later
// Documents that are not the whole file: behind a log's prefixes, in a text of other JSON, several in one
// file. tests/documents has all their kinds with recorded documents.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/iperf3/prefixes.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string foreign_text(const std::string& name) {
  std::ifstream file(std::string(NETPERFD_TEST_DATA) + "/iperf3/foreign/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<ImportedFile> import_text(std::string_view bytes) {
  return read_iperf3_file(std::as_bytes(std::span(bytes)));
}

std::string refusal_of(std::string_view bytes) {
  const auto file = import_text(bytes);
  return file ? "imported" : file.error().message;
}

// In Mbit/s, of each run.
std::vector<double> rates_of(const std::string& bytes) {
  const auto file = import_text(bytes);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return {};
  }
  std::vector<double> rates;
  const auto add = [&](const ImportedWorkload& workload) {
    rates.push_back(workload.report.sums.at(0).received_bits_per_second.value_or(0) / 1e6);
  };
  add(*file->workload);
  for (const ImportedMore& more : file->more) add(more.workload);
  return rates;
}

TEST(Iperf3WrappedDocument, is_read_out_of_what_is_around_it) {
  for (const char* name : {"echo-before-brace.json", "ansible-debug.txt", "json-stream-through-jq.json",
                           "ci-log-timestamps.txt", "ansible-stdout.json"}) {
    EXPECT_THAT(rates_of(foreign_text(name)), ElementsAre(100)) << name;
  }
}

TEST(Iperf3WrappedDocument, is_each_run_of_a_file_in_their_order) {
  EXPECT_THAT(rates_of(foreign_text("three-runs-in-a-file.json")), ElementsAre(100, 90, 95));
}

TEST(Iperf3WrappedDocument, of_a_failed_run_among_others_is_refused_by_its_number) {
  json broken = make_document(3);
  broken["start"]["cookie"] = "b";
  broken["error"] = "the server has terminated";
  json sound = make_document(3);
  sound["start"]["cookie"] = "a";
  EXPECT_THAT(refusal_of(sound.dump(1) + "\n" + broken.dump(1)),
              AllOf(HasSubstr("the documents of 2 runs, and number 2 cannot be imported"),
                    HasSubstr("iperf3 says \"the server has terminated\"")));
  const std::string begun = "{\n \"start\": " + broken["start"].dump(1) + ",\n \"intervals\": [";
  EXPECT_THAT(refusal_of(sound.dump(1) + "\n" + begun),
              HasSubstr("the documents of 2 runs, and 1 of them is cut off or damaged (line "));
}

TEST(Iperf3WrappedDocument, that_its_client_got_from_its_server_is_no_run_of_its_own) {
  json document = make_document(3);
  document["start"]["cookie"] = "a";
  json of_server = make_document(2);
  of_server["start"]["cookie"] = "b";
  document["server_output_json"] = of_server;
  EXPECT_THAT(rates_of(document.dump(1)), ElementsAre(8));
  std::string stream = json{{"event", "start"}, {"data", document["start"]}}.dump(1);
  for (const json& row : document["intervals"]) stream += json{{"event", "interval"}, {"data", row}}.dump(1);
  stream += json{{"event", "server_output_json"}, {"data", of_server}}.dump(1);
  stream += json{{"event", "end"}, {"data", document["end"]}}.dump(1);
  EXPECT_THAT(rates_of(stream), ElementsAre(8));
}

// The figures of an interval have a start and an end, too.
TEST(Iperf3WrappedDocument, is_not_taken_from_the_inside_of_one_that_is_cut_off) {
  const std::string whole = foreign_text("echo-before-brace.json");
  for (std::size_t cut = 1; cut < whole.size() - 2; cut += 97) {
    const auto file = import_text(std::string_view(whole).substr(0, cut));
    ASSERT_FALSE(file) << "cut at " << cut;
  }
}

// A tool's words, or a terminal's, are not iperf3's.
TEST(Iperf3Refusal, never_calls_the_text_of_others_iperf3s_words) {
  for (const std::string text :
       {"^C{\n\t\"start\":\t{\n\t\t\"connecting_to\": {", "TASK [show] ****\nok: [dut] => {\n  \"start\": {",
        "PLAY ***\n\"start\" \"event\"", "$ iperf3 -c dut\n\"test_start\" \"protocol\""}) {
    EXPECT_THAT(refusal_of(text), AllOf(Not(HasSubstr("iperf3 says")), Not(HasSubstr("could not do"))))
        << text;
  }
  EXPECT_THAT(refusal_of("hello\niperf3: error - unable to connect to server: Connection refused\n"),
              HasSubstr("the server refused the connection: iperf3 says \"error - unable"));
}

TEST(Iperf3Refusal, names_the_line_of_the_file) {
  std::string text = make_document(3).dump(1);
  text.insert(text.find("\"intervals\""), "oops ");
  EXPECT_THAT(refusal_of("a\nb\n" + text), HasSubstr("not valid JSON (line "));
  const std::string bad = "a\nb\n{\n \"start\": {},\n \"end\": oops\n}\n";
  EXPECT_THAT(refusal_of(bad), HasSubstr("(line 5, column 9: "));
}

TEST(Iperf3Prefixes, are_those_of_the_line_that_ends_with_a_brace) {
  const auto stripped = without_prefixes("x\n[1:59] {\n[2:00]  \"a\": 1\n[12:01] }\ny\n", 0);
  ASSERT_TRUE(stripped);
  EXPECT_EQ(stripped->text, "x\n{\n\"a\": 1\n}\ny\n");
  EXPECT_EQ(stripped->lines, 3U);
  for (const char* text : {"", "{\n", "  {\n  \"a\": 1\n  }", "a {\nb\n", "a {", "a {\na", "12 {\nx \"a\"\n"})
    EXPECT_FALSE(without_prefixes(text, 0)) << text;
}

}  // namespace
}  // namespace netperfd::workload::test
