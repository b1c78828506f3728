// Designs in the database, and queries for a design's runs: comparing its sides, finding the self-test, and
// planning the number of runs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "daemon/analysis/compare/run_planner.hpp"
#include "daemon/core/job_comparison.hpp"
#include "daemon/core/run_plan.hpp"
#include "daemon/core/run_selection.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kRate = 1e9;

JobSpec a_design(const std::string& name = "hsr") {
  JobSpec spec = a_job(name);
  spec.repeat = 6;
  spec.design =
      Design{.a = Variant{.name = "list", .apply = {"/bin/switch", "list"}, .verify = {"/bin/true"}},
             .b = Variant{.name = "hash", .apply = {"/bin/switch", "hash"}, .verify = {}},
             .plain = false,
             .changed = {"module:hsr", "sysctl:net.core.rmem_max"},
             .seed = 42};
  return spec;
}

JobSpec plain_and_traced() {
  JobSpec spec = a_job("veth-tcp");
  spec.repeat = 6;
  spec.trace = TraceSpec{};
  spec.design = Design{.a = {}, .b = {}, .plain = true, .changed = {}, .seed = 1};
  return spec;
}

class Designs : public StoreTest {
 protected:
  void SetUp() override { open(); }

  struct Outcome {
    double rate = kRate;
    RunState state = RunState::finished;
  };
  using Outcomes = std::function<Outcome(const Arm& arm)>;

  // Adds the job and ends its runs, one per minute, each 10 seconds long.
  JobId done(const JobSpec& spec, const Outcomes& outcome) {
    const auto arms = draw_arms(spec, spec.design ? spec.design->seed.value_or(0) : 0);
    const core::NewJob job = must(store->add_job(spec, arms, 1000, kMorning));
    for (std::size_t i = 0; i < arms.size(); ++i) {
      bring_to_collecting(*store, job.runs[i]);
      RunRecord record = a_record(job.runs[i], 1, 2);
      const Outcome end = outcome(arms[i]);
      record.state = end.state;
      record.started = kMorning + std::chrono::minutes{next_minute_++};
      record.ended = *record.started + seconds{10};
      record.workload.report.sums.front().received_bits_per_second = end.rate;
      if (arms[i].traced) record.trace = TraceRecord{};
      must(store->finish(record));
    }
    return job.id;
  }

  core::ComparedSelections compared(JobId job, analysis::ComparisonSettings settings = {}) {
    return must(core::compare_job(*store, job, settings, &analysis::compare));
  }
  Error refused(JobId job, analysis::ComparisonSettings settings = {}) {
    const auto compared = core::compare_job(*store, job, settings, &analysis::compare);
    return compared ? Error{ErrorKind::internal, "accepted"} : compared.error();
  }
  core::RunPlan planned(const core::PlanRequest& request) { return must(core::plan_runs(*store, request)); }
  Error refused(const core::PlanRequest& request) {
    const auto plan = core::plan_runs(*store, request);
    return plan ? Error{ErrorKind::internal, "accepted"} : plan.error();
  }
  std::vector<RunId> selected(const std::string& text) {
    const auto selection = core::parse_selection(text);
    if (!selection) throw std::runtime_error(selection.error().message);
    std::vector<RunId> ids;
    const auto runs = core::resolve(*store, *selection);
    if (!runs) return ids;
    for (const core::SelectedRun& run : *runs) ids.push_back(run.id);
    return ids;
  }
  std::string arm_of(RunId id) {
    const core::RunRow run = must(store->run(id));
    return fmt::format("{}.{} {} {}", run.arm.block, run.arm.letter, run.variant,
                       run.arm.traced ? "traced" : "plain");
  }

 private:
  int next_minute_ = 1;
};

// Each block has a level of its own, and B is 20 % above A.
double rate_of(const Arm& arm) {
  return kRate * (1 + 0.01 * arm.block * arm.block) * (arm.variant == 'B' ? 1.2 : 1) +
         1e3 * arm.letter * arm.block;
}

