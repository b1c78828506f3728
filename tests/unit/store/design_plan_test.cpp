// SPDX-License-Identifier: GPL-2.0-or-later
// Planning the number of runs from stored ones.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <utility>

#include "daemon/analysis/compare/looks_course.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

TEST_F(Designs, plan_boots_where_the_runs_are_of_several) {
  JobSpec pilot = a_design();
  pilot.purpose = JobPurpose::pilot;
  pilot.repeat = 4;
  const std::vector<double> lucks{0.01, -0.02, 0.03, 0};
  for (const double luck : lucks) {
    boot_id_ = fmt::to_string(luck);
    done(pilot, [luck](const Slot& slot) {
      return Outcome{.rate = kRate * (slot.variant == 'B' ? std::exp(luck) : 1)};
    });
  }
  const core::RunPlan plan = planned({.runs = "1-64", .effect = 0.02, .power = 0.8, .repeat = {}});
  EXPECT_EQ(plan.pairing, Pairing::boots_of_blocks);
  EXPECT_EQ(plan.samples, 4U);
  EXPECT_EQ(plan.blocks_each, 4U);
  EXPECT_NEAR(plan.sd, analysis::planning_sd(lucks).value(), 1e-4);
  EXPECT_EQ(plan.needed, analysis::blocks({.sd = plan.sd, .effect = std::log(1.02 / 1.01)}))
      << "to be shown to be at least 1 %";
  EXPECT_FALSE(plan.seconds) << "how long a boot takes is not known";
}

// A design that reboots: each letter has a boot of its own, of `runs` runs. The sides are 20 % apart.
JobSpec a_rebooting_design(std::uint32_t blocks, std::uint32_t runs) {
  JobSpec spec = a_design();
  spec.repeat = blocks;
  spec.design->reboots.emplace();
  spec.design->reboots->runs = runs;
  return spec;
}

TEST_F(Designs, plan_boots_a_side_by_how_boots_of_one_side_spread) {
  const JobSpec spec = a_rebooting_design(2, 3);
  // Of each letter, in the order of the letters of a side.
  const std::vector<double> lucks{0.01, -0.02, 0.03, 0};
  std::map<char, std::size_t> booted;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> of_letter;
  std::uint32_t runs = 0;
  const JobId job = done(spec, [&](const Slot& slot) {
    const auto [letter, is_new] = of_letter.try_emplace({slot.block, slot.letter}, booted[slot.variant]);
    if (is_new) ++booted[slot.variant];
    boot_id_ = fmt::format("{}.{}", slot.block, slot.letter);
    const double stray = 0.2 * (static_cast<double>(runs++ % 3) - 1);  // the median of three has none
    return Outcome{.rate = kRate * (slot.variant == 'B' ? 1.2 : 1) * std::exp(lucks[letter->second] + stray)};
  });
  const core::RunPlan plan = planned({.runs = fmt::format("job:{}", job), .effect = 0.02, .repeat = 6});
  EXPECT_EQ(plan.pairing, Pairing::boots);
  EXPECT_EQ(plan.samples, 8U) << "of both sides";
  EXPECT_NEAR(plan.sd, analysis::planning_sd(lucks).value(), 1e-6) << "without the sides' difference";
  EXPECT_EQ(plan.needed, analysis::runs_a_side({.sd = plan.sd, .effect = std::log(1.02 / 1.01)}));
  EXPECT_DOUBLE_EQ(plan.detectable.value_or(0),
                   1.01 * std::exp(analysis::detectable_by_runs(6, 6, plan.sd, 0.95, 0.8).value()));
  EXPECT_FALSE(plan.boot_seconds) << "nobody has stored when they were asked";
  EXPECT_FALSE(plan.seconds);
}

