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

const std::vector<Fact> kTcp{{"iperf3", "protocol", "tcp"}}, kUdp{{"iperf3", "protocol", "udp"}};

// "congestion: cubic -> bbr"
std::vector<std::string> told_differences(const Fingerprint& of_a, const Fingerprint& of_b) {
  auto runs_a = runs_from(0, eight_around(100)), runs_b = runs_from(10, eight_around(120));
  for (ComparedRun& run : runs_a) run.fingerprint = of_a;
  for (ComparedRun& run : runs_b) run.fingerprint = of_b;
  std::vector<std::string> differences;
  const Comparison comparison = compare(runs_a, runs_b, {});
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

TEST(ToldFacts, of_runs_without_any_document_are_absent_where_the_option_was_not_given) {
  EXPECT_THAT(told_differences(of_run(kTcp), of_run(kTcp, {{"iperf3", "congestion", "bbr"}})),
              ElementsAre("congestion: (absent) -> bbr"));
}

}  // namespace
}  // namespace netperfd::analysis
