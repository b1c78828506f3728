// SPDX-License-Identifier: GPL-2.0-or-later
// Files of other measurements, imported by the client as a user and read by the daemon's confined child.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/raw_document.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Import : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // A copy that the client's user can read, since the source tree may be closed to others.
  static std::string data(std::string file) {
    const std::string content = read_text(NETPERFD_TEST_DATA "/" + file);
    std::ranges::replace(file, '/', '-');
    return lab().directory().write(file, content);
  }

  static json import(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"import", "-o", "json"});
    const Outcome outcome = lab().ctl(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out).at("runs");
  }
  static json show(const json& imported) {
    const Outcome outcome = lab().ctl({"show", "-o", "json", imported.at("run").dump()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  static std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  static std::vector<std::string> codes_of(const json& imported) {
    std::vector<std::string> codes;
    for (const json& flag : imported.at("flags")) codes.push_back(flag.at("code"));
    return codes;
  }
};

// Files of some megabytes that would unpack, or be read, into much more than they are.
TEST_F(Import, of_a_file_that_costs_more_than_its_bytes_is_too_large) {
  constexpr std::string_view kEmptyMember{"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", 20};
  std::string members, numbers = R"({"start":{"test_start":{"protocol":"TCP"}},"intervals":[)";
  for (int i = 0; i < 500'000; ++i) members += kEmptyMember;
  for (int i = 0; i < 6'000'000; ++i) numbers += "0,";
  const auto refusal = [](const std::string& name, const std::string& bytes) {
    const Outcome refused = lab().ctl({"import", lab().directory().write(name, bytes)});
    EXPECT_NE(refused.code, 0);
    return refused.err;
  };
  EXPECT_THAT(refusal("members.gz", members),
              HasSubstr("it is too large: it has more than 20000 members of gzip"));
  EXPECT_THAT(refusal("numbers.json", numbers + "0],\"end\":{}}"),
              HasSubstr("the document is too large: it has more than 5000000 values"));
}

TEST_F(Import, of_a_document_a_side_is_too_few_and_shows_what_changed) {
  ASSERT_EQ(import({data("iperf3/3.12/tcp-send.out"), "--label", "old"}).size(), 1U);
  ASSERT_EQ(import({data("iperf3/3.18/tcp-send.out"), "--label", "new"}).size(), 1U);
  // A document tells too little to take the version of iperf3 for the only change.
  const Outcome refused = lab().ctl({"compare", "-o", "json", "label:old", "label:new"});
  EXPECT_EQ(refused.code, kInconclusive) << refused.err;
  EXPECT_EQ(json::parse(refused.out).at("comparison").at("verdict"), "refused");
  const Outcome outcome =
      lab().ctl({"compare", "-o", "json", "label:old", "label:new", "--changed", "iperf3"});
  EXPECT_EQ(outcome.code, kInconclusive) << outcome.err;
  const json head = json::parse(outcome.out).at("comparison");
  EXPECT_EQ(head.at("verdict"), "too few");
  EXPECT_TRUE(head.contains("ratio")) << head;
}

TEST_F(Import, of_a_document_and_a_text_is_one_run_with_both) {
  const json runs = import({data("trace-functions/6.12/module/trace.txt"), data("iperf3/3.12/udp-send.out")});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_THAT(codes_of(runs.front()), AllOf(Contains("imported"), Contains("trace-text")));
  const json shown = show(runs.front());
  EXPECT_EQ(shown.at("run").at("protocol"), "udp");
  EXPECT_EQ(shown.at("run").at("state"), "finished");
  EXPECT_FALSE(shown.at("sums").empty());
  EXPECT_FALSE(shown.at("functions").empty());
  EXPECT_EQ(
      import({data("trace-functions/6.12/module/trace.txt"), data("iperf3/3.12/udp-send.out"), "--separate"})
          .size(),
      2U);
}

TEST_F(Import, of_a_document_and_a_compressed_trace_is_one_run_with_both) {
  const json runs = import({data("iperf3/3.12/tcp-send.out"), data("trace-dat/v7-zstd.dat")});
  ASSERT_EQ(runs.size(), 1U) << "its bytes have a line that begins as a document does";
  EXPECT_FALSE(show(runs.front()).at("functions").empty());
}

TEST_F(Import, of_traces_without_bytes_compares_what_a_call_took) {
  (void)import({data("trace-functions/6.12/module/trace.txt"), "--label", "text"});
  (void)import({data("trace-functions/7.3/module/trace.txt"), "--label", "text-b"});
  const Outcome outcome = lab().ctl({"compare", "-o", "json", "label:text", "label:text-b"});
  EXPECT_EQ(outcome.code, kInconclusive) << outcome.err;
  const json functions = json::parse(outcome.out).at("functions");
  ASSERT_FALSE(functions.empty());
  EXPECT_FALSE(functions.front().contains("cost_a"));
  EXPECT_GT(functions.front().at("ns_per_call_a"), 0);
  const Outcome page = lab().ctl({"compare", "label:text", "label:text-b"});
  EXPECT_THAT(page.out, AllOf(HasSubstr("REFUSED"), HasSubstr("what a call of each function took itself")));
}

TEST_F(Import, of_a_file_that_is_none_names_it_and_keeps_the_others) {
  const Outcome outcome = lab().ctl({"import", "-o", "json", data("iperf3/3.12/tcp-send.out"),
                                     data("iperf3/3.12/refused.out"), data("client/runs.csv")});
  EXPECT_EQ(outcome.code, kUsage);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("refused.out: the document is no measurement"),
                                 HasSubstr("runs.csv: its first line is")));
  EXPECT_EQ(json::parse(outcome.out).at("runs").size(), 1U);
}

TEST_F(Import, keeps_the_file_byte_for_byte) {
  const std::string file = data("iperf3/3.22/tcp-send.out");
  const json run = import({file}).front();
  EXPECT_EQ(show(run).at("run").at("documents"), json::array({"import.1"}));
  EXPECT_EQ(open_document(lab(), lab().users().member, run.at("run").get<std::uint64_t>(), "import.1"),
            read_text(file));
}

TEST_F(Import, reads_standard_input_and_what_gzip_packed) {
  const std::string file = data("iperf3/3.18/tcp-send.out");
  Command command = lab().ctl_command({"import", "-o", "json", "-"}, lab().users().member);
  command.argv.insert(command.argv.begin(), {"sh", "-c", R"(gzip -c "$0" | "$@")", file});
  const Outcome outcome = run(std::move(command));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json imported = json::parse(outcome.out).at("runs").at(0);
  EXPECT_EQ(imported.at("files"), json::array({"standard input"}));
  EXPECT_EQ(show(imported).at("sums").size(), 1U);
}

TEST_F(Import, names_the_file_and_its_date_in_show_runs_and_log) {
  const std::string document = data("iperf3/3.12/tcp-receive.out");
  const json by_document = import({document, "--label", "dated"}).front();
  const json run = show(by_document).at("run");
  EXPECT_EQ(run.at("files"), json::array({base_name(document)}));
  EXPECT_EQ(run.at("measured_by"), "document");
  EXPECT_EQ(run.at("measured_us"), run.at("started_us"));

  const std::string trace = data("trace-functions/6.12/module/trace.txt");
  const struct timespec noon[] = {{1'600'000'000, 0}, {1'600'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, trace.c_str(), noon, 0), 0);
  const json by_file = import({trace}).front();
  const json traced = show(by_file).at("run");
  EXPECT_EQ(traced.at("files"), json::array({base_name(trace)}));
  EXPECT_EQ(traced.at("measured_by"), "file");
  EXPECT_EQ(traced.at("measured_us"), 1'600'000'000'000'000);
  const Outcome list = lab().ctl({"runs", "-o", "json", "--limit", "1"});
  EXPECT_EQ(json::parse(list.out).at("runs").at(0).at("files"), json::array({base_name(trace)}));
  EXPECT_THAT(lab().ctl({"show", by_file.at("run").dump()}).out,
              AllOf(HasSubstr(base_name(trace)), HasSubstr("when the file was last written")));
  EXPECT_THAT(lab().netperfd().log(),
              AllOf(HasSubstr(trace + " by uid "),
                    HasSubstr(", measured 2020-09-13 12:26:40 UTC (when the file was last written)"),
                    HasSubstr(" UTC (as the document says)")));
}

TEST_F(Import, of_the_same_file_twice_says_so_and_is_not_compared) {
  const std::string file = data("iperf3/3.18/tcp-receive.out");
  const json first = import({file, "--label", "twin-a"}).front();
  EXPECT_THAT(codes_of(first), Not(Contains("imported-before")));
  const Outcome again = lab().ctl({"import", file, "--label", "twin-b"});
  ASSERT_EQ(again.code, 0) << again.err;
  const std::string clause = fmt::format("{} was imported before: run {} has the same file", base_name(file),
                                         first.at("run").dump());
  EXPECT_THAT(again.out, AllOf(HasSubstr("imported-before: "), HasSubstr(clause)));
  EXPECT_THAT(lab().netperfd().log(), HasSubstr(clause));
  const Outcome compared =
      lab().ctl({"compare", "-o", "json", "label:twin-a", "label:twin-b", "--changed", "iperf3"});
  EXPECT_EQ(compared.code, kInconclusive);
  const json document = json::parse(compared.out);
  EXPECT_EQ(document.at("comparison").at("verdict"), "refused");
  EXPECT_THAT(document.dump(), HasSubstr("imported from the same file and are one measurement"));

  Command other = lab().ctl_command({"import", "-o", "json", file}, lab().users().other_member);
  const Outcome of_other = run(std::move(other));
  ASSERT_EQ(of_other.code, 0) << of_other.err;
  EXPECT_THAT(of_other.out, Not(HasSubstr("imported-before"))) << "the file of another user";
}

TEST_F(Import, of_several_at_once_waits_for_its_turn) {
  const auto runs = lab().database().number("SELECT count(*) FROM runs");
  const std::string file = data("iperf3/3.18/udp-send.out");
  Command command = lab().ctl_command({"import", "-o", "csv", file}, lab().users().member);
  // Two are read and four wait.
  const char* const script =
      R"(pids=; for i in 1 2 3 4 5 6; do "$0" "$@" & pids="$pids $!"; done; for p in $pids; do wait $p || exit; done)";
  command.argv.insert(command.argv.begin(), {"sh", "-c", script});
  const Outcome outcome = run(std::move(command));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), runs + 6);
}

TEST_F(Import, of_a_compressed_document_and_a_trace_is_one_run_with_both) {
  const std::string document = data("iperf3/3.22/udp-send.out");
  Command gzip;
  gzip.argv = {"gzip", document};
  ASSERT_EQ(run(std::move(gzip)).code, 0);
  const json runs = import({data("trace-dat/v7-zstd.dat"), document + ".gz"});
  ASSERT_EQ(runs.size(), 1U);
  const json shown = show(runs.front());
  EXPECT_EQ(shown.at("run").at("protocol"), "udp");
  EXPECT_FALSE(shown.at("functions").empty());
}

TEST_F(Import, of_a_servers_document_is_a_partial_run) {
  const json run = import({data("iperf3/of-server/3.18/tcp-send.out")}).front();
  EXPECT_THAT(codes_of(run), AllOf(Contains("server-document"), Contains("sender-unknown")));
  const json sum = show(run).at("sums").at(0);
  EXPECT_TRUE(sum.contains("received_bytes"));
  EXPECT_FALSE(sum.contains("sent_bytes")) << sum;
}

TEST_F(Import, of_a_pair_stores_both_or_neither) {
  const auto runs = lab().database().number("SELECT count(*) FROM runs");
  const Outcome outcome = lab().ctl({"import", data("iperf3/3.12/tcp-send.out"), data("client/runs.csv")});
  EXPECT_EQ(outcome.code, kUsage);
  EXPECT_THAT(outcome.err, HasSubstr("runs.csv: "));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), runs);
}

}  // namespace
}  // namespace netperfd::system_test