TEST_F(Designs, plan_the_time_of_boots_by_the_boots_that_came) {
  const JobSpec spec = a_rebooting_design(2, 1);
  double luck = 0;
  const JobId job = done(spec, [&](const Slot& slot) {
    boot_id_ = fmt::format("{}.{}", slot.block, slot.letter);
    return Outcome{.rate = kRate * std::exp(luck += 0.01)};
  });
  // Asked every five minutes, but the third one failed and was tried again after an hour.
  const std::vector<int> minutes{0, 5, 10, 70, 75, 80};
  for (std::uint32_t i = 0; i < minutes.size(); ++i) {
    const WallTime asked = kMorning + std::chrono::minutes{minutes[i]};
    must(store->add_boot(job, {.number = i + 1,
                               .block = 1,
                               .letter = 1,
                               .side = 'A',
                               .variant = {},
                               .asked = asked,
                               .settled = {},
                               .boot_id = {},
                               .kernel = {},
                               .failure = {}}));
    BootArrival arrival{
        .settled = asked + std::chrono::minutes{2}, .boot_id = {}, .kernel = {}, .failure = {}};
    if (i == 2)
      arrival = {.settled = {}, .boot_id = {}, .kernel = {}, .failure = "the machine did not reboot"};
    must(store->end_boot(job, i + 1, arrival));
  }
  const core::RunPlan plan = planned({.runs = fmt::format("job:{}", job), .repeat = 3});
  EXPECT_DOUBLE_EQ(plan.boot_seconds.value_or(0), 300);
  EXPECT_DOUBLE_EQ(plan.seconds.value_or(0), plan.needed.value_or(0) * 2 * 300.0) << "a boot on either side";
  EXPECT_DOUBLE_EQ(plan.repeat_seconds.value_or(0), 3 * 2 * 300.0);
}

JobSpec a_test(const std::string& text) {
  JobSpec spec = a_job("veth-tcp");
  spec.repeat = 4;
  spec.text = text;
  return spec;
}

std::string text_of(const char* head, const char* streams, const char* netns, const char* tail = "") {
  return fmt::format("{}workload:\n  iperf3:\n    streams: {}\n    netns: {}\n{}", head, streams, netns,
                     tail);
}

TEST_F(Designs, of_the_same_test_have_the_same_workload_path_and_sides) {
  const auto test = [&](const std::string& text) {
    return must(store->test_of_job(done(a_test(text), [](const Slot&) { return Outcome{}; })));
  };
  constexpr const char* kHead = "name: veth-tcp\nrepeat: 4\n";
  constexpr const char* kSides = "design:\n  a:\n    set:\n      length: 1K\n";
  const std::string one = test(text_of(kHead, "1", "left", kSides));
  EXPECT_EQ(one, test(text_of("name: other\nlabel: x\nrepeat: 40\n", "1", "left", kSides)));
  EXPECT_EQ(one,
            test(text_of(kHead, "1", "left",
                         "design:\n  a:\n    set:\n      length: 1K\n  seed: 7\nlimits:\n  timeout: 9s\n")));
  for (const std::string& other :
       {text_of(kHead, "8", "left", kSides), text_of(kHead, "1", "right", kSides),
        text_of(kHead, "1", "left"),
        text_of(kHead, "1", "left", "design:\n  a:\n    set:\n      length: 64K\n"),
        text_of(kHead, "1", "left",
                "with:\n  latency:\n    idle: 2s\ndesign:\n  a:\n    set:\n      length: 1K\n"),
        text_of(kHead, "1", "left",
                "design:\n  a:\n    set:\n      length: 1K\nsweep:\n  streams: [1, 4]\n")})
    EXPECT_NE(one, test(other)) << other;
  EXPECT_EQ(must(store->test_of_job(999)), "");
}

