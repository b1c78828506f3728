// SPDX-License-Identifier: GPL-2.0-or-later
// The key `until`: what it may stand beside, and what a start may do to it.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kJob = "name: ring\nworkload: {iperf3: {server: h, duration: 1s}}\n";
constexpr const char* kSides = "design: {a: {set: {streams: 1}}, b: {set: {streams: 2}}}\n";
constexpr const char* kUntil = "until: {decided, most: 40}\n";

Result<JobSpec> read(const std::string& text, const core::JobOptions& options = {},
                     const JobLimits& limits = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}, .commands_refused = {}}, options,
                  limits);
}

core::JobOptions with(std::vector<std::string> overrides) {
  core::JobOptions options;
  options.overrides = std::move(overrides);
  return options;
}

std::string error_of(const std::string& text, const core::JobOptions& options = {},
                     const JobLimits& limits = {}) {
  const auto job = read(text, options, limits);
  return job ? "accepted" : job.error().message;
}

TEST(JobUntil, is_the_key_alone_or_true) {
  for (const std::string until :
       {"until: {decided, most: 40}", "until: {decided: true, most: 40}", "until:\n  decided:\n  most: 40"}) {
    const auto job = read(kJob + until + "\n" + kSides);
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_TRUE(job->until_decided);
    EXPECT_EQ(job->repeat, 40U);
    // The store knows such a job by this line.
    EXPECT_THAT(job->text, HasSubstr("\nuntil:\n"));
    EXPECT_EQ(read(job->text)->text, job->text);
  }
  EXPECT_FALSE(read(kJob)->until_decided);
}

TEST(JobUntil, says_what_it_expects) {
  EXPECT_EQ(error_of(kJob + std::string("until: {decided: false, most: 40}\n") + kSides),
            "ring.yaml:3:18: until.decided: \"false\" is not true, which need not be said (like {decided, "
            "most: 40})");
  EXPECT_EQ(error_of(kJob + std::string("until: {most: 40}\n") + kSides),
            "ring.yaml:3:1: until.decided: is missing");
  EXPECT_EQ(error_of(kJob + std::string("until: {decided}\n") + kSides),
            "ring.yaml:3:1: until.most: is missing");
  EXPECT_THAT(error_of(kJob + std::string("until: {decided, most: 5}\n") + kSides),
              HasSubstr("ring.yaml:3:24: until.most: \"5\" is not a whole number from 6 to"));
  EXPECT_THAT(error_of(kJob + std::string("until: 40\n") + kSides),
              HasSubstr("until: \"40\" is not a mapping"));
}

TEST(JobUntil, does_not_stand_beside_repeat) {
  EXPECT_EQ(error_of(kJob + std::string(kUntil) + "repeat: 6\n" + kSides),
            "ring.yaml:4:1: repeat: stands beside `until`, whose `most` is the largest number of blocks; "
            "remove one of them");
}

TEST(JobUntil, is_of_blocks_of_two_sides) {
  EXPECT_THAT(error_of(kJob + std::string(kUntil)),
              HasSubstr("until: has a meaning for a `design` with `a`"));
  EXPECT_THAT(error_of(kJob + std::string(kUntil) +
                       "trace: {function_graph: {module: hsr}}\ndesign: {arms: [plain, traced]}\n"),
              HasSubstr("until: has a meaning for a `design` with `a`"));
  EXPECT_THAT(error_of(kJob + std::string(kUntil) +
                       "design: {level: boot, a: {switch: [/x, a], check: [/x, a]}, b: {switch: [/x, b], "
                       "check: [/x, b]}}\n"),
              HasSubstr("until: counts blocks, and with `level: boot` boots are compared"));
  EXPECT_THAT(
      error_of(kJob + std::string(kUntil) +
               "design: {a: {switch: [/x], builds: [a, b, c, d, e, f]}, b: {switch: [/y], builds: [a, "
               "b, c, d, e, f]}}\n"),
      HasSubstr("until: counts blocks, and with `builds` pairs of builds are compared"));
}

// The store looks for its lines in the text.
TEST(JobUntil, has_lines_of_its_own_in_the_text) {
  EXPECT_THAT(read(kJob + std::string(kUntil) + kSides)->text,
              HasSubstr("\nuntil:\n  decided: ~\n  most: 40\n"));
  EXPECT_THAT(read(kJob + std::string(kSides), with({"until={decided: true, most: 20}"}))->text,
              HasSubstr("\nuntil:\n  decided: true\n  most: 20\n"));
}

TEST(JobUntil, has_the_limit_of_repeat) {
  EXPECT_THAT(error_of(kJob + std::string(kUntil) + kSides, {}, {.repeat = 159}),
              HasSubstr("until.most: 40 blocks of 4 runs are 160 runs, more than this daemon allows (159)"));
  EXPECT_EQ(error_of(kJob + std::string(kUntil) + kSides, {}, {.repeat = 160}), "accepted");
}

TEST(JobUntil, of_a_start_replaces_repeat) {
  const std::string fixed = kJob + std::string("repeat: 6\n") + kSides;
  const auto job = read(fixed, with({"until={decided: true, most: 20}"}));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->until_decided);
  EXPECT_EQ(job->repeat, 20U);
  EXPECT_THAT(job->text, Not(HasSubstr("repeat")));
  EXPECT_EQ(read(kJob + std::string(kUntil) + kSides, with({"until.most=12"}))->repeat, 12U);
  EXPECT_EQ(read(fixed, with({"until={decided, most: 20}"}))->repeat, 20U);
}

TEST(JobUntil, is_replaced_by_a_repeat_of_a_start) {
  core::JobOptions options;
  options.repeat = 10;
  const auto job = read(kJob + std::string(kUntil) + kSides, options);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_FALSE(job->until_decided);
  EXPECT_EQ(job->repeat, 10U);
  EXPECT_THAT(job->text, Not(HasSubstr("until")));
}

TEST(JobUntil, stays_if_the_job_is_read_again) {
  const auto job = read(kJob + std::string(kUntil) + kSides);
  core::JobOptions options;  // as of a job that the daemon resumes
  options.repeat = job->repeat;
  const auto again = read(job->text, options);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->until_decided);
  EXPECT_EQ(again->repeat, 40U);
}

TEST(JobUntil, goes_with_sides_of_a_start) {
  const auto job =
      read(kJob, with({"design.b.set.streams=2", "design.a.name=one", "until={decided: true, most: 20}"}));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->until_decided);
  EXPECT_EQ(job->repeat, 20U);
}

TEST(JobUntil, is_not_of_pilots_and_self_tests) {
  for (const JobPurpose purpose : {JobPurpose::pilot, JobPurpose::selftest}) {
    core::JobOptions options;
    options.purpose = purpose;
    const auto job = read(kJob + std::string(kUntil) + kSides, options);
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_FALSE(job->until_decided);
    EXPECT_EQ(job->repeat, 6U);
  }
}

}  // namespace
}  // namespace netperfd::config