// ---- The tables

TEST_F(Designs, of_a_job_are_read_back_without_their_commands) {
  JobSpec spec = a_design();
  spec.design->seed = std::numeric_limits<std::uint64_t>::max();
  spec.design->plain = true;
  spec.purpose = JobPurpose::pilot;
  const core::NewJob job = must(add_job(*store, spec, 0, kMorning));
  Design kept = *spec.design;
  kept.a->apply.clear();
  kept.a->verify.clear();
  kept.b->apply.clear();
  const auto runs = must(store->runs_of_job(job.id));
  ASSERT_THAT(runs, SizeIs(24));
  for (const core::RunRow& run : runs) {
    EXPECT_EQ(run.spec.design, kept);
    EXPECT_EQ(run.spec.purpose, JobPurpose::pilot);
  }
  EXPECT_EQ(ask(path(), "SELECT group_concat(text, '') FROM jobs"), spec.text);
}

TEST_F(Designs, give_each_run_its_place) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  spec.trace = TraceSpec{};
  spec.design->plain = true;
  const std::vector<Arm> arms = draw_arms(spec, 42);
  const core::NewJob job = must(store->add_job(spec, arms, 0, kMorning));
  const auto runs = must(store->runs_of_job(job.id));
  ASSERT_EQ(runs.size(), arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    EXPECT_EQ(runs[i].arm, arms[i]) << i;
    EXPECT_EQ(runs[i].variant, arms[i].variant == 'A' ? "list" : "hash") << i;
    EXPECT_EQ(runs[i].index, i + 1);
  }
}

TEST_F(Designs, are_absent_of_jobs_without_one) {
  JobSpec spec = a_job();
  spec.trace = TraceSpec{};
  const core::RunRow run = must(store->run(must(add_job(*store, spec, 0, kMorning)).runs.at(0)));
  EXPECT_FALSE(run.spec.design);
  EXPECT_EQ(run.spec.purpose, JobPurpose::measurement);
  EXPECT_EQ(arm_of(run.id), "0.0  traced");
  EXPECT_EQ(
      ask(path(), "SELECT count(*) FROM runs WHERE block IS NULL AND letter IS NULL AND variant IS NULL"),
      "1");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs WHERE seed IS NULL AND variant_a IS NULL"), "1");
}

TEST_F(Designs, need_the_seed_of_their_order) {
  JobSpec spec = a_design();
  spec.design->seed.reset();
  EXPECT_EQ(store->add_job(spec, draw_arms(spec, 1), 0, kMorning).error().kind, ErrorKind::internal);
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs"), "0");
}

TEST_F(Designs, are_in_the_overview_of_runs) {
  done(plain_and_traced(), [](const Arm&) { return Outcome{}; });
  done(a_design(), [](const Arm&) { return Outcome{}; });
  const auto count = [&](const std::string& condition) {
    return ask(path(), "SELECT count(*) FROM run_overview WHERE " + condition);
  };
  EXPECT_EQ(count("scenario = 'veth-tcp' AND arm = 'plain' AND variant IS NULL"), "6");
  EXPECT_EQ(count("scenario = 'veth-tcp' AND arm = 'traced' AND events = 0"), "6");
  EXPECT_EQ(count("scenario = 'hsr' AND variant = 'list' AND purpose = 'measurement'"), "12");
  EXPECT_EQ(count("scenario = 'hsr' AND variant = 'hash' AND block = 6"), "2");
}

// ---- Selecting runs ---------------------------------------------------------------------------------------

