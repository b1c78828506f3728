// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/audit_trail.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/core/audit_fakes.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::core {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;

class AuditTrailTest : public testing::Test {
 protected:
  static AuditEvent refusal(uid_t uid, const std::string& action, std::optional<JobId> job = {}) {
    return {.uid = uid, .action = action, .outcome = AuditOutcome::refused, .job = job};
  }
  // "1001 stop refused x3", oldest first.
  [[nodiscard]] std::vector<std::string> lines() {
    EXPECT_TRUE(trail_->entries({}, "", 1));  // writes the counts
    std::vector<std::string> lines;
    for (const AuditEntry& each : store_.entries) {
      lines.push_back(fmt::format("{} {} {} x{}", each.uid ? std::to_string(*each.uid) : "netperfd",
                                  each.action, to_string(each.outcome), each.count));
    }
    return lines;
  }

  FakeClock clock_;
  FakeAuditStore store_;
  std::optional<AuditTrail> trail_{std::in_place, store_, clock_};
};

TEST_F(AuditTrailTest, stores_each_change_at_once_with_its_time_and_place) {
  const WallTime before = clock_.now();
  clock_.advance(minutes{1});
  trail_->record({.uid = 1001, .action = "start", .job = 7, .detail = "veth-tcp"});
  trail_->record({.uid = 1001, .action = "start", .job = 8, .detail = "veth-tcp"});
  trail_->record({.uid = std::nullopt, .action = "keep", .job = 3});
  EXPECT_THAT(lines(),
              ElementsAre("1001 start allowed x1", "1001 start allowed x1", "netperfd keep allowed x1"));
  EXPECT_EQ(store_.entries[0].first, before + minutes{1});
  EXPECT_EQ(store_.entries[0].job, 7);
  EXPECT_EQ(store_.entries[1].job, 8);
  EXPECT_EQ(store_.entries[0].detail, "veth-tcp");
}

