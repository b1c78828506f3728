// SPDX-License-Identifier: GPL-2.0-or-later
// The changes that a purpose makes to a job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kJob = "name: ring\nrepeat: 5\nworkload: {iperf3: {server: h, duration: 1s}}\n";
const std::string kTraced = kJob + "trace: {function_graph: {module: hsr}}\n";
const std::string kSides = R"(design:
  a: {name: list, switch: [/usr/libexec/use, list], check: [/bin/true]}
  b: {name: hash, switch: [/usr/libexec/use, hash]}
  changed: ['module:hsr']
)";
const std::string kPlainAndTraced = "design: {arms: [plain, traced]}\n";

// Reads a text that may have commands.
Result<JobSpec> read(const std::string& text, const core::JobOptions& options = {},
                     const JobLimits& limits = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}, .commands_refused = {}}, options,
                  limits);
}

core::JobOptions as(JobPurpose purpose) {
  return {.overrides = {}, .label = {}, .repeat = {}, .purpose = purpose};
}

std::string error_of(const Result<JobSpec>& job) {
  return job ? "" : job.error().message;
}

TEST(Pilot, has_plain_runs_of_both_variants) {
  const auto job = read(kTraced + kSides, as(JobPurpose::pilot));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->purpose, JobPurpose::pilot);
  EXPECT_EQ(job->trace, std::nullopt);
  ASSERT_TRUE(job->design);
  EXPECT_FALSE(job->design->plain);
  EXPECT_EQ(job->design->b->apply.back(), "hash");
  EXPECT_THAT(job->design->changed, ElementsAre("module:hsr"));
  EXPECT_EQ(job->repeat, 6U);
  EXPECT_EQ(job->label, "pilot");
  EXPECT_EQ(run_count(*job), 24U);
  EXPECT_THAT(check(*job), IsEmpty());
}

TEST(Pilot, without_variants_is_eight_plain_runs) {
  for (const std::string& text : {kJob, kTraced, kTraced + kPlainAndTraced}) {
    const auto job = read(text, as(JobPurpose::pilot));
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->design, std::nullopt);
    EXPECT_EQ(job->trace, std::nullopt);
    EXPECT_EQ(job->repeat, 8U);
    EXPECT_THAT(check(*job), IsEmpty());
  }
}

TEST(Selftest, has_side_a_twice) {
  const auto job = read(kTraced + kSides, as(JobPurpose::selftest));
  ASSERT_TRUE(job) << job.error().message;
  const Variant a{.name = "A", .apply = {"/usr/libexec/use", "list"}, .verify = {"/bin/true"}, .builds = {}};
  Variant b = a;
  b.name = "B";
  EXPECT_EQ(job->purpose, JobPurpose::selftest);
  EXPECT_EQ(*job->design, (Design{.a = a, .b = b, .plain = true, .changed = {}, .seed = {}}));
  EXPECT_TRUE(job->trace);
  EXPECT_EQ(job->repeat, 5U);
  EXPECT_EQ(job->label, "selftest");
  EXPECT_THAT(check(*job), IsEmpty());
}

TEST(Selftest, knows_how_to_go_back_to_a_side_b_that_it_can_find) {
  const auto made = [](const std::string& check_of_b) {
    const std::string sides =
        "design:\n  a: {switch: [/x/use, list]}\n  b: {switch: [/x/use, hash]" + check_of_b + "}\n";
    return read(kJob + sides, as(JobPurpose::selftest)).value().design.value().home;
  };
  EXPECT_EQ(made(", check: [/x/is, hash]"),
            (Variant{.name = "B", .apply = {"/x/use", "hash"}, .verify = {"/x/is", "hash"}, .builds = {}}));
  EXPECT_EQ(made(""), std::nullopt);
}

