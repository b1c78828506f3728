// SPDX-License-Identifier: GPL-2.0-or-later
// Runs of several users: what one of them concludes does not change by what another one measures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/comparison/selected_page.hpp"
#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr uid_t kAlice = kOwner;
constexpr uid_t kBob = 1001;
constexpr uid_t kOutsider = 2000;

class Owners : public Designs {
 protected:
  JobId labelled(const std::string& label, uid_t owner, double rate, std::uint32_t runs = 4) {
    JobSpec spec = a_job("veth-tcp");
    spec.label = label;
    spec.repeat = runs;
    std::uint32_t run = 0;
    return done(spec, [&](const Slot&) { return Outcome{.rate = rate + 1e6 * ++run}; }, owner);
  }
  core::ComparedSelections compared_as(uid_t caller, const std::string& a, const std::string& b) {
    const core::ComparisonRequest request{.a = a, .b = b, .settings = {}, .caller = caller};
    return must(core::compare_selections(*store, request, &analysis::compare));
  }
  std::string refused_as(uid_t caller, const std::string& a, const std::string& b) {
    const core::ComparisonRequest request{.a = a, .b = b, .settings = {}, .caller = caller};
    const auto compared = core::compare_selections(*store, request, &analysis::compare);
    return compared ? "accepted" : compared.error().message;
  }
};

TEST_F(Owners, who_reuse_a_label_do_not_change_what_it_means_to_another) {
  labelled("before", kAlice, kRate);
  labelled("after", kAlice, kRate);
  const core::ComparedSelections alone = compared_as(kAlice, "label:before", "label:after");
  labelled("after", kBob, kRate / 10);
  const core::ComparedSelections beside = compared_as(kAlice, "label:before", "label:after");
  EXPECT_EQ(beside.comparison.b, alone.comparison.b);
  EXPECT_EQ(beside.comparison.verdict, alone.comparison.verdict);
  EXPECT_EQ(beside.comparison.effect.ratio, alone.comparison.effect.ratio);
  EXPECT_EQ(beside.comparison.caveats, alone.comparison.caveats);
  EXPECT_THAT(beside.b.owners, ElementsAre(Pair(kAlice, 4U)));
}

// Everything that anybody may say of his own runs.
TEST_F(Owners, are_apart_in_each_term) {
  labelled("before", kAlice, kRate, 3);
  labelled("before", kBob, kRate, 3);
  for (const char* text : {"label:before", "scenario:veth-tcp", "last:9", "arm:plain", "since:@0",
                           "until:@9999999999", "label:before scenario:veth-tcp last:9 since:@0"}) {
    EXPECT_THAT(selected(text, kAlice), ElementsAre(1, 2, 3)) << text;
    EXPECT_THAT(selected(text, kBob), ElementsAre(4, 5, 6)) << text;
    EXPECT_THAT(selected(text, kOutsider), IsEmpty()) << text;
    EXPECT_THAT(selected(text, 0), IsEmpty()) << text << ", of root, who measured nothing";
    EXPECT_THAT(selected(std::string("owner:1001 ") + text, kAlice), ElementsAre(4, 5, 6)) << text;
    EXPECT_THAT(selected(std::string("owner:any ") + text, kOutsider), SizeIs(6)) << text;
  }
  EXPECT_THAT(selected("last", kAlice), ElementsAre(3)) << "not the newest of all";
  EXPECT_THAT(selected("2-5", kAlice), ElementsAre(2, 3, 4, 5)) << "numbers are exact";
  EXPECT_THAT(selected("job:2", kAlice), ElementsAre(4, 5, 6));
  EXPECT_THAT(selected("2-5 owner:me", kAlice), ElementsAre(2, 3));
  EXPECT_THAT(selected("job:2 owner:me", kAlice), IsEmpty());
  EXPECT_THAT(selected("job:1 owner:me", kAlice), ElementsAre(1, 2, 3));
}

TEST_F(Owners, of_sides_of_designs_are_apart_too) {
  done(a_design(), [](const Slot&) { return Outcome{}; });
  done(a_design(), [](const Slot&) { return Outcome{}; }, kBob);
  for (const RunId run : selected("variant:list", kBob)) EXPECT_GT(run, 24);
  EXPECT_THAT(selected("variant:list", kBob), SizeIs(12));
  EXPECT_THAT(selected("variant:list owner:any", kBob), SizeIs(24));
}

TEST_F(Owners, of_runs_that_fit_are_named_where_the_caller_has_none) {
  labelled("before", kAlice, kRate);
  EXPECT_EQ(refused_as(kOutsider, "label:before", "last"),
            "A: \"label:before\": no finished run of yours (uid 2000) fits; owner:1000 has such runs: "
            "\"owner:1000 label:before\" selects those");
  labelled("before", kBob, kRate);
  EXPECT_EQ(refused_as(0, "label:before", "last"),
            "A: \"label:before\": no finished run of yours (uid 0) fits; owner:1000, owner:1001 have such "
            "runs: \"owner:1000 label:before\" selects those, and owner:any everybody's");
  EXPECT_EQ(refused_as(0, "owner:me label:before", "last"),
            "A: \"owner:me label:before\": no finished run fits; owner:1000, owner:1001 have such runs");
  EXPECT_EQ(refused_as(0, "owner:any label:after", "last"),
            "A: \"owner:any label:after\": no finished run fits; there is no label \"after\"");
}

