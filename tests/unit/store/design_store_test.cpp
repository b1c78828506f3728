// SPDX-License-Identifier: GPL-2.0-or-later
// Designs in the database, and queries for a design's runs: comparing its sides and finding the self-test.
#include <gmock/gmock.h>

#include <limits>

#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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
  const std::vector<Slot> slots = draw_slots(spec, 42);
  const core::NewJob job = must(store->add_job(spec, slots, 0, kMorning));
  const auto runs = must(store->runs_of_job(job.id));
  ASSERT_EQ(runs.size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(runs[i].slot, slots[i]) << i;
    EXPECT_EQ(runs[i].variant, slots[i].variant == 'A' ? "list" : "hash") << i;
    EXPECT_EQ(runs[i].index, i + 1);
  }
}

TEST_F(Designs, of_several_builds_tell_that_of_each_run) {
  JobSpec spec = a_design();
  spec.design->a->builds = {"list-1", "list-2"};
  spec.design->b->builds = {"hash-1", "hash-2"};
  const std::vector<Slot> slots = draw_slots(spec, 42);
  const core::NewJob job = must(store->add_job(spec, slots, 0, kMorning));
  const auto runs = must(store->runs_of_job(job.id));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(runs.at(i).build, fmt::format("{}-{}", runs[i].variant, slots[i].build));
    EXPECT_EQ(must(store->compared_runs({runs[i].id}, core::ComparedParts::throughput)).front().build,
              runs[i].build);
  }
}

TEST_F(Designs, of_a_sweep_tell_the_point_of_each_run) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  spec.design->sweep = {{.key = "streams", .values = {"4", "16"}},
                        {.key = "length", .values = {"512", "1K", "64K"}}};
  const std::vector<Slot> slots = draw_slots(spec, 42);
  ASSERT_EQ(slots.size(), 2U * 6 * 4);
  const core::NewJob job = must(store->add_job(spec, slots, 0, kMorning));
  const auto runs = must(store->runs_of_job(job.id));
  ASSERT_EQ(runs.size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(runs[i].slot, slots[i]) << i;
    EXPECT_EQ(runs[i].point_name, spec.design->point_name(slots[i].point)) << i;
  }
  EXPECT_EQ(ask(path(), "SELECT group_concat(DISTINCT point_name) FROM runs WHERE point = 4"),
            "streams=16, length=512");
  const auto selected = must(store->selected_runs({}, {{job.runs.front(), job.runs.back()}}, 100));
  ASSERT_EQ(selected.size(), slots.size());
  for (const core::SelectedRun& run : selected)
    EXPECT_EQ(run.slot, slots.at(static_cast<std::size_t>(run.id - job.runs.front()))) << run.id;
}

TEST_F(Designs, are_absent_of_jobs_without_one) {
  JobSpec spec = a_job();
  spec.trace = TraceSpec{};
  const core::RunRow run = must(store->run(must(add_job(*store, spec, 0, kMorning)).runs.at(0)));
  EXPECT_FALSE(run.spec.design);
  EXPECT_EQ(run.spec.purpose, JobPurpose::measurement);
  EXPECT_EQ(arm_of(run.id), "0.0  traced");
  EXPECT_EQ(ask(path(),
                "SELECT count(*) FROM runs WHERE block IS NULL AND letter IS NULL AND variant IS NULL AND "
                "point IS NULL AND point_name IS NULL"),
            "1");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs WHERE seed IS NULL AND variant_a IS NULL"), "1");
}

TEST_F(Designs, need_the_seed_of_their_order) {
  JobSpec spec = a_design();
  spec.design->seed.reset();
  EXPECT_EQ(store->add_job(spec, draw_slots(spec, 1), 0, kMorning).error().kind, ErrorKind::internal);
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs"), "0");
}