TEST_F(Designs, are_selected_by_variant_and_by_arm) {
  const JobId first = done(plain_and_traced(), [](const Arm&) { return Outcome{}; });
  const JobId second = done(a_design(), [](const Arm&) { return Outcome{}; });
  EXPECT_THAT(selected("arm:traced"), SizeIs(6));
  EXPECT_THAT(selected("arm:plain"), SizeIs(6 + 24));
  EXPECT_THAT(selected(fmt::format("arm:plain job:{}", first)), SizeIs(6));
  for (const std::string more : {"", " scenario:hsr", " since:@0", " 1-1000"}) {
    EXPECT_THAT(selected("variant:hash" + more), SizeIs(12)) << more;
    EXPECT_THAT(selected("variant:hash arm:traced" + more), IsEmpty()) << more;
    EXPECT_THAT(selected("variant:has" + more), IsEmpty()) << more;
  }
  for (const RunId id : selected("variant:list")) {
    EXPECT_EQ(must(store->run(id)).arm.variant, 'A');
    EXPECT_EQ(must(store->run(id)).job, second);
  }
}

TEST_F(Designs, of_pilots_and_self_tests_are_meant_only_by_number) {
  JobSpec spec = a_design();
  for (const JobPurpose purpose : {JobPurpose::measurement, JobPurpose::pilot, JobPurpose::selftest}) {
    spec.purpose = purpose;
    done(spec, [](const Arm&) { return Outcome{}; });
  }
  EXPECT_EQ(selected("last"), std::vector<RunId>{24}) << "of the measurement";
  EXPECT_THAT(selected("scenario:hsr"), SizeIs(24));
  EXPECT_THAT(selected("variant:list"), SizeIs(12));
  EXPECT_THAT(selected("job:2"), SizeIs(24));
  EXPECT_THAT(selected("20-30"), SizeIs(11));
}

TEST_F(Designs, of_a_pilot_alone_are_pointed_to) {
  JobSpec spec = a_design();
  spec.purpose = JobPurpose::pilot;
  done(spec, [](const Arm&) { return Outcome{}; });
  const auto none = core::resolve(*store, must(core::parse_selection("scenario:hsr")));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_EQ(none.error().message,
            "\"scenario:hsr\": no finished run fits; runs of pilots and self-tests are meant only by their "
            "numbers or job, like job:1");
}

// ---- The sides of one job

TEST_F(Designs, are_compared_by_their_blocks) {
  const JobId job = done(a_design(), [](const Arm& arm) { return Outcome{.rate = rate_of(arm)}; });
  const core::ComparedSelections both = compared(job);
  EXPECT_EQ(both.comparison.pairing, Pairing::blocks);
  EXPECT_EQ(both.comparison.effect.n_a, 6U);
  EXPECT_NEAR(both.comparison.effect.ratio.value_or(0), 1.2, 1e-4);
  EXPECT_EQ(both.comparison.verdict, Verdict::improvement);
  EXPECT_EQ(both.comparison.a, selected("variant:list"));
  EXPECT_EQ(both.comparison.b, selected("variant:hash"));
  EXPECT_THAT(both.a.scenarios, ElementsAre("hsr"));
  EXPECT_FALSE(both.self_test);
}

TEST_F(Designs, declare_their_own_change_unless_another_is_given) {
  const JobId job = done(a_design(), [](const Arm&) { return Outcome{}; });
  EXPECT_THAT(compared(job).comparison.changed, ElementsAre("module:hsr", "sysctl:net.core.rmem_max"));
  EXPECT_THAT(compared(job, {.changed = {"nic"}}).comparison.changed, ElementsAre("nic"));
  EXPECT_THAT(refused(job, {.changed = {"kernal"}}).message, HasSubstr("did you mean `kernel`?"));
}

TEST_F(Designs, without_variants_compare_plain_with_traced_runs) {
  const JobId job = done(plain_and_traced(), [](const Arm& arm) {
    return Outcome{.rate = rate_of(arm) * (arm.traced ? 0.5 : 1)};
  });
  const core::ComparedSelections both = compared(job);
  EXPECT_EQ(both.comparison.a, selected("arm:plain"));
  EXPECT_EQ(both.comparison.b, selected("arm:traced"));
  EXPECT_EQ(both.comparison.pairing, Pairing::blocks);
  EXPECT_EQ(both.comparison.verdict, Verdict::regression);
  EXPECT_NEAR(both.comparison.effect.ratio.value_or(0), 0.5, 1e-4);
  EXPECT_THAT(both.comparison.changed, ElementsAre("trace"));
}