TEST_F(AuditTrailTest, counts_a_flood_of_refusals_in_one_entry_and_writes_it_rarely) {
  for (int i = 0; i < 20'000; ++i) trail_->record(refusal(65534, "stop", i));
  EXPECT_EQ(store_.entries.size(), 1U);
  EXPECT_EQ(store_.updates, 0);
  clock_.advance(AuditTrail::kWritePeriod);
  EXPECT_EQ(store_.updates, 1);
  EXPECT_EQ(store_.entries[0].count, 20'000U);
  EXPECT_EQ(store_.entries[0].job, 19'999);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(AuditTrailTest, begins_another_entry_when_the_clock_was_set_back) {
  trail_->record(refusal(1001, "stop"));
  clock_.set(-std::chrono::hours{24});
  trail_->record(refusal(1001, "stop"));
  ASSERT_THAT(lines(), ElementsAre("1001 stop refused x1", "1001 stop refused x1"));
  EXPECT_EQ(store_.entries[1].last, clock_.now());
}

TEST_F(AuditTrailTest, says_that_the_last_count_of_an_entry_is_lost) {
  trail_->record(refusal(1001, "stop"));
  store_.refusal = Error{ErrorKind::no_space, "disk full"};
  trail_->record(refusal(1001, "stop"));
  clock_.advance(AuditTrail::kFoldedFor);
  trail_->record(refusal(1001, "stop"));
  store_.refusal.reset();
  clock_.advance(AuditTrail::kWritePeriod);
  EXPECT_THAT(lines(), testing::Contains(testing::EndsWith("audit failed x1")));
}

TEST_F(AuditTrailTest, keeps_users_actions_and_outcomes_apart) {
  for (int i = 0; i < 2; ++i) {
    trail_->record(refusal(1001, "stop"));
    trail_->record(refusal(1001, "delete"));
    trail_->record(refusal(1002, "stop"));
    trail_->record({.uid = 1001, .action = "stop", .outcome = AuditOutcome::failed});
    trail_->record({.uid = 1001, .action = "stop"});
  }
  EXPECT_THAT(lines(), ElementsAre("1001 stop refused x2", "1001 delete refused x2", "1002 stop refused x2",
                                   "1001 stop failed x2", "1001 stop allowed x1", "1001 stop allowed x1"));
}

TEST_F(AuditTrailTest, counts_reads_of_one_run_and_marks_of_one_job) {
  for (int i = 0; i < 3; ++i) {
    trail_->record({.uid = 1001, .action = "read", .run = 41});
    trail_->record({.uid = 1001, .action = "read", .run = 42});
    trail_->record({.uid = 1001, .action = "mark", .job = 7});
  }
  EXPECT_THAT(lines(), ElementsAre("1001 read allowed x3", "1001 read allowed x3", "1001 mark allowed x3"));
}

TEST_F(AuditTrailTest, begins_a_new_entry_after_an_hour) {
  trail_->record(refusal(1001, "stop"));
  clock_.advance(AuditTrail::kFoldedFor - minutes{1});
  trail_->record(refusal(1001, "stop"));
  clock_.advance(minutes{2});
  trail_->record(refusal(1001, "stop"));
  EXPECT_THAT(lines(), ElementsAre("1001 stop refused x2", "1001 stop refused x1"));
}

TEST_F(AuditTrailTest, begins_a_new_entry_after_an_hour_in_which_nothing_was_to_be_written) {
  trail_->record(refusal(1001, "stop"));
  trail_->record(refusal(1002, "stop"));
  clock_.advance(AuditTrail::kFoldedFor);
  trail_->record(refusal(1001, "stop"));
  trail_->record(refusal(1001, "stop"));
  EXPECT_THAT(lines(), ElementsAre("1001 stop refused x1", "1002 stop refused x1", "1001 stop refused x2"));
}

TEST_F(AuditTrailTest, writes_its_counts_at_its_end) {
  trail_->record(refusal(1001, "stop"));
  trail_->record(refusal(1001, "stop"));
  trail_.reset();
  EXPECT_EQ(store_.entries.at(0).count, 2U);
}

TEST_F(AuditTrailTest, of_many_users_holds_few_counts_in_memory) {
  for (uid_t uid = 1; uid <= 3 * AuditTrail::kMostFolds; ++uid) {
    trail_->record(refusal(uid, "stop"));
    trail_->record(refusal(uid, "stop"));
  }
  std::uint64_t counted = 0;
  EXPECT_TRUE(trail_->entries({}, "", 1));
  for (const AuditEntry& each : store_.entries) counted += each.count;
  EXPECT_EQ(counted, 2 * 3 * AuditTrail::kMostFolds);
}

TEST_F(AuditTrailTest, keeps_what_the_disk_refuses_and_tells_what_was_lost) {
  store_.refusal = Error{ErrorKind::no_space, "full"};
  for (std::size_t i = 0; i < AuditTrail::kMostUnstored + 5; ++i) {
    trail_->record({.uid = 1001, .action = "start", .job = static_cast<JobId>(i)});
  }
  EXPECT_TRUE(store_.entries.empty());
  store_.refusal.reset();
  clock_.advance(AuditTrail::kWritePeriod);
  ASSERT_EQ(store_.entries.size(), AuditTrail::kMostUnstored + 1);
  EXPECT_EQ(store_.entries.front().job, 0);
  EXPECT_EQ(store_.entries.back().action, "audit");
  EXPECT_EQ(store_.entries.back().count, 5U);
}

TEST_F(AuditTrailTest, shortens_what_a_caller_wrote_to_part_of_a_line) {
  trail_->record({.uid = 1, .action = "start", .detail = "first\nsecond"});
  EXPECT_EQ(store_.entries.at(0).detail, "first");
  trail_->record(
      {.uid = 1, .action = "start", .detail = std::string(AuditTrail::kLongestDetail - 1, 'x') + "ä"});
  EXPECT_EQ(store_.entries.at(1).detail, std::string(AuditTrail::kLongestDetail - 1, 'x'));
}

}  // namespace
}  // namespace netperfd::core
