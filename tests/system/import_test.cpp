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

// More seconds than the points of its page, so that each is of several intervals, and more rows than the loop
// reads.
TEST_F(Import, of_a_long_run_has_a_page_with_the_extremes_of_all_intervals) {
  constexpr int kSeconds = 1100;
  json intervals = json::array();
  std::uint64_t bytes = 0;
  for (int second = 0; second < kSeconds; ++second) {
    const double rate = second == 123 ? 3e6 : second == 1004 ? 977e6 : 500e6;
    json row{{"start", second},  {"end", second + 1}, {"seconds", 1.0}, {"bytes", rate / 8},
             {"omitted", false}, {"retransmits", 0},  {"sender", true}, {"bits_per_second", rate}};
    json stream = row;
    stream["socket"] = 5;
    intervals.push_back({{"streams", {stream}}, {"sum", row}});
    bytes += static_cast<std::uint64_t>(rate / 8);
  }
  const json sum{{"start", 0},
                 {"end", kSeconds},
                 {"seconds", kSeconds},
                 {"bytes", bytes},
                 {"bits_per_second", static_cast<double>(bytes) * 8 / kSeconds},
                 {"retransmits", 0},
                 {"sender", true}};
  json document = json::parse(read_text(NETPERFD_TEST_DATA "/iperf3/3.18/tcp-send.out"));
  document["intervals"] = intervals;
  json& end = document["end"];
  end = {{"streams", json::array()}, {"sum_sent", sum}, {"sum_received", sum}};
  document["start"]["test_start"]["duration"] = kSeconds;
  document["start"]["test_start"]["omit"] = 0;
  const json runs = import({lab().directory().write("long.json", document.dump())});
  ASSERT_EQ(runs.size(), 1U);
  const Outcome page = lab().ctl({"show", runs.front().at("run").dump()});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, AllOf(HasSubstr("lowest 3.00, highest 977"), HasSubstr("--intervals"))) << page.out;
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
  EXPECT_EQ(outcome.code, kOther) << "not the code that says that nothing was changed";
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("refused.out: the document is no measurement"),
                    HasSubstr("runs.csv: it is none of the files that can be imported; its first line is")));
  EXPECT_EQ(json::parse(outcome.out).at("runs").size(), 1U);
}

TEST_F(Import, of_iperf3s_text_for_people_compares_with_documents) {
  const json text = import({data("iperf3/text/tcp-send.client.txt"), "--label", "text"}).front();
  EXPECT_THAT(codes_of(text), AllOf(Contains("rounded-figures"), Contains("options-unknown")));
  const json shown = show(text);
  EXPECT_EQ(shown.at("run").at("protocol"), "tcp");
  EXPECT_EQ(shown.at("sums").size(), 1U);
  ASSERT_EQ(import({data("iperf3/text/tcp-send.server.json"), "--label", "json"}).size(), 1U);
  const Outcome outcome =
      lab().ctl({"compare", "-o", "json", "label:text", "label:json", "--changed", "iperf3"});
  EXPECT_EQ(outcome.code, kInconclusive) << outcome.err;
  const json head = json::parse(outcome.out).at("comparison");
  EXPECT_EQ(head.at("verdict"), "too few");
  EXPECT_NEAR(head.at("ratio").get<double>(), 1, 0.01) << "of one test";
}

TEST_F(Import, of_netperf_and_sockperf_shows_compares_and_exports_their_figures) {
  const std::string first = data("netperf/rr-keys.txt");
  const json a = import({first, "--label", "rr-a"}).front();
  const json b = import({data("netperf/rr-columns.txt"), "--label", "rr-b"}).front();
  const json shown = show(a);
  EXPECT_EQ(shown.at("run").at("workload"), "netperf");
  EXPECT_EQ(shown.at("run").at("files"), json::array({base_name(first)}));
  const Outcome page = lab().ctl({"show", a.at("run").dump()});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, AllOf(HasSubstr("transactions 11431.2 transactions/s"), HasSubstr("netperf"),
                              HasSubstr("round_trip.p99")))
      << page.out;
  const Outcome outcome =
      lab().ctl({"compare", "-o", "json", "label:rr-a", "label:rr-b", "--changed", "netperf"});
  EXPECT_EQ(outcome.code, kInconclusive) << outcome.err;
  const json compared = json::parse(outcome.out);
  EXPECT_EQ(compared.at("comparison").at("verdict"), "too few") << compared;
  EXPECT_EQ(compared.at("comparison").at("figures").at(0).at("figure"), "transactions") << compared;
  EXPECT_EQ(open_document(lab(), lab().users().member, b.at("run").get<std::uint64_t>(), "import.1"),
            read_text(NETPERFD_TEST_DATA "/netperf/rr-columns.txt"));
  const json times = import({data("sockperf/pp-udp.txt"), data("sockperf/ul-udp.txt")});
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(show(times.front()).at("run").at("workload"), "sockperf");
  EXPECT_THAT(lab().ctl({"show", times.front().at("run").dump()}).out,
              HasSubstr("half_round_trip.p50 9111 ns, half_round_trip.p99 57212 ns"));
  const json series = import({data("flent/tcp-1up.json")});
  EXPECT_THAT(lab().ctl({"show", series.front().at("run").dump()}).out, HasSubstr("tcp_upload 2.41 Gbit/s"));
  EXPECT_THAT(lab().ctl({"runs", "--limit", "1"}).out, HasSubstr("tcp_upload 2.41 Gbit/s"));
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
  // One is read and four wait.
  const char* const script =
      R"(pids=; for i in 1 2 3 4 5; do "$0" "$@" & pids="$pids $!"; done; for p in $pids; do wait $p || exit; done)";
  command.argv.insert(command.argv.begin(), {"sh", "-c", script});
  const Outcome outcome = run(std::move(command));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), runs + 5);
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