TEST_F(Owners, of_many_runs_are_not_all_named) {
  for (uid_t owner = 1; owner <= 7; ++owner) labelled("before", owner, kRate, 1);
  EXPECT_THAT(refused_as(kOutsider, "label:before", "last"),
              HasSubstr("owner:1, owner:2, owner:3, owner:4, owner:5, 2 more users have such runs: "));
}

TEST_F(Owners, whose_runs_are_compared_are_told_and_several_are_marked) {
  labelled("before", kAlice, kRate);
  labelled("after", kAlice, kRate, 3);
  labelled("after", kBob, kRate, 5);
  const core::ComparedSelections own = compared_as(kAlice, "label:before", "label:after");
  EXPECT_THAT(own.a.owners, ElementsAre(Pair(kAlice, 4U)));
  EXPECT_THAT(own.b.owners, ElementsAre(Pair(kAlice, 3U)));
  const core::ComparedSelections mixed = compared_as(kAlice, "label:before", "owner:any label:after");
  EXPECT_THAT(mixed.b.owners, ElementsAre(Pair(kAlice, 3U), Pair(kBob, 5U)));
  const std::string caveat =
      "The runs are of 2 users: to each of them, a label or a scenario may mean something else.";
  EXPECT_EQ(mixed.comparison.caveats.front(), caveat);
  const core::ComparedSelections across = compared_as(kBob, "owner:1000 label:before", "label:after");
  EXPECT_EQ(across.comparison.caveats.front(), caveat) << "one user on each side";
  const core::ComparedSelections of_another = compared_as(kBob, "owner:1000 label:before", "5-7");
  EXPECT_THAT(of_another.comparison.caveats, testing::Not(testing::Contains(caveat)));
}

TEST_F(Owners, of_failed_runs_are_apart_in_the_caveat_that_counts_them) {
  labelled("before", kAlice, kRate);
  JobSpec spec = a_job("veth-tcp");
  spec.label = "before";
  spec.repeat = 2;
  done(spec, [](const Slot&) { return Outcome{.state = RunState::failed}; }, kBob);
  const auto selection = must(core::parse_selection("label:before", kAlice));
  const auto runs = must(core::resolve(*store, selection));
  EXPECT_EQ(must(core::failed_runs(*store, selection, runs)), 0U);
}

TEST_F(Owners, plan_from_their_own_runs) {
  labelled("before", kAlice, kRate);
  const core::RunPlan alone = planned({.runs = "scenario:veth-tcp last:50", .repeat = {}});
  labelled("before", kBob, kRate / 100);
  const core::RunPlan beside = planned({.runs = "scenario:veth-tcp last:50", .repeat = {}});
  EXPECT_EQ(beside.samples, 4U);
  EXPECT_EQ(beside.sd, alone.sd);
  EXPECT_EQ(planned({.runs = "owner:any scenario:veth-tcp", .repeat = {}}).samples, 8U);
  EXPECT_THAT(refused({.runs = "scenario:veth-tcp", .repeat = {}}, kOutsider).message,
              HasSubstr("owner:1000, owner:1001 have such runs"));
}

// A host that is said to find differences where there are none makes a verdict inconclusive.
TEST_F(Owners, are_not_bounded_by_the_self_tests_of_others) {
  JobSpec test = a_design();
  test.purpose = JobPurpose::selftest;
  const JobId own = done(test, [](const Slot& slot) { return Outcome{.rate = kRate + 1e5 * slot.letter}; });
  done(
      test,
      [](const Slot& slot) {
        return Outcome{.rate = slot.variant == 'B' ? kRate * 2 : kRate + 1e5 * slot.letter};
      },
      kBob);
  const JobId job = done(a_design(), [](const Slot& slot) {
    return Outcome{.rate = kRate * (slot.variant == 'B' ? 1.2 : 1) + 1e5 * slot.letter};
  });
  const core::ComparedSelections by_job = compared(job);
  ASSERT_TRUE(by_job.self_test);
  EXPECT_EQ(by_job.self_test->job, own);
  EXPECT_EQ(by_job.comparison.verdict, Verdict::improvement);
  const core::ComparedSelections by_text = compared_as(kAlice, "variant:list", "variant:hash");
  ASSERT_TRUE(by_text.self_test);
  EXPECT_EQ(by_text.self_test->job, own);
  // Whoever reads the page sees the same.
  const auto read = compared_as(kOutsider, "owner:1000 variant:list", "owner:1000 variant:hash");
  ASSERT_TRUE(read.self_test);
  EXPECT_EQ(read.self_test->job, own);
}

TEST_F(Owners, are_found_page_by_page) {
  for (int i = 0; i < 3; ++i) {
    labelled("before", kAlice, kRate, 2);
    labelled("before", kBob, kRate, 2);
  }
  core::RunFilter filter;
  filter.owner = kBob;
  std::vector<RunId> listed;
  std::string cursor;
  do {
    const auto page = must(store->runs(filter, cursor, 4));
    for (const core::RunRow& run : page.rows) listed.push_back(run.id);
    cursor = page.next;
  } while (!cursor.empty());
  EXPECT_THAT(listed, ElementsAre(12, 11, 8, 7, 4, 3));
  const auto jobs = must(store->jobs(filter, {}, 10));
  std::vector<JobId> of_bob;
  for (const core::JobRow& job : jobs.rows) of_bob.push_back(job.id);
  EXPECT_THAT(of_bob, ElementsAre(6, 4, 2));
}

}  // namespace
}  // namespace netperfd::store
