// SPDX-License-Identifier: GPL-2.0-or-later
// Which jobs rules keep, and how the others are removed.
#include "daemon/core/retention/retention.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core/audit_fakes.hpp"
#include "tests/unit/core/fakes.hpp"
#include "tests/unit/core/retention_fakes.hpp"

namespace netperfd::core {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr hours kDay{24};
const WallTime kNow{std::chrono::seconds{1'700'000'000}};

StoredJob job_of(JobId id, const std::string& scenario, hours age = hours{0}, std::uint64_t runs = 1,
                 std::uint64_t bytes = 100) {
  return {.id = id,
          .scenario = scenario,
          .label = "",
          .runs = runs,
          .stored_bytes = bytes,
          .newest = kNow - age,
          .open = false};
}

// ---- Rules -----------------------------------------------------------------------------------------------

class KeepRules : public testing::Test {
 protected:
  static std::vector<KeepPlan::OldJob> old_jobs(const std::vector<KeepRule>& rules,
                                                const std::vector<StoredJob>& newest_first) {
    KeepPlan plan{rules, kNow};
    for (const StoredJob& job : newest_first) plan.look_at(job);
    return plan.old_jobs();
  }
  static std::vector<JobId> removed(const std::vector<KeepRule>& rules,
                                    const std::vector<StoredJob>& newest_first) {
    std::vector<JobId> ids;
    for (const KeepPlan::OldJob& old : old_jobs(rules, newest_first)) ids.push_back(old.job.id);
    return ids;
  }
  static StoredJob of(uid_t owner, StoredJob job) {
    job.owner = owner;
    return job;
  }
  static KeepRule rule(std::optional<hours> age, std::optional<std::uint64_t> count = {},
                       std::optional<std::uint64_t> bytes = {}) {
    return {.scenario = "*", .label = "*", .age = age, .count = count, .stored_bytes = bytes};
  }
};

TEST_F(KeepRules, without_one_keep_everything) {
  EXPECT_THAT(removed({}, {job_of(2, "x"), job_of(1, "x", 9000 * kDay)}), IsEmpty());
  EXPECT_THAT(removed({KeepRule{}}, {job_of(2, "x"), job_of(1, "x", 9000 * kDay)}), IsEmpty());
}

TEST_F(KeepRules, of_an_age_remove_what_is_older_and_be_it_the_newest) {
  const std::vector<StoredJob> jobs{job_of(3, "x", 90 * kDay), job_of(2, "x", 90 * kDay + hours{1}),
                                    job_of(1, "x", 400 * kDay)};
  EXPECT_THAT(removed({rule(90 * kDay)}, jobs), ElementsAre(2, 1));
  EXPECT_THAT(removed({rule(kDay)}, jobs), ElementsAre(3, 2, 1));
  EXPECT_EQ(old_jobs({rule(90 * kDay)}, jobs).at(0).why, "older than 90 days (keep[0].age)");
}

TEST_F(KeepRules, of_a_count_keep_the_newest_runs_in_whole_jobs) {
  const std::vector<StoredJob> jobs{job_of(4, "x", kDay, 3), job_of(3, "x", kDay, 4), job_of(2, "x", kDay, 4),
                                    job_of(1, "x", kDay, 1)};
  EXPECT_THAT(removed({rule({}, 8)}, jobs), ElementsAre(2, 1)) << "1 would fit, but 2 is newer";
  EXPECT_THAT(removed({rule({}, 12)}, jobs), IsEmpty());
  EXPECT_THAT(removed({rule({}, 1)}, jobs), ElementsAre(3, 2, 1)) << "the newest job stays whole";
  EXPECT_EQ(old_jobs({rule({}, 1)}, jobs).at(0).why, "beyond the newest 1 run (keep[0].count)");
}

TEST_F(KeepRules, of_a_size_keep_the_newest_bytes) {
  const std::vector<StoredJob> jobs{job_of(3, "x", kDay, 1, 2000), job_of(2, "x", kDay, 1, 500),
                                    job_of(1, "x", kDay, 1, 501)};
  EXPECT_THAT(removed({rule({}, {}, 3000)}, jobs), ElementsAre(1));
  EXPECT_THAT(removed({rule({}, {}, 3001)}, jobs), IsEmpty());
  EXPECT_THAT(removed({rule({}, {}, 10)}, jobs), ElementsAre(2, 1));
}

TEST_F(KeepRules, decide_by_the_first_that_matches) {
  StoredJob labelled = job_of(5, "nightly-tcp", 9 * kDay);
  labelled.label = "release";
  const std::vector<StoredJob> jobs{labelled, job_of(4, "nightly-tcp", 9 * kDay),
                                    job_of(3, "other", 9 * kDay), job_of(2, "nightly-udp", 2 * kDay)};
  KeepRule keep_releases;
  keep_releases.label = "release*";
  KeepRule nightly = rule(7 * kDay);
  nightly.scenario = "nightly-*";
  EXPECT_THAT(removed({keep_releases, nightly}, jobs), ElementsAre(4)) << "no rule matches 3";
  EXPECT_THAT(removed({nightly, keep_releases}, jobs), ElementsAre(5, 4));
  KeepRule unlabelled = rule(kDay);
  unlabelled.label = "";
  EXPECT_THAT(removed({unlabelled}, jobs), ElementsAre(4, 3, 2));
}

TEST_F(KeepRules, count_for_each_rule_alone) {
  KeepRule tcp = rule({}, 1);
  tcp.scenario = "tcp";
  const std::vector<StoredJob> jobs{job_of(4, "udp"), job_of(3, "tcp"), job_of(2, "udp"), job_of(1, "tcp")};
  EXPECT_THAT(removed({tcp, rule({}, 2)}, jobs), ElementsAre(1));
}

// Otherwise whoever uses another user's label could have his jobs removed.
TEST_F(KeepRules, count_the_runs_of_each_owner_alone) {
  const std::vector<StoredJob> jobs{of(1001, job_of(4, "x", kDay, 500)), of(1001, job_of(3, "x", kDay, 500)),
                                    of(1000, job_of(2, "x", kDay, 2)), of(1000, job_of(1, "x", kDay, 2))};
  EXPECT_THAT(removed({rule({}, 4)}, jobs), ElementsAre(3));
  EXPECT_THAT(removed({rule({}, 3)}, jobs), ElementsAre(3, 1));
}

TEST_F(KeepRules, of_a_size_bound_what_all_owners_store_and_take_first_from_who_has_most) {
  std::vector<StoredJob> jobs;
  for (JobId id = 20; id > 10; --id) jobs.push_back(of(1001, job_of(id, "x", kDay, 1, 100)));
  for (JobId id = 10; id > 7; --id) jobs.push_back(of(1000, job_of(id, "x", kDay, 1, 100)));
  jobs.push_back(of(1002, job_of(7, "x", kDay, 1, 50)));
  EXPECT_THAT(removed({rule({}, {}, 1350)}, jobs), IsEmpty()) << "all have 1,350 bytes";
  EXPECT_THAT(removed({rule({}, {}, 1349)}, jobs), ElementsAre(11));
  EXPECT_THAT(removed({rule({}, {}, 650)}, jobs), ElementsAre(17, 16, 15, 14, 13, 12, 11))
      << "the others have no more than 1001 still has";
  EXPECT_THAT(removed({rule({}, {}, 649)}, jobs), ElementsAre(18, 17, 16, 15, 14, 13, 12, 11, 8))
      << "two have most now: each keeps two, since three do not fit";
  EXPECT_THAT(removed({rule({}, {}, 1)}, jobs), ElementsAre(19, 18, 17, 16, 15, 14, 13, 12, 11, 9, 8))
      << "the newest of each owner stays";
  EXPECT_EQ(old_jobs({rule({}, {}, 1349)}, jobs).at(0).why,
            "beyond the newest 0.0 MiB, the share of uid 1001 in 0.0 MiB (keep[0].size)");
}

TEST_F(KeepRules, of_a_size_and_a_count_share_what_the_count_leaves) {
  const std::vector<StoredJob> jobs{
      of(1001, job_of(4, "x", kDay, 1, 300)), of(1001, job_of(3, "x", kDay, 1, 300)),
      of(1000, job_of(2, "x", kDay, 1, 300)), of(1000, job_of(1, "x", kDay, 1, 10))};
  EXPECT_THAT(removed({rule({}, 1, 600)}, jobs), ElementsAre(3, 1));
}

// What they say of their size or label could have others removed, or themselves.
TEST_F(KeepRules, neither_count_damaged_jobs_nor_remove_them) {
  StoredJob damaged = job_of(2, "x", 400 * kDay, 1000, 1'000'000);
  damaged.damaged = true;
  const std::vector<StoredJob> jobs{job_of(3, "x", kDay, 1, 100), damaged, job_of(1, "x", kDay, 1, 100)};
  EXPECT_THAT(removed({rule(90 * kDay, 2, 200)}, jobs), IsEmpty());
}

TEST_F(KeepRules, leave_open_jobs_alone) {
  StoredJob open = job_of(1, "x", 400 * kDay, 50);
  open.open = true;
  EXPECT_THAT(removed({rule(kDay, 1)}, {job_of(2, "x"), open}), IsEmpty());
}

TEST_F(KeepRules, are_described_for_people) {
  KeepRule all = rule(90 * kDay, 1000, 10ULL << 30U);
  all.scenario = "veth-*";
  EXPECT_EQ(describe(all), "scenario veth-*, label any: at most 90 days, 1000 runs, 10.0 GiB");
  EXPECT_EQ(describe(KeepRule{.scenario = "*", .label = ""}), "scenario any, label none: keep all");
}

// ---- Removal ---------------------------------------------------------------------------------------------

class RetentionTest : public testing::Test {
 protected:
  RetentionTest() {
    for (JobId id = 1; id <= 4; ++id) jobs_.add(job_of(id, "x", (5 - id) * 10 * kDay, 2));
  }
  static std::vector<KeepRule> older_than(hours age) {
    return {{.scenario = "*", .label = "*", .age = age, .count = {}, .stored_bytes = {}}};
  }
  void job_ends() {
    JobStatus status;
    status.state = JobState::finished;
    retention_.job_changed(status);
  }
  void must_begin(JobId job) { ASSERT_TRUE(jobs_.begin_removal(job, RemovalBy::user)); }
  [[nodiscard]] std::vector<std::string> log() const {
    std::vector<std::string> lines;
    for (const AuditEntry& each : audit_store_.entries) {
      lines.push_back(fmt::format("{} {} {}: {}", each.action, to_string(each.outcome), each.job.value_or(0),
                                  each.detail));
    }
    return lines;
  }

  FakeClock clock_;
  FakeStore store_;
  FakeAuditStore audit_store_;
  AuditTrail audit_{audit_store_, clock_};
  FakeRetentionStore jobs_;
  bool may_work_ = true;
  JobId needed_ = 0;
  std::vector<RunOfJob> told_;
  Retention retention_{{jobs_, store_, audit_, clock_},
                       {.may_work = [this] { return may_work_; },
                        .is_needed = [this](JobId job) { return job == needed_; },
                        .removed =
                            [this](const RunOfJob& removed) {
                              told_.push_back(removed);
                              jobs_.take(removed);
                            }}};
};

TEST_F(RetentionTest, removes_the_oldest_job_first_run_by_run_and_records_why) {
  retention_.set_rules(older_than(25 * kDay));
  EXPECT_THAT(store_.removed, IsEmpty()) << "nothing happens inside the call";
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(10, 11, 20, 21));
  EXPECT_THAT(told_, ElementsAre(RunOfJob{10, 1}, RunOfJob{11, 1}, RunOfJob{20, 2}, RunOfJob{21, 2}));
  EXPECT_THAT(log(), ElementsAre("keep allowed 1: 2 runs of x removed: older than 25 days (keep[0].age)",
                                 "keep allowed 2: 2 runs of x removed: older than 25 days (keep[0].age)"));
  EXPECT_FALSE(audit_store_.entries[0].uid);
  EXPECT_THAT(jobs_.asked_by, ElementsAre(RemovalBy::rule, RemovalBy::rule));
  EXPECT_TRUE(retention_.remove(3));
  EXPECT_EQ(jobs_.asked_by.back(), RemovalBy::user);
}

TEST_F(RetentionTest, without_rules_looks_at_no_job_and_has_no_timer) {
  retention_.set_rules({});
  job_ends();
  clock_.advance(hours{3});
  EXPECT_EQ(jobs_.questions, 0);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(RetentionTest, ends_a_removal_that_the_last_daemon_began_even_without_rules) {
  must_begin(3);
  jobs_.take({30, 3});
  retention_.set_rules({});
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(31));
  EXPECT_THAT(jobs_.jobs, testing::SizeIs(3));
  EXPECT_THAT(log(), IsEmpty()) << "that daemon has recorded it";
}

TEST_F(RetentionTest, does_not_keep_the_rest_of_a_job_that_would_fit_now) {
  // Four jobs of two runs each; 2 and 1 are beyond four runs.
  const std::vector<KeepRule> rules{
      {.scenario = "*", .label = "*", .age = {}, .count = 5, .stored_bytes = {}}};
  retention_.set_rules(rules);
  store_.on_remove = [this] { may_work_ = store_.removed.size() != 3; };
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(10, 11, 20)) << "21 alone would fit into five";
  may_work_ = true;
  retention_.set_rules(rules);
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(10, 11, 20, 21));
}