TEST_F(Designs, of_a_job_that_has_none_are_no_sides) {
  const JobId job = done(a_job(), [](const Arm&) { return Outcome{}; });
  EXPECT_EQ(refused(job).kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused(job).message, HasSubstr("job 1: it has no design with two sides"));
  JobSpec plain_alone = plain_and_traced();
  plain_alone.trace.reset();
  EXPECT_EQ(refused(done(plain_alone, [](const Arm&) { return Outcome{}; })).kind,
            ErrorKind::invalid_argument);
  EXPECT_EQ(refused(99).kind, ErrorKind::not_found);
}

TEST_F(Designs, of_which_a_side_never_finished_are_named) {
  const JobId job = done(a_design(), [](const Arm& arm) {
    return Outcome{.state = arm.variant == 'A' ? RunState::finished : RunState::failed};
  });
  EXPECT_EQ(refused(job).kind, ErrorKind::not_found);
  EXPECT_EQ(refused(job).message, "job 1: side B, \"hash\", has no finished run");
}

// ---- The self-test that belongs to a result ---------------------------------------------------------------

TEST_F(Designs, have_the_newest_self_test_of_their_scenario_beside_them) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  done(test, [](const Arm& arm) { return Outcome{.rate = rate_of(arm)}; });
  const JobId newest = done(test, [](const Arm& arm) { return Outcome{.rate = kRate + 1e5 * arm.letter}; });
  done(test, [](const Arm& arm) {
    return Outcome{.state = arm.variant == 'A' ? RunState::finished : RunState::canceled};
  });
  JobSpec other = a_design("other");
  other.purpose = JobPurpose::selftest;
  done(other, [](const Arm&) { return Outcome{}; });
  const JobId job = done(a_design(), [](const Arm& arm) { return Outcome{.rate = rate_of(arm)}; });

  const core::ComparedSelections both = compared(job);
  ASSERT_TRUE(both.self_test);
  EXPECT_EQ(both.self_test->job, newest) << "the one after it has no finished run of B";
  EXPECT_EQ(both.self_test->verdict, Verdict::equivalent);
  EXPECT_EQ(both.self_test->effect.n_a, 6U);
  EXPECT_NEAR(both.self_test->effect.ratio.value_or(0), 1, 0.001);
  EXPECT_EQ(both.self_test->started, must(store->runs_of_job(newest)).front().started);

  const core::ComparisonRequest request{.a = "variant:list", .b = "variant:hash", .settings = {}};
  const auto by_text = must(core::compare_selections(*store, request, &analysis::compare));
  ASSERT_TRUE(by_text.self_test);
  EXPECT_EQ(by_text.self_test->job, newest);
}

TEST_F(Designs, that_are_a_self_test_do_not_stand_beside_themselves) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  const JobId job = done(test, [](const Arm&) { return Outcome{}; });
  EXPECT_FALSE(compared(job).self_test);
}

// ---- Planning the number of runs --------------------------------------------------------------------------

