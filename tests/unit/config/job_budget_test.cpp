// SPDX-License-Identifier: GPL-2.0-or-later
// The key `trace.budget`, and the budget of a job without it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::HasSubstr;

constexpr const char* kTraffic = "name: ring\nworkload: {iperf3: {server: h, duration: 1s}}\n";
constexpr const char* kDesign = "design: {a: {name: old}, b: {name: new}}\n";
constexpr const char* kPlainAndTraced = "design: {arms: [plain, traced]}\n";

Result<JobSpec> read(const std::string& text, const core::JobOptions& options = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}, .commands_refused = {}}, options,
                  {});
}
std::string with_budget(const std::string& budget) {
  return fmt::format("{}trace: {{function_graph: {{module: hsr}}, budget: {}}}\n", kTraffic, budget);
}
std::string traced() {
  return fmt::format("{}trace: {{function_graph: {{module: hsr}}}}\n", kTraffic);
}
std::string error_of(const std::string& text) {
  const auto job = read(text);
  return job ? "" : job.error().message;
}
std::optional<double> budget_of(const Result<JobSpec>& job) {
  EXPECT_TRUE(job) << job.error().message;
  return job ? job->trace->budget : std::nullopt;
}

TEST(JobBudget, is_the_share_that_it_gives) {
  EXPECT_EQ(budget_of(read(with_budget("10%"))), 0.1);
  EXPECT_EQ(budget_of(read(with_budget("'2.5 %'") + kDesign)), 0.025);
  EXPECT_EQ(budget_of(read(with_budget("100%"))), 1.0);
  EXPECT_EQ(budget_of(read(with_budget("none") + kDesign)), std::nullopt);
}

TEST(JobBudget, is_20_percent_with_a_design_that_traces_functions_and_none_otherwise) {
  EXPECT_EQ(budget_of(read(traced() + kDesign)), 0.2);
  EXPECT_EQ(budget_of(read(traced() + kPlainAndTraced)), 0.2);
  EXPECT_EQ(budget_of(read(traced())), std::nullopt);
  EXPECT_EQ(budget_of(read(fmt::format("{}trace: {{events: [skb:kfree_skb]}}\n{}", kTraffic, kDesign))),
            std::nullopt);
}

TEST(JobBudget, of_an_impossible_share_is_refused_with_its_place_and_what_is_right) {
  constexpr const char* kRange = "out of range (above 0 % and up to 100 %, or none)";
  EXPECT_THAT(error_of(with_budget("0%")), HasSubstr("ring.yaml:3:48: trace.budget: 0 % is "));
  EXPECT_THAT(error_of(with_budget("0%")), HasSubstr(kRange));
  EXPECT_THAT(error_of(with_budget("101%")), HasSubstr("ring.yaml:3:48: trace.budget: 101 % is "));
  EXPECT_THAT(error_of(with_budget("100.001%")), HasSubstr(kRange));
  for (const char* wrong : {"lots", "20", "0.2", "-5%", "''", "[20%]", "{share: 20%}", "true"}) {
    EXPECT_THAT(error_of(with_budget(wrong)), HasSubstr("ring.yaml:3:")) << wrong;
    EXPECT_THAT(error_of(with_budget(wrong)), HasSubstr("none or a percentage of the CPU time (like 20%)"))
        << wrong;
  }
}

TEST(JobBudget, is_refused_where_there_is_nothing_to_count_before_the_job) {
  EXPECT_THAT(error_of(fmt::format("{}trace: {{events: [skb:kfree_skb], budget: 20%}}\n", kTraffic)),
              HasSubstr("trace.budget: is for the functions of `function_graph`"));
  const std::string none =
      "name: ring\nworkload: {none: {until: stop}}\ntrace: {function_graph: {module: hsr}, budget: 20%}\n";
  EXPECT_THAT(error_of(none), HasSubstr("trace.budget: needs calls to count before the job"));
}

constexpr const char* kBoots =
    "design:\n  level: boot\n  a: {name: old, switch: [/x/boot, old], check: [/x/is, old]}\n"
    "  b: {name: new, switch: [/x/boot, new], check: [/x/is, new]}\n";

TEST(JobBudget, is_none_in_a_design_that_reboots) {
  EXPECT_EQ(budget_of(read(traced() + kBoots)), std::nullopt);
  EXPECT_EQ(budget_of(read(with_budget("none") + kBoots)), std::nullopt);
  EXPECT_THAT(error_of(with_budget("20%") + kBoots), HasSubstr("only none is possible with `level: boot`"));
}

TEST(JobBudget, can_be_set_by_its_caller) {
  core::JobOptions options;
  options.overrides = {"trace.budget=5%"};
  EXPECT_EQ(budget_of(read(traced() + kDesign, options)), 0.05);
  options.overrides = {"trace.budget=none"};
  EXPECT_EQ(budget_of(read(traced() + kDesign, options)), std::nullopt);
}

}  // namespace
}  // namespace netperfd::config