TEST_F(RetentionTest, leaves_a_job_alone_that_has_changed_since_it_was_looked_at) {
  retention_.set_rules(older_than(25 * kDay));
  store_.on_remove = [this] { jobs_.jobs.erase(2); };
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(10, 11));
  EXPECT_THAT(log(), testing::SizeIs(1));
}

TEST_F(RetentionTest, leaves_a_job_alone_that_is_needed_and_takes_it_later) {
  needed_ = 1;
  retention_.set_rules(older_than(41 * kDay));
  clock_.advance(2 * kDay);
  EXPECT_THAT(store_.removed, IsEmpty());
  needed_ = 0;
  clock_.advance(hours{1});
  EXPECT_THAT(store_.removed, ElementsAre(10, 11));
}

TEST_F(RetentionTest, waits_while_a_job_is_measured) {
  may_work_ = false;
  retention_.set_rules(older_than(25 * kDay));
  clock_.advance(std::chrono::minutes{59});
  EXPECT_EQ(jobs_.questions, 0);
  may_work_ = true;
  job_ends();
  clock_.turn();
  EXPECT_EQ(store_.removed.size(), 4U);
}

TEST_F(RetentionTest, stops_between_two_runs_when_a_job_begins) {
  retention_.set_rules(older_than(25 * kDay));
  store_.on_remove = [this] { may_work_ = store_.removed.size() < 2; };
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(10, 11));
  store_.on_remove = nullptr;
  may_work_ = true;
  job_ends();
  clock_.turn();
  EXPECT_THAT(store_.removed, ElementsAre(10, 11, 20, 21));
}