class ImportOfTable : public Import {
 protected:
  static std::string write(const std::string& name, const std::string& text) {
    return lab().directory().write(name, text);
  }
  static std::string job_of(const json& run) { return "job:" + show(run).at("run").at("job").dump(); }
  static json compared(const std::string& job) {
    const Outcome outcome = lab().ctl({"compare", job, "-o", "json"});
    EXPECT_FALSE(outcome.out.empty()) << outcome.err;
    return json::parse(outcome.out).at("comparison");
  }
  // What another user, who imports its bundle, has of the job.
  static std::string bundled(const std::string& job) {
    const std::string file = lab().directory().path("table" + job.substr(4) + ".netperf");
    EXPECT_EQ(lab().ctl({"export", job, "--format", "bundle", "-O", file}, User{}).code, 0);
    const Outcome imported = lab().ctl({"import", "-o", "json", file}, User{});
    EXPECT_EQ(imported.code, 0) << imported.err;
    return job_of(json::parse(imported.out).at("runs").at(0));
  }
};

TEST_F(ImportOfTable, with_blocks_compares_here_and_from_a_bundle_alike) {
  std::string text = "figure,side,value,block,unit,better\n";
  for (int block = 1; block <= 6; ++block) {
    for (const char* side : {"before", "after", "after", "before"})
      text +=
          fmt::format("rate,{},{},{},Mbit/s,higher\n", side, (side[0] == 'a' ? 1300 : 1000) + block, block);
  }
  const json runs = import({write("blocks.csv", text)});
  ASSERT_EQ(runs.size(), 24U);
  EXPECT_EQ(show(runs.front()).at("run").at("workload"), "table");
  EXPECT_EQ(show(runs.at(1)).at("run").at("variant"), "after");
  EXPECT_THAT(lab().ctl({"show", runs.at(1).at("run").dump()}).out, HasSubstr("block 1, B after, plain"));
  const std::string job = job_of(runs.front());
  const json here = compared(job);
  EXPECT_EQ(here.at("verdict"), "improvement") << here;
  EXPECT_EQ(here.at("pairing"), "blocks");
  EXPECT_EQ(here.at("figures").at(0).at("figure"), "rate");
  const std::string there = bundled(job);
  EXPECT_NE(there, job);
  EXPECT_EQ(compared(there).at("figures"), here.at("figures"));
}

// As cover letters have them: of 252 orders of five and five values, 2 are so far apart.
TEST_F(ImportOfTable, without_blocks_compares_independent_samples) {
  std::string text = "figure,side,value,unit,better\n";
  for (const char* value : {"98", "99", "100", "101", "102"}) text += fmt::format("rate,base,{},,\n", value);
  for (const char* value : {"128", "129", "130.5", "132", "133"})
    text += fmt::format("rate,series,{},Mbit/s,higher\n", value);
  const std::string file = write("letter.csv", text);
  const Outcome page = lab().ctl({"import", file});
  ASSERT_EQ(page.code, 0) << page.err;
  const auto number = lab().database().number("SELECT max(id) FROM jobs");
  const std::string job = fmt::format("job:{}", number);
  EXPECT_THAT(page.out, AllOf(HasSubstr(base_name(file)), HasSubstr("its sides: netperfctl compare " + job)));
  const json here = compared(job);
  EXPECT_EQ(here.at("verdict"), "improvement") << here;
  EXPECT_EQ(here.at("pairing"), "runs");
  EXPECT_NEAR(here.at("figures").at(0).at("p").get<double>(), 2.0 / 252, 1e-9);
  EXPECT_EQ(lab().ctl({"report", job, "-O", lab().directory().path("letter.html")}, User{}).code, 0);
  EXPECT_EQ(compared(bundled(job)).at("figures"), here.at("figures"));
  const Outcome reread = run({.argv = {NETPERFD_PROGRAM, "--config", lab().configuration(), "--reread"},
                              .environment = {},
                              .user = {},
                              .netns = {},
                              .stderr_file = {}});
  EXPECT_EQ(reread.code, 0) << reread.err;
  EXPECT_THAT(reread.out + reread.err, HasSubstr("0 cannot be read now"));
}

TEST_F(ImportOfTable, that_is_wrong_names_file_line_and_column_and_stores_nothing) {
  const auto runs = lab().database().number("SELECT count(*) FROM runs");
  const std::string file = write("wrong.csv", "figure,side,value\ncpu,a,1\ncpu,b,1e309\n");
  const Outcome outcome = lab().ctl({"import", file});
  EXPECT_EQ(outcome.code, kUsage);
  EXPECT_THAT(outcome.err, HasSubstr("wrong.csv: line 3: column value: expected is a number"));
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), runs);
}

}  // namespace
}  // namespace netperfd::system_test
