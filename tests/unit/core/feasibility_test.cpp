// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that cannot end in an answer: each reason is told, with the change after which the job is accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "daemon/core/queue/feasibility.hpp"
#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Judged by so many figures; their names do not matter here.
JobSpec compared(std::uint32_t blocks, std::size_t figures = 1) {
  JobSpec spec = a_design();
  spec.forced = false;
  spec.repeat = blocks;
  for (std::size_t i = 0; i < figures; ++i)
    spec.figures.push_back({.figure = {.name = "own" + std::to_string(i)}});
  return spec;
}

JobSpec rebooting(std::uint32_t blocks, std::size_t figures = 1) {
  JobSpec spec = compared(blocks, figures);
  spec.design->reboots.emplace();
  return spec;
}

JobSpec with_builds(std::uint32_t builds, std::size_t figures) {
  JobSpec spec = compared(builds, figures);
  for (std::uint32_t i = 0; i < builds; ++i) {
    spec.design->a->builds.push_back("a" + std::to_string(i));
    spec.design->b->builds.push_back("b" + std::to_string(i));
  }
  return spec;
}

TEST(Feasibility, takes_six_blocks_for_one_figure_and_more_for_several) {
  EXPECT_THAT(why_no_answer(compared(5)),
              ElementsAre("5 blocks are too few: an interval takes 6. Set `repeat: 6`"));
  EXPECT_THAT(why_no_answer(compared(1)),
              ElementsAre("1 block is too few: an interval takes 6. Set `repeat: 6`"));
  EXPECT_THAT(why_no_answer(compared(6)), IsEmpty());
  EXPECT_THAT(
      why_no_answer(compared(4, 2)),
      ElementsAre("4 blocks are too few: the intervals of 2 figures together take 7. Set `repeat: 7`"));
  // 2 / 2^n is at most 0.05 / figures: n is 6, 7, 7, 8, 8, 8, 9, 9.
  const std::vector<std::uint32_t> fewest{6, 7, 7, 8, 8, 8, 9, 9};
  for (std::size_t figures = 1; figures <= fewest.size(); ++figures) {
    EXPECT_THAT(why_no_answer(compared(fewest[figures - 1] - 1, figures)), testing::SizeIs(1)) << figures;
    EXPECT_THAT(why_no_answer(compared(fewest[figures - 1], figures)), IsEmpty()) << figures;
  }
}

// Of n boots a side, the smallest p is 2 / (2n over n): 2 / 70 for 4, 2 / 252 for 5.
TEST(Feasibility, takes_four_boots_of_each_side_for_one_figure) {
  EXPECT_THAT(
      why_no_answer(rebooting(1)),
      ElementsAre("1 block, each with 2 boots of a side, is too few: an interval takes 4 boots a side. "
                  "Set `repeat: 2`"));
  EXPECT_THAT(why_no_answer(rebooting(2)), IsEmpty());
  EXPECT_THAT(why_no_answer(rebooting(2, 2)),
              ElementsAre("2 blocks, each with 2 boots of a side, are too few: the intervals of 2 figures "
                          "together take 5 boots a side. Set `repeat: 3`"));
  EXPECT_THAT(why_no_answer(rebooting(3, 2)), IsEmpty());
}

TEST(Feasibility, counts_pairs_of_builds_instead_of_blocks) {
  JobSpec spec = with_builds(6, 2);
  spec.repeat = 12;
  EXPECT_THAT(why_no_answer(spec),
              ElementsAre("6 pairs of builds are too few: the intervals of 2 figures together take 7. Give "
                          "`design.a.builds` and `design.b.builds` 7 each, and set `repeat: 12`"));
  EXPECT_THAT(why_no_answer(with_builds(7, 2)), IsEmpty());
}

TEST(Feasibility, asks_no_number_of_runs_of_a_job_that_compares_nothing) {
  EXPECT_THAT(why_no_answer(a_job(1)), IsEmpty());
  JobSpec pilot = compared(2);
  pilot.purpose = JobPurpose::pilot;
  EXPECT_THAT(why_no_answer(pilot), IsEmpty()) << "it shows how much runs spread";
  JobSpec selftest = compared(2);
  selftest.purpose = JobPurpose::selftest;
  EXPECT_THAT(why_no_answer(selftest), ElementsAre(HasSubstr("Set `repeat: 6`")));
}