TEST_F(RetentionTest, yields_to_the_loop_after_a_step) {
  retention_.set_rules(older_than(25 * kDay));
  store_.on_remove = [this] { clock_.pass(std::chrono::milliseconds{150}); };
  int turns = 0;
  const Timer other =
      clock_.after(std::chrono::milliseconds{100}, [&] { turns = static_cast<int>(store_.removed.size()); });
  clock_.advance(std::chrono::seconds{2});
  EXPECT_EQ(turns, 1) << "another event had its turn after the first removal";
  EXPECT_EQ(store_.removed.size(), 4U);
}

TEST_F(RetentionTest, looks_again_once_an_hour) {
  retention_.set_rules(older_than(41 * kDay));
  clock_.turn();
  EXPECT_THAT(store_.removed, IsEmpty());
  clock_.advance(30 * kDay);
  EXPECT_THAT(store_.removed, ElementsAre(10, 11, 20, 21, 30, 31));
}

TEST_F(RetentionTest, takes_no_job_for_older_when_the_clock_is_set_forward) {
  retention_.set_rules(older_than(41 * kDay));
  clock_.turn();
  clock_.set(365 * kDay);
  job_ends();
  clock_.advance(hours{1});
  EXPECT_THAT(store_.removed, IsEmpty());
  clock_.advance(kDay * 2);
  EXPECT_THAT(store_.removed, ElementsAre(10, 11)) << "41 days have passed";
}