TEST_F(Designs, are_in_the_overview_of_runs) {
  done(plain_and_traced(), [](const Slot&) { return Outcome{}; });
  done(a_design(), [](const Slot&) { return Outcome{}; });
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
  const JobId first = done(plain_and_traced(), [](const Slot&) { return Outcome{}; });
  const JobId second = done(a_design(), [](const Slot&) { return Outcome{}; });
  EXPECT_THAT(selected("arm:traced"), SizeIs(6));
  EXPECT_THAT(selected("arm:plain"), SizeIs(6 + 24));
  EXPECT_THAT(selected(fmt::format("arm:plain job:{}", first)), SizeIs(6));
  for (const std::string more : {"", " scenario:hsr", " since:@0", " 1-1000"}) {
    EXPECT_THAT(selected("variant:hash" + more), SizeIs(12)) << more;
    EXPECT_THAT(selected("variant:hash arm:traced" + more), IsEmpty()) << more;
    EXPECT_THAT(selected("variant:has" + more), IsEmpty()) << more;
  }
  for (const RunId id : selected("variant:list")) {
    EXPECT_EQ(must(store->run(id)).slot.variant, 'A');
    EXPECT_EQ(must(store->run(id)).job, second);
  }
}

TEST_F(Designs, of_pilots_and_self_tests_are_meant_only_by_number) {
  JobSpec spec = a_design();
  for (const JobPurpose purpose : {JobPurpose::measurement, JobPurpose::pilot, JobPurpose::selftest}) {
    spec.purpose = purpose;
    done(spec, [](const Slot&) { return Outcome{}; });
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
  done(spec, [](const Slot&) { return Outcome{}; });
  const auto none = core::resolve(*store, must(core::parse_selection("scenario:hsr", kOwner)));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_EQ(none.error().message,
            "\"scenario:hsr\": no finished run of yours (uid 1000) fits; runs of pilots and self-tests are "
            "meant only by their "
            "numbers or job, like job:1");
}

// ---- The sides of one job

TEST_F(Designs, are_compared_by_their_blocks) {
  const JobId job = done(a_design(), [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
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
  const JobId job = done(a_design(), [](const Slot&) { return Outcome{}; });
  EXPECT_THAT(compared(job).comparison.changed, ElementsAre("module:hsr", "sysctl:net.core.rmem_max"));
  EXPECT_THAT(compared(job, {.changed = {"nic"}}).comparison.changed, ElementsAre("nic"));
  EXPECT_THAT(refused(job, {.changed = {"kernal"}}).message, HasSubstr("did you mean `kernel`?"));
}

TEST_F(Designs, without_variants_compare_plain_with_traced_runs) {
  const JobId job = done(plain_and_traced(), [](const Slot& slot) {
    return Outcome{.rate = rate_of(slot) * (slot.traced ? 0.5 : 1)};
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
  const JobId job = done(a_job(), [](const Slot&) { return Outcome{}; });
  EXPECT_EQ(refused(job).kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused(job).message, HasSubstr("job 1: it has no design with two sides"));
  JobSpec plain_alone = plain_and_traced();
  plain_alone.trace.reset();
  EXPECT_EQ(refused(done(plain_alone, [](const Slot&) { return Outcome{}; })).kind,
            ErrorKind::invalid_argument);
  EXPECT_EQ(refused(99).kind, ErrorKind::not_found);
}

TEST_F(Designs, of_which_a_side_never_finished_are_named) {
  const JobId job = done(a_design(), [](const Slot& slot) {
    return Outcome{.state = slot.variant == 'A' ? RunState::finished : RunState::failed};
  });
  EXPECT_EQ(refused(job).kind, ErrorKind::not_found);
  EXPECT_EQ(refused(job).message, "job 1: side B, \"hash\", has no finished run");
}

// ---- The self-test that belongs to a result ---------------------------------------------------------------

TEST_F(Designs, have_the_newest_self_test_of_their_scenario_beside_them) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  done(test, [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
  const JobId newest =
      done(test, [](const Slot& slot) { return Outcome{.rate = kRate + 1e5 * slot.letter}; });
  done(test, [](const Slot& slot) {
    return Outcome{.state = slot.variant == 'A' ? RunState::finished : RunState::canceled};
  });
  JobSpec other = a_design("other");
  other.purpose = JobPurpose::selftest;
  done(other, [](const Slot&) { return Outcome{}; });
  const JobId job = done(a_design(), [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });

  const core::ComparedSelections both = compared(job);
  ASSERT_TRUE(both.self_test);
  EXPECT_EQ(both.self_test->job, newest) << "the one after it has no finished run of B";
  EXPECT_EQ(both.self_test->verdict, Verdict::equivalent);
  EXPECT_EQ(both.self_test->figures.front().effect.n_a, 6U);
  EXPECT_NEAR(both.self_test->figures.front().effect.ratio.value_or(0), 1, 0.001);
  EXPECT_EQ(both.self_test->started, must(store->runs_of_job(newest)).front().started);

  const core::ComparisonRequest request{
      .a = "variant:list", .b = "variant:hash", .settings = {}, .caller = kOwner};
  const auto by_text = must(core::compare_selections(*store, request, &analysis::compare));
  ASSERT_TRUE(by_text.self_test);
  EXPECT_EQ(by_text.self_test->job, newest);
}

// Another host measured what came in a bundle, so its self-tests tell what that host finds.
TEST_F(Designs, that_came_in_a_bundle_have_its_self_test_and_those_of_here_their_own) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  const auto runs_of = [this](JobId job) {
    std::vector<RunId> runs;
    for (const core::RunRow& run : must(store->runs_of_job(job))) runs.push_back(run.id);
    return runs;
  };
  std::vector<RunId> runs =
      runs_of(done(test, [](const Slot& slot) { return Outcome{.rate = kRate + 1e5 * slot.letter}; }));
  const JobId here = done(a_design(), [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
  for (const RunId run : runs_of(here)) runs.push_back(run);
  const auto content = must(store->tables(runs, std::size_t{1} << 30U));
  const auto bundled =
      must(store->add_bundle(content, kOwner, "from there", kMorning + std::chrono::hours{9}));
  ASSERT_EQ(bundled.size(), 2U);
  const JobId local = done(test, [](const Slot& slot) {
    return Outcome{.rate = kRate * (slot.variant == 'B' ? 2 : 1) + 1e5 * slot.letter};
  });

  const core::ComparedSelections there = compared(bundled[1].id);
  ASSERT_TRUE(there.self_test);
  EXPECT_EQ(there.self_test->job, bundled[0].id);
  EXPECT_EQ(there.comparison.verdict, Verdict::improvement);
  const core::ComparedSelections own = compared(here);
  ASSERT_TRUE(own.self_test);
  EXPECT_EQ(own.self_test->job, local);
  EXPECT_EQ(own.comparison.verdict, Verdict::inconclusive)
      << "this host finds differences where there are none";
}

// Self-tests in three boots, in each of which B gets another share of more or less.
TEST_F(Designs, of_code_are_bounded_by_self_tests_of_several_boots) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  for (const double luck : {0.08, -0.1, 0.12}) {
    boot_id_ = fmt::to_string(luck);
    done(test, [luck](const Slot& slot) {
      return Outcome{.rate = kRate * (slot.variant == 'B' ? 1 + luck : 1) + 1e5 * slot.block};
    });
  }
  boot_id_ = "now";
  const auto sides = [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; };
  const JobId job = done(a_design(), sides);
  // Of the mean square of these logarithms, and the quantile of t for three boots.
  EXPECT_THAT(compared(job).comparison.resolution, testing::Optional(testing::DoubleNear(1.3736, 0.001)));
  EXPECT_EQ(compared(job).comparison.verdict, Verdict::inconclusive) << "20 % more is less than 37 %";
  const Comparison setting = compared(job, {.changed = {"sysctl:net.core.rmem_max"}}).comparison;
  EXPECT_EQ(setting.verdict, Verdict::improvement) << "more than the 12 % of the newest self-test";
  EXPECT_NEAR(setting.resolution.value_or(0), 1.12, 0.001);
}

TEST_F(Designs, that_are_a_self_test_do_not_stand_beside_themselves) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  const JobId job = done(test, [](const Slot&) { return Outcome{}; });
  EXPECT_FALSE(compared(job).self_test);
}

}  // namespace
}  // namespace netperfd::store