TEST(Feasibility, of_absurd_numbers_is_known_at_once) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THAT(why_no_answer(compared(kMost)), IsEmpty());
  EXPECT_THAT(why_no_answer(compared(0)), ElementsAre(HasSubstr("0 blocks are too few")));
  EXPECT_THAT(why_no_answer(rebooting(kMost)), IsEmpty());
  const std::clock_t begun = std::clock();  // CPU time, whatever else runs
  EXPECT_THAT(why_no_answer(compared(1, 10'000)), ElementsAre(HasSubstr("10000 figures together take 19")));
  EXPECT_THAT(why_no_answer(rebooting(1, 10'000)), ElementsAre(HasSubstr("Set `repeat: 6`")));
  EXPECT_LT(std::clock() - begun, 5 * CLOCKS_PER_SEC);
}

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

TEST(Feasibility, needs_room_for_what_all_runs_will_store) {
  EXPECT_EQ(too_little_room(48, kMebibyte / 2, 24 * kMebibyte), "");
  EXPECT_EQ(
      too_little_room(48, kMebibyte, 24 * kMebibyte),
      "48 runs of 1.0 MiB each, as in this user's last job of the name, do not fit into the 24.0 MiB that "
      "the store has left above `store.min_free`. Make room on its file system, or measure 24 runs at "
      "most");
  EXPECT_EQ(too_little_room(48, 0, 0), "") << "nothing is stored";
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(too_little_room(kMost, kMost, kMost - 1), HasSubstr("measure 0 runs at most"));
  EXPECT_EQ(too_little_room(kMost, 1, kMost), "");
}

class Admitted : public DesignRuns {
 protected:
  // "accepted", or the kind of the error and its text.
  std::string answer(const JobSpec& spec) {
    const auto job = scheduler_.submit(spec, 0);
    if (job) return "accepted";
    kind_ = job.error().kind;
    return job.error().message;
  }
  ErrorKind kind_ = ErrorKind::internal;
};

JobSpec without_commands(JobSpec spec) {
  for (Variant* side : {&*spec.design->a, &*spec.design->b}) side->apply = side->verify = {};
  return spec;
}

TEST_F(Admitted, are_jobs_with_enough_blocks_or_forced_ones) {
  JobSpec spec = compared(4, 2);
  EXPECT_THAT(answer(spec), HasSubstr("Set `repeat: 7`"));
  EXPECT_EQ(kind_, ErrorKind::infeasible);
  EXPECT_THAT(store_.jobs, IsEmpty());
  spec.forced = true;
  EXPECT_EQ(answer(spec), "accepted");
  spec.forced = false;
  spec.repeat = 7;
  EXPECT_EQ(answer(spec), "accepted");
}

TEST_F(Admitted, are_jobs_that_find_what_they_need_unless_commands_may_make_it) {
  JobSpec spec = without_commands(compared(6));
  workload_.lacking = {"network namespace \"left\" does not exist", "wrk: no such program"};
  EXPECT_EQ(answer(spec), "network namespace \"left\" does not exist\nwrk: no such program");
  EXPECT_EQ(kind_, ErrorKind::infeasible);
  EXPECT_EQ(answer(compared(6)), "accepted") << "its `switch` may make them";
  JobSpec sets = spec;
  sets.design->b->settings = {{"mtu.eth1", "9000"}};
  EXPECT_THAT(answer(sets), HasSubstr("does not exist")) << "to set a value makes nothing";
  sets.design->prepare = {"/x/lab", "up"};
  EXPECT_EQ(answer(sets), "accepted");
  spec.forced = true;
  EXPECT_EQ(answer(spec), "accepted");
  spec.forced = false;
  workload_.lacking.clear();
  EXPECT_EQ(answer(spec), "accepted");
}

TEST_F(Admitted, are_jobs_whose_runs_fit_on_the_disk) {
  store_.size_of_runs = 2 * kMebibyte;
  store_.space = 47 * kMebibyte;
  const JobSpec spec = compared(6);
  EXPECT_THAT(answer(spec), HasSubstr("24 runs of 2.0 MiB each"));
  EXPECT_EQ(kind_, ErrorKind::infeasible);
  JobSpec forced = spec;
  forced.forced = true;
  EXPECT_EQ(answer(forced), "accepted");
  store_.space = 48 * kMebibyte;
  EXPECT_EQ(answer(spec), "accepted");
  store_.space.reset();
  EXPECT_EQ(answer(spec), "accepted") << "nobody knows";
}

TEST_F(Admitted, are_told_all_reasons_at_once) {
  JobSpec spec = without_commands(compared(4, 2));
  spec.trace.emplace();
  workload_.lacking = {"network namespace \"left\" does not exist"};
  store_.size_of_runs = kMebibyte;
  store_.space = 0;
  EXPECT_THAT(answer(spec), AllOf(HasSubstr("4 blocks are too few"), HasSubstr("\nnetwork namespace"),
                                  HasSubstr("\n16 runs of 1.0 MiB")));
  EXPECT_EQ(kind_, ErrorKind::infeasible);
  // What forcing does not help against decides the kind, and comes first.
  tracer_.check_refusal =
      Error{ErrorKind::unsupported, "the module hsr is not loaded; \"modprobe hsr\" loads it"};
  EXPECT_THAT(answer(spec), AllOf(testing::StartsWith("the module hsr is not loaded; \"modprobe hsr\""),
                                  HasSubstr("\n4 blocks are too few")));
  EXPECT_EQ(kind_, ErrorKind::unsupported);
  spec.forced = true;
  EXPECT_THAT(answer(spec), Not(HasSubstr("blocks")));
  EXPECT_EQ(kind_, ErrorKind::unsupported);
}

}  // namespace
}  // namespace netperfd::core