// A bitrate of 20M hardly spreads, and what is not limited does: one says nothing of the other.
TEST_F(Designs, plan_by_runs_of_the_same_test_only) {
  const auto rates = [](double step) {
    return [rate = kRate, step](const Slot&) mutable { return Outcome{.rate = rate *= step}; };
  };
  const std::string one = text_of("repeat: 4\n", "1", "left"), eight = text_of("repeat: 4\n", "8", "left");
  const JobId steady = done(a_test(one), rates(1.001));
  const JobId wild = done(a_test(eight), rates(1.5));
  const std::string runs = "scenario:veth-tcp last:200";
  EXPECT_EQ(planned({.runs = runs, .repeat = {}}).samples, 8U) << "of both tests";
  const core::RunPlan of_one = planned({.runs = runs, .repeat = 8, .like_job = steady});
  EXPECT_EQ(of_one.samples, 4U);
  EXPECT_LT(of_one.detectable.value_or(0), 1.02);
  EXPECT_GT(planned({.runs = runs, .repeat = 8, .like_job = wild}).detectable.value_or(0), 1.5);
  const JobId other =
      done(a_test(text_of("", "3", "left")), [](const Slot&) { return Outcome{.state = RunState::failed}; });
  EXPECT_EQ(refused({.runs = runs, .repeat = 8, .like_job = other}).kind, ErrorKind::not_found);
  const JobId unsaid = done(a_test(""), [](const Slot&) { return Outcome{}; });
  EXPECT_EQ(refused({.runs = runs, .repeat = 8, .like_job = unsaid}).kind, ErrorKind::not_found)
      << "what says nothing is like nothing";
}

TEST_F(Designs, plan_no_boots_by_two_a_side) {
  double luck = 0;
  const JobId job = done(a_rebooting_design(1, 2), [&](const Slot& slot) {
    boot_id_ = fmt::format("{}.{}", slot.block, slot.letter);
    return Outcome{.rate = kRate * std::exp(luck += 0.01)};
  });
  EXPECT_THAT(refused({.runs = fmt::format("job:{}", job), .repeat = {}}).message,
              HasSubstr("4 boot(s) with a throughput; how much they spread takes 3 a side to know"));
}

TEST_F(Designs, know_the_time_between_the_runs_of_the_newest_job_of_a_scenario) {
  JobSpec spec = a_design();
  EXPECT_EQ(must(store->time_between_runs(spec.name)), std::nullopt);
  const auto level = [](const Slot&) { return Outcome{}; };
  done(spec, level);
  EXPECT_EQ(must(store->time_between_runs(spec.name)), std::chrono::seconds{50}) << "one a minute, of 10 s";
  EXPECT_EQ(must(store->time_between_runs("other")), std::nullopt);
}