TEST_F(Designs, plan_blocks_by_how_their_blocks_spread) {
  JobSpec pilot = a_design();
  pilot.purpose = JobPurpose::pilot;
  const JobId job = done(pilot, [](const Arm& arm) {
    return Outcome{.rate = rate_of(arm) * (arm.variant == 'B' ? std::exp(0.01 * arm.block) : 1)};
  });
  core::PlanRequest request{.runs = fmt::format("job:{}", job), .effect = 0.02, .power = 0.9, .repeat = 20};
  const core::RunPlan plan = planned(request);
  EXPECT_EQ(plan.pairing, Pairing::blocks);
  EXPECT_EQ(plan.samples, 6U);
  // The blocks' differences are 0.01 apart; the blocks' own levels cancel.
  const std::vector<double> steps{0.01, 0.02, 0.03, 0.04, 0.05, 0.06};
  EXPECT_NEAR(plan.sd, analysis::planning_sd(steps).value(), 1e-4);
  EXPECT_EQ(plan.needed, analysis::blocks({.sd = plan.sd, .effect = std::log(1.02), .power = 0.9}));
  EXPECT_DOUBLE_EQ(plan.seconds.value_or(0), plan.needed.value_or(0) * 4 * 60.0)
      << "4 runs a block, one a minute";
  EXPECT_DOUBLE_EQ(plan.repeat_seconds.value_or(0), 20 * 4 * 60.0);
  EXPECT_DOUBLE_EQ(plan.detectable.value_or(0),
                   std::exp(analysis::detectable_by_blocks(20, plan.sd, 0.95, 0.9).value()));
}

TEST_F(Designs, plan_runs_by_how_runs_spread) {
  JobSpec spec = a_job();
  spec.repeat = 8;
  int count = 0;
  done(spec, [&](const Arm&) { return Outcome{.rate = kRate * std::exp(0.01 * ++count)}; });
  const core::RunPlan plan = planned({.runs = "last:8", .repeat = {}});
  EXPECT_EQ(plan.pairing, Pairing::runs);
  EXPECT_EQ(plan.samples, 8U);
  std::vector<double> steps(8);
  for (std::size_t i = 0; i < 8; ++i) steps[i] = 0.01 * static_cast<double>(i);
  EXPECT_NEAR(plan.sd, analysis::planning_sd(steps).value(), 1e-9);
  EXPECT_EQ(plan.needed, analysis::runs_a_side({.sd = plan.sd, .effect = std::log(1.01)}));
  EXPECT_DOUBLE_EQ(plan.seconds.value_or(0), plan.needed.value_or(0) * 2 * 60.0) << "a run on either side";
  EXPECT_FALSE(plan.detectable);
  EXPECT_FALSE(plan.repeat_seconds);
  const core::RunPlan few = planned({.runs = "last:8", .repeat = 3});
  EXPECT_FALSE(few.detectable) << "three runs a side give no interval";
  EXPECT_DOUBLE_EQ(few.repeat_seconds.value_or(0), 3 * 2 * 60.0);
}

TEST_F(Designs, plan_by_plain_runs_alone) {
  done(plain_and_traced(), [](const Arm& arm) {
    return Outcome{.rate = arm.traced ? 1e6 * arm.block : kRate + 1e6 * arm.block};
  });
  const core::RunPlan plan = planned({.runs = "job:1", .repeat = {}});
  EXPECT_EQ(plan.samples, 6U);
  EXPECT_LT(plan.sd, 0.01);
  EXPECT_EQ(planned({.runs = "arm:traced", .repeat = {}}).samples, 6U) << "where none is plain";
}

TEST_F(Designs, plan_nothing_by_too_few_or_mixed_runs) {
  JobSpec spec = a_job();
  spec.repeat = 2;
  done(spec, [](const Arm&) { return Outcome{}; });
  EXPECT_EQ(refused({.runs = "last:5", .repeat = {}}).kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused({.runs = "last:5", .repeat = {}}).message, HasSubstr("2 run(s) with a throughput"));
  EXPECT_EQ(refused({.runs = "label:none", .repeat = {}}).kind, ErrorKind::not_found);
  spec.name = "hsr";
  done(spec, [](const Arm&) { return Outcome{}; });
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
  done(spec, [&](const Arm&) { return Outcome{.rate = kRate * std::exp(++count)}; });
  const core::RunPlan plan = planned({.runs = "last:4", .effect = 1e-6, .repeat = {}});
  EXPECT_FALSE(plan.needed);
  EXPECT_FALSE(plan.seconds);
}

}  // namespace
}  // namespace netperfd::store
