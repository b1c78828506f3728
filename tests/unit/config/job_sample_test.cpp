// SPDX-License-Identifier: GPL-2.0-or-later
// The key `sample`, and what is sampled without it.
#include <gmock/gmock.h>

#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::HasSubstr;

constexpr const char* kJob = "name: ring\nrepeat: 6\nworkload: {iperf3: {server: h, duration: 1s}}\n";
constexpr const char* kTrace = "trace: {function_graph: {module: hsr}}\n";
constexpr const char* kDesign = "design: {a: {name: old}, b: {name: new}}\n";

Result<JobSpec> read(const std::string& more) {
  return read_job({.text = kJob + more, .origin = "ring.yaml", .expected_name = {}, .commands_refused = {}},
                  {}, {});
}
std::string error_of(const std::string& more) {
  const auto job = read(more);
  return job ? "" : job.error().message;
}

TEST(JobSample, samples_at_the_rate_that_it_gives) {
  const auto job = read("sample: {rate: 99}\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->sample, (SampleSpec{.rate = 99, .asked = true}));
}

TEST(JobSample, is_none_without_a_design_and_the_default_rate_with_one) {
  EXPECT_FALSE(read("")->sample);
  const auto design = read(kDesign);
  ASSERT_TRUE(design) << design.error().message;
  EXPECT_EQ(design->sample, (SampleSpec{.rate = 99, .asked = false}));
  EXPECT_FALSE(read(kDesign + std::string("sample: none\n"))->sample);
  const auto slow = read(kDesign + std::string("sample: {rate: 49}\n"));
  EXPECT_EQ(slow->sample, (SampleSpec{.rate = 49, .asked = true}));
}

TEST(JobSample, is_the_default_of_a_design_only_if_it_has_plain_runs) {
  const std::string traced =
      std::string(kTrace) + "design: {arms: [traced], a: {name: old}, b: {name: new}}\n";
  const auto job = read(traced);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_FALSE(job->sample);
  EXPECT_TRUE(read(std::string(kTrace) + kDesign)->sample);
  EXPECT_THAT(error_of(traced + "sample: {rate: 99}\n"), HasSubstr("sample: samples plain runs only"));
  EXPECT_THAT(error_of(std::string(kTrace) + "sample: {rate: 99}\n"),
              HasSubstr("all runs of this job are traced"));
}

TEST(JobSample, refuses_rates_that_are_none_with_the_place_and_what_is_right) {
  EXPECT_THAT(error_of("sample: {rate: 0}\n"),
              HasSubstr("ring.yaml:4:9: sample: 0 samples a second are out of range (1 to 10000)"));
  EXPECT_THAT(error_of("sample: {rate: 10001}\n"),
              HasSubstr("10001 samples a second are out of range (1 to 10000)"));
  EXPECT_TRUE(read("sample: {rate: 10000}\n"));
  for (const char* wrong : {"-5", "fast", "199.5", "1e3", "'99'x", "99999999999999999999"}) {
    EXPECT_THAT(error_of(std::string("sample: {rate: ") + wrong + "}\n"), HasSubstr("ring.yaml:4:")) << wrong;
  }
  EXPECT_THAT(error_of("sample: {rate: -5}\n"),
              HasSubstr("\"-5\" is not a number of samples per second (like 99)"));
  EXPECT_THAT(error_of("sample: {rate: fast}\n"), HasSubstr("is not a number of samples per second"));
  for (const char* wrong : {"always", "{}", "{speed: 9}", "{rate: 9, speed: 9}", "[rate]", "99"}) {
    EXPECT_THAT(error_of(std::string("sample: ") + wrong + "\n"),
                HasSubstr("none or a rate in samples per second (like {rate: 99})"))
        << wrong;
  }
}

TEST(JobSample, can_be_set_by_its_caller) {
  core::JobOptions options;
  options.overrides = {"sample.rate=49"};
  const auto job = read_job(
      {.text = kJob, .origin = "ring.yaml", .expected_name = {}, .commands_refused = {}}, options, {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->sample->rate, 49U);
}

}  // namespace
}  // namespace netperfd::config
