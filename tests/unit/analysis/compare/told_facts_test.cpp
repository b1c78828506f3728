// SPDX-License-Identifier: GPL-2.0-or-later
// What an imported document of iperf3 tells, against runs of netperfd and documents of other versions.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const std::vector<Fact> kTcp{{"iperf3", "protocol", "tcp"}}, kUdp{{"iperf3", "protocol", "udp"}};

Comparison told_comparison(const Fingerprint& of_a, const Fingerprint& of_b,
                           const ComparisonSettings& settings = {}) {
  auto runs_a = runs_from(0, eight_around(100)), runs_b = runs_from(10, eight_around(120));
  for (ComparedRun& run : runs_a) run.fingerprint = of_a;
  for (ComparedRun& run : runs_b) run.fingerprint = of_b;
  return compare(runs_a, runs_b, settings);
}

// "congestion: cubic -> bbr"
std::vector<std::string> told_differences(const Fingerprint& of_a, const Fingerprint& of_b) {
  std::vector<std::string> differences;
  const Comparison comparison = told_comparison(of_a, of_b);
  for (const FactChange& fact : comparison.facts)
    differences.push_back(fact.key + ": " + fact.a.front() + " -> " + fact.b.front());
  return differences;
}

Fingerprint of_run(std::vector<Fact> facts, const std::vector<Fact>& more = {}) {
  facts.insert(facts.end(), more.begin(), more.end());
  return {.boot_id = "boot-1", .facts = std::move(facts), .unknown = {}};
}

Fingerprint of_told(std::vector<Fact> facts, const std::vector<Fact>& more = {}) {
  Fingerprint fingerprint = of_run(std::move(facts), more);
  fingerprint.boot_id.clear();
  fingerprint.unknown = {std::string(kAllElse)};
  return fingerprint;
}

TEST(ToldFacts, of_two_documents_differ_where_both_tell_them) {
  const Fingerprint cubic =
      of_told(kTcp, {{"iperf3", "congestion", "cubic"}, {"iperf3", "test_start.tos", "0"}});
  EXPECT_THAT(told_differences(cubic, of_told(kTcp, {{"iperf3", "congestion", "bbr"}})),
              ElementsAre("congestion: cubic -> bbr"));
  EXPECT_THAT(told_differences(cubic, of_told(kTcp, {{"iperf3", "test_start.tos", "8"}})),
              ElementsAre("test_start.tos: 0 -> 8"));
  EXPECT_THAT(told_differences(cubic, of_told(kTcp)), IsEmpty()) << "as an older netperfd stored it";
}

TEST(ToldFacts, of_defaults_are_not_compared_with_runs_that_gave_no_option) {
  EXPECT_THAT(told_differences(of_run(kTcp), of_told(kTcp, {{"iperf3", "congestion", "cubic"},
                                                            {"iperf3", "test_start.tos", "0"},
                                                            {"iperf3", "start.sndbuf_actual", "16384"}})),
              IsEmpty());
  EXPECT_THAT(told_differences(of_told(kUdp, {{"iperf3", "length", "1448"}}), of_run(kUdp)), IsEmpty());
}

TEST(ToldFacts, differ_from_runs_that_gave_another_option) {
  EXPECT_THAT(told_differences(of_run(kTcp, {{"iperf3", "congestion", "bbr"}}),
                               of_told(kTcp, {{"iperf3", "congestion", "cubic"}})),
              ElementsAre("congestion: bbr -> cubic"));
  EXPECT_THAT(told_differences(of_run(kUdp, {{"iperf3", "length", "200"}}),
                               of_told(kUdp, {{"iperf3", "length", "1448"}})),
              ElementsAre("length: 200 -> 1448"));
}

// Their defaults are known, and a document that used one has the fact as absent.
TEST(ToldFacts, of_options_with_a_known_default_differ_from_runs_that_gave_none) {
  EXPECT_THAT(told_differences(of_run(kTcp), of_told(kTcp, {{"iperf3", "length", "4096"}})),
              ElementsAre("length: (absent) -> 4096"));
  EXPECT_THAT(told_differences(of_run(kTcp), of_told(kTcp, {{"iperf3", "fq_rate", "500000000"}})),
              ElementsAre("fq_rate: (absent) -> 500000000"));
  EXPECT_THAT(told_differences(of_run(kTcp), of_told(kTcp, {{"iperf3", "fq_rate", "(absent)"}})), IsEmpty());
}