TEST_F(RetentionTest, believes_a_clock_that_is_set_back) {
  clock_.set(365 * kDay);
  Retention retention{{jobs_, store_, audit_, clock_},
                      {.may_work = [] { return true; },
                       .is_needed = [](JobId) { return false; },
                       .removed = [](const RunOfJob&) {}}};
  clock_.set(-365 * kDay);
  retention.set_rules(older_than(41 * kDay));
  clock_.turn();
  EXPECT_THAT(store_.removed, IsEmpty());
  clock_.set(365 * kDay);
  clock_.advance(hours{1});
  EXPECT_THAT(store_.removed, IsEmpty()) << "and not one that is set forward again";
}

TEST_F(RetentionTest, yields_to_the_loop_although_the_clock_was_set_back) {
  retention_.set_rules(older_than(25 * kDay));
  store_.on_remove = [this] {
    clock_.set(-kDay);
    clock_.pass(std::chrono::milliseconds{150});
  };
  int turns = 0;
  const Timer other =
      clock_.after(std::chrono::milliseconds{100}, [&] { turns = static_cast<int>(store_.removed.size()); });
  clock_.advance(std::chrono::seconds{2});
  EXPECT_EQ(turns, 1);
}

TEST_F(RetentionTest, walks_over_more_jobs_than_a_page) {
  for (JobId id = 5; id <= 3 * Retention::kJobsAtOnce; ++id) jobs_.add(job_of(id, "x"));
  retention_.set_rules(older_than(25 * kDay));
  clock_.turn();
  EXPECT_EQ(store_.removed.size(), 4U);
}

TEST_F(RetentionTest, gives_up_a_pass_that_the_store_refuses_and_records_it) {
  store_.removal_refusal = Error{ErrorKind::io, "disk on fire"};
  retention_.set_rules(older_than(25 * kDay));
  clock_.turn();
  EXPECT_THAT(log(), ElementsAre("keep allowed 1: 2 runs of x removed: older than 25 days (keep[0].age)",
                                 "keep failed 0: disk on fire"));
  store_.removal_refusal.reset();
  clock_.advance(Retention::kPeriod);
  EXPECT_EQ(store_.removed.size(), 4U);
}

TEST_F(RetentionTest, goes_on_with_a_removal_that_the_store_refused_although_there_are_no_rules) {
  store_.removal_refusal = Error{ErrorKind::no_space, "disk full"};
  EXPECT_GT(retention_.remove(1).value_or(0), 0U);
  clock_.turn();
  EXPECT_THAT(store_.removed, IsEmpty());
  store_.removal_refusal.reset();
  clock_.advance(Retention::kPeriod);
  EXPECT_THAT(store_.removed, Not(IsEmpty()));
}

}  // namespace
}  // namespace netperfd::core