TEST(Selftest, has_each_build_of_side_a_against_another_one) {
  const std::string text = "name: ring\nrepeat: 8\n" + kJob.substr(kJob.find("workload")) + R"(design:
  a: {switch: [/usr/libexec/use], builds: [l1, l2, l3, l4, l5, l6, l7]}
  b: {switch: [/usr/libexec/use], builds: [h1, h2, h3, h4, h5, h6, h7]}
  changed: ['module:hsr']
)";
  const auto job = read(text, as(JobPurpose::selftest));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->design->a->builds, ElementsAre("l1", "l2", "l3", "l4", "l5", "l6", "l7"));
  EXPECT_THAT(job->design->b->builds, ElementsAre("l2", "l3", "l4", "l5", "l6", "l7", "l1"));
  EXPECT_EQ(read(text, as(JobPurpose::pilot))->repeat, 7U) << "a block for each build";
  EXPECT_THAT(job->design->changed, ElementsAre("module:hsr")) << "two builds differ in it";
}

TEST(Selftest, of_a_job_without_variants_is_six_blocks_without_commands) {
  for (const bool observer : {false, true}) {
    const auto job = read(observer ? kTraced + kPlainAndTraced : kJob, as(JobPurpose::selftest));
    ASSERT_TRUE(job) << job.error().message;
    const Variant a{.name = "A", .apply = {}, .verify = {}, .builds = {}};
    const Variant b{.name = "B", .apply = {}, .verify = {}, .builds = {}};
    EXPECT_EQ(*job->design, (Design{.a = a, .b = b, .plain = observer, .changed = {}, .seed = {}}));
    EXPECT_EQ(job->repeat, 6U);
    EXPECT_THAT(check(*job), IsEmpty());
  }
}

TEST(Selftest, of_several_figures_has_as_many_blocks_as_their_intervals_take) {
  EXPECT_EQ(read(kJob + "figures: [received, cpu]\n", as(JobPurpose::selftest))->repeat, 7U);
  const auto four = read(kJob + "figures: [received, cpu, rtt, retransmits]\n", as(JobPurpose::selftest));
  EXPECT_EQ(four->repeat, 8U);
  EXPECT_EQ(four->figures.size(), 4U);
  EXPECT_EQ(read(kJob + "figures: [rtt]\n", as(JobPurpose::selftest))->repeat, 6U);
}

TEST(Purposes, leave_what_the_start_gave) {
  const auto overridden = read(
      kJob + kSides,
      {.overrides = {"label=mine", "repeat=9"}, .label = {}, .repeat = {}, .purpose = JobPurpose::pilot});
  ASSERT_TRUE(overridden) << overridden.error().message;
  EXPECT_EQ(overridden->label, "mine");
  EXPECT_EQ(overridden->repeat, 9U);
  for (const auto purpose : {JobPurpose::pilot, JobPurpose::selftest}) {
    const auto job = read(kJob + kSides, {.overrides = {}, .label = "mine", .repeat = 9, .purpose = purpose});
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->label, "mine");
    EXPECT_EQ(job->repeat, 9U);
  }
}

TEST(Purposes, leave_the_text_as_it_was_read) {
  const auto text = kTraced + kSides;
  const auto measured = read(text);
  for (const auto purpose : {JobPurpose::pilot, JobPurpose::selftest}) {
    const auto job = read(text, as(purpose));
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->text, measured->text);
    EXPECT_EQ(*read(job->text, as(purpose)), *job);
  }
}

TEST(Purposes, are_none_for_a_job_that_only_a_stop_ends) {
  EXPECT_EQ(error_of(read("name: x\nworkload:\n  none: {until: stop}\ntrace: {events: [skb:kfree_skb]}\n",
                          as(JobPurpose::selftest))),
            "ring.yaml:3:9: workload.none: has one run, which only a stop ends, so that it can be no "
            "selftest");
}

TEST(Purposes, keep_to_the_limit_of_the_daemon) {
  EXPECT_THAT(error_of(read(kJob, as(JobPurpose::selftest), {.repeat = 23})),
              HasSubstr("repeat: 6 blocks of 4 runs are 24 runs, more than this daemon allows (23)"));
}

TEST(Purposes, give_a_caller_no_commands) {
  const auto job = read_job({.text = kJob + kSides, .origin = "ring.yaml", .expected_name = {}},
                            as(JobPurpose::selftest), {});
  EXPECT_THAT(error_of(job), HasSubstr("design.a.switch: would run as root"));
}

}  // namespace
}  // namespace netperfd::config