// A job may name a DSCP, or the whole byte of which it is a part.
TEST(ToldFacts, of_a_dscp_are_compared_by_its_value) {
  const auto of_document = [](const char* value) { return of_told(kTcp, {{"iperf3", "dscp", value}}); };
  const auto of_job = [](const char* value) { return of_run(kTcp, {{"iperf3", "dscp", value}}); };
  for (const char* absent : {"0", "cs0"})
    EXPECT_THAT(told_differences(of_job(absent), of_document("(absent)")), IsEmpty()) << absent;
  EXPECT_THAT(told_differences(of_job("ef"), of_document("46")), IsEmpty());
  EXPECT_THAT(told_differences(of_document("46"), of_job("46")), IsEmpty());
  EXPECT_THAT(told_differences(of_job("lowdelay"), of_document("4")), IsEmpty());
  EXPECT_THAT(told_differences(of_job("ef"), of_document("8")), ElementsAre("dscp: 46 -> 8"));
  EXPECT_THAT(told_differences(of_run(kTcp), of_document("46")), ElementsAre("dscp: (absent) -> 46"));
  EXPECT_THAT(told_differences(of_job("ef"), of_run(kTcp)), ElementsAre("dscp: ef -> (absent)"))
      << "there is no document";
}

TEST(ToldFacts, of_an_option_that_is_the_default_are_absent) {
  const auto told = [](const std::vector<Fact>& protocol, const char* key, const char* given) {
    return told_differences(of_run(protocol, {{"iperf3", key, given}}),
                            of_told(protocol, {{"iperf3", key, "(absent)"}}));
  };
  EXPECT_THAT(told(kUdp, "bitrate", "1048576"), IsEmpty());
  EXPECT_THAT(told(kTcp, "bitrate", "0"), IsEmpty());
  EXPECT_THAT(told(kTcp, "length", "131072"), IsEmpty());
  EXPECT_THAT(told(kUdp, "bitrate", "0"), ElementsAre("bitrate: 0 -> (absent)"));
  EXPECT_THAT(told(kTcp, "bitrate", "1048576"), ElementsAre("bitrate: 1048576 -> (absent)"));
}

TEST(ToldFacts, of_defaults_that_are_not_compared_are_named) {
  const Fingerprint cubic = of_told(kTcp, {{"iperf3", "congestion", "cubic"}, {"iperf3", "start.new", "1"}});
  const std::string caveat = "Not compared: congestion of iperf3.";
  EXPECT_THAT(told_comparison(of_run(kTcp), cubic).caveats, has_caveat(caveat));
  const Fingerprint bbr = of_run(kTcp, {{"iperf3", "congestion", "bbr"}});
  EXPECT_THAT(told_comparison(bbr, cubic).caveats, Not(has_caveat(caveat)));
  EXPECT_THAT(told_comparison(of_told(kTcp), cubic).caveats, Not(has_caveat(caveat)));
}

TEST(ToldFacts, of_the_congestion_control_are_compared_with_what_a_run_used) {
  auto jobs = runs_from(0, eight_around(100)), documents = runs_from(10, eight_around(120));
  for (ComparedRun& run : documents) run.fingerprint = of_told(kTcp, {{"iperf3", "congestion", "bbr"}});
  for (const char* used : {"cubic", "bbr"}) {
    for (ComparedRun& run : jobs) {
      run.fingerprint = of_run(kTcp);
      run.congestion = used;
    }
    const Comparison comparison = compare(jobs, documents, {});
    EXPECT_EQ(comparison.verdict == Verdict::refused, std::string("cubic") == used) << used;
    EXPECT_EQ(comparison.facts.size(), std::string("cubic") == used ? 1U : 0U) << used;
    EXPECT_THAT(comparison.caveats, Not(has_caveat("Not compared: congestion")));
  }
}

// The kernel chooses them if the test did not ask for a window.
TEST(ToldFacts, of_the_buffers_of_sockets_follow_from_the_kernel) {
  const auto of_kernel = [](const char* release, const char* bytes, const char* window) {
    return of_told(kTcp, {{"iperf3", "start.rcvbuf_actual", bytes},
                          {"iperf3", "start.sndbuf_actual", bytes},
                          {"iperf3", "window", window},
                          {"kernel", "release", release}});
  };
  const Fingerprint older = of_kernel("6.1", "16384", "(absent)"),
                    newer = of_kernel("6.2", "32768", "(absent)");
  EXPECT_EQ(told_comparison(older, newer, {.changed = {"kernel"}}).verdict, Verdict::improvement);
  EXPECT_EQ(told_comparison(older, newer, {.changed = {"iperf3"}}).verdict, Verdict::refused);
  const Fingerprint same_kernel = of_kernel("6.1", "32768", "(absent)");
  EXPECT_EQ(told_comparison(older, same_kernel, {.changed = {"kernel"}}).verdict, Verdict::refused);
  EXPECT_EQ(told_comparison(of_kernel("6.1", "16384", "65536"), of_kernel("6.2", "32768", "65536"),
                            {.changed = {"kernel"}})
                .verdict,
            Verdict::refused)
      << "a window was asked for";
}

TEST(ToldFacts, of_runs_without_any_document_are_absent_where_the_option_was_not_given) {
  EXPECT_THAT(told_differences(of_run(kTcp), of_run(kTcp, {{"iperf3", "congestion", "bbr"}})),
              ElementsAre("congestion: (absent) -> bbr"));
}

}  // namespace
}  // namespace netperfd::analysis