TEST_F(Designs, know_the_mean_size_of_the_runs_of_the_owners_newest_job_of_a_scenario) {
  JobSpec spec = a_design();
  spec.repeat = 1;
  EXPECT_EQ(must(store->bytes_of_run(spec.name, kOwner)), std::nullopt);
  const JobId older = done(spec, [](const Slot&) { return Outcome{}; });
  const JobId newer = done(spec, [](const Slot&) { return Outcome{}; });
  forge(path(), fmt::format("UPDATE runs SET stored_bytes = 7000 WHERE job = {}", older));
  forge(path(), fmt::format("UPDATE runs SET stored_bytes = 1000 + 100 * (id % 2) WHERE job = {}", newer));
  EXPECT_EQ(must(store->bytes_of_run(spec.name, kOwner)), 1'050U);
  EXPECT_EQ(must(store->bytes_of_run(spec.name, kOwner + 1)), std::nullopt) << "somebody else's";
  EXPECT_EQ(must(store->bytes_of_run("other", kOwner)), std::nullopt);
}

TEST_F(Designs, plan_blocks_by_how_their_blocks_spread) {
  JobSpec pilot = a_design();
  pilot.purpose = JobPurpose::pilot;
  const JobId job = done(pilot, [](const Slot& slot) {
    return Outcome{.rate = rate_of(slot) * (slot.variant == 'B' ? std::exp(0.01 * slot.block) : 1)};
  });
  core::PlanRequest request{.runs = fmt::format("job:{}", job), .effect = 0.02, .power = 0.9, .repeat = 20};
  const core::RunPlan plan = planned(request);
  EXPECT_EQ(plan.pairing, Pairing::blocks);
  EXPECT_EQ(plan.samples, 6U);
  // The blocks' differences are 0.01 apart; the blocks' own levels cancel.
  const std::vector<double> steps{0.01, 0.02, 0.03, 0.04, 0.05, 0.06};
  EXPECT_NEAR(plan.sd, analysis::planning_sd(steps).value(), 1e-4);
  EXPECT_EQ(plan.needed, analysis::blocks({.sd = plan.sd, .effect = std::log(1.02 / 1.01), .power = 0.9}));
  EXPECT_DOUBLE_EQ(plan.seconds.value_or(0), plan.needed.value_or(0) * 4 * 60.0)
      << "4 runs a block, one a minute";
  EXPECT_DOUBLE_EQ(plan.repeat_seconds.value_or(0), 20 * 4 * 60.0);
  EXPECT_DOUBLE_EQ(plan.detectable.value_or(0),
                   1.01 * std::exp(analysis::detectable_by_blocks(20, plan.sd, 0.95, 0.9).value()));
  request.threshold = 0.005;
  EXPECT_LT(planned(request).needed, plan.needed) << "2 % are farther from it";
  request.effect = 0.005;
  EXPECT_FALSE(planned(request).needed) << "half of all estimates are below it";
}

TEST_F(Designs, plan_runs_by_how_runs_spread) {
  JobSpec spec = a_job();
  spec.repeat = 8;
  int count = 0;
  done(spec, [&](const Slot&) { return Outcome{.rate = kRate * std::exp(0.01 * ++count)}; });
  const core::RunPlan plan = planned({.runs = "last:8", .repeat = {}});
  EXPECT_EQ(plan.pairing, Pairing::runs);
  EXPECT_EQ(plan.samples, 8U);
  std::vector<double> steps(8);
  for (std::size_t i = 0; i < 8; ++i) steps[i] = 0.01 * static_cast<double>(i);
  EXPECT_NEAR(plan.sd, analysis::planning_sd(steps).value(), 1e-9);
  EXPECT_EQ(plan.effect, 0.02) << "twice the threshold";
  EXPECT_EQ(plan.needed, analysis::runs_a_side({.sd = plan.sd, .effect = std::log(1.02 / 1.01)}));
  EXPECT_DOUBLE_EQ(plan.seconds.value_or(0), plan.needed.value_or(0) * 2 * 60.0) << "a run on either side";
  EXPECT_FALSE(plan.detectable);
  EXPECT_FALSE(plan.repeat_seconds);
  const core::RunPlan few = planned({.runs = "last:8", .repeat = 3});
  EXPECT_FALSE(few.detectable) << "three runs a side give no interval";
  EXPECT_DOUBLE_EQ(few.repeat_seconds.value_or(0), 3 * 2 * 60.0);
}

TEST_F(Designs, plan_by_plain_runs_alone) {
  done(plain_and_traced(), [](const Slot& slot) {
    return Outcome{.rate = slot.traced ? 1e6 * slot.block : kRate + 1e6 * slot.block};
  });
  const core::RunPlan plan = planned({.runs = "job:1", .repeat = {}});
  EXPECT_EQ(plan.samples, 6U);
  EXPECT_LT(plan.sd, 0.01);
  EXPECT_EQ(planned({.runs = "arm:traced", .repeat = {}}).samples, 6U) << "where none is plain";
}

TEST_F(Designs, plan_nothing_by_too_few_or_mixed_runs) {
  JobSpec spec = a_job();
  spec.repeat = 2;
  done(spec, [](const Slot&) { return Outcome{}; });
  EXPECT_EQ(refused({.runs = "last:5", .repeat = {}}).kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused({.runs = "last:5", .repeat = {}}).message, HasSubstr("2 run(s) with a throughput"));
  EXPECT_EQ(refused({.runs = "label:none", .repeat = {}}).kind, ErrorKind::not_found);
  spec.name = "hsr";
  done(spec, [](const Slot&) { return Outcome{}; });
  EXPECT_THAT(refused({.runs = "last:5", .repeat = {}}).message,
              HasSubstr("several scenarios, \"veth-tcp\" and \"hsr\""));
  for (const double wrong : {0.0, -0.01, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(refused({.runs = "last:5", .effect = wrong, .repeat = {}}).message, HasSubstr("effect: "));
    EXPECT_THAT(refused({.runs = "last:5", .power = wrong, .repeat = {}}).message, HasSubstr("power: "));
  }
  EXPECT_THAT(refused({.runs = "last:5", .repeat = 0}).message, HasSubstr("repeat: 0"));
}

TEST_F(Designs, that_can_never_find_an_effect_say_no_number) {
  JobSpec spec = a_job();
  spec.repeat = 4;
  int count = 0;
  done(spec, [&](const Slot&) { return Outcome{.rate = kRate * std::exp(++count)}; });
  const core::RunPlan plan = planned({.runs = "last:4", .effect = 1e-6, .repeat = {}});
  EXPECT_FALSE(plan.needed);
  EXPECT_FALSE(plan.seconds);
}

// The first letter of a block strays.
double noisy_rate(const Slot& slot) {
  return kRate * (1 + 0.012 * ((slot.block * 7) % 5 - 2.0) * (slot.letter == 1 ? 1 : 0));
}

TEST_F(Designs, plan_a_job_that_measures_until_it_is_decided) {
  JobSpec pilot = a_design();
  pilot.purpose = JobPurpose::pilot;
  pilot.text = "name: hsr\nuntil:\n  decided: ~\n  most: 40\n";
  pilot.figures = {{.figure = parse_figure("received").value(), .threshold = 0.015},
                   {.figure = parse_figure("sent").value(), .threshold = {}}};
  const auto noisy = [](const Slot& slot) { return Outcome{.rate = noisy_rate(slot)}; };
  const std::string runs = fmt::format("job:{}", done(pilot, noisy));
  const core::RunPlan plan = planned({.runs = runs, .effect = 0.04, .repeat = {}});
  ASSERT_TRUE(plan.until);
  EXPECT_EQ(plan.until->most, 40U) << "as the scenario says";
  analysis::CourseQuestion question{
      .sd = plan.sd, .effect = std::log(1.04), .threshold = 0.015, .most = 40, .figures = 2};
  EXPECT_EQ(plan.until->different.blocks, course_of(question).blocks);
  EXPECT_EQ(plan.until->different.decided, course_of(question).decided);
  question.effect = 0;
  EXPECT_EQ(plan.until->same.blocks, course_of(question).blocks);
  EXPECT_NE(plan.until->same.blocks, plan.until->different.blocks);
  EXPECT_DOUBLE_EQ(plan.until->block_seconds.value_or(0), 240);
  const auto asked = planned({.runs = runs, .effect = 0.04, .repeat = {}, .until_most = 20}).until;
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->most, 20U);
}

TEST_F(Designs, plan_a_fixed_number_if_nobody_asks_for_another_job) {
  const auto noisy = [](const Slot& slot) { return Outcome{.rate = noisy_rate(slot)}; };
  const std::string blocks = fmt::format("job:{}", done(a_design(), noisy));
  EXPECT_FALSE(planned({.runs = blocks, .repeat = {}}).until);
  EXPECT_TRUE(planned({.runs = blocks, .repeat = {}, .until_most = 500}).until);
  for (const std::uint32_t most : {5U, 501U}) {
    EXPECT_EQ(refused({.runs = blocks, .repeat = {}, .until_most = most}).message,
              fmt::format("until_most: {}; expected is 6 to 500", most));
  }
  JobSpec without_sides = a_job("alone");
  without_sides.repeat = 8;
  const std::string runs = fmt::format("job:{}", done(without_sides, noisy));
  EXPECT_EQ(refused({.runs = runs, .repeat = {}, .until_most = 40}).message,
            "until_most: 40 counts blocks, and these runs are planned in runs");
}

}  // namespace
}  // namespace netperfd::store
