// SPDX-License-Identifier: GPL-2.0-or-later
// The stored audit trail: its caps, and its pages.
#include "daemon/store/audit_log.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "daemon/store/database.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using core::AuditEntry;
using core::AuditOutcome;
using testing::ElementsAre;

AuditEntry an_entry(std::optional<uid_t> uid, std::string action,
                    AuditOutcome outcome = AuditOutcome::allowed, int second = 0) {
  return {.id = 0,
          .first = kMorning + std::chrono::seconds{second},
          .last = kMorning + std::chrono::seconds{second},
          .uid = uid,
          .action = std::move(action),
          .outcome = outcome,
          .job = std::nullopt,
          .run = std::nullopt,
          .detail = {}};
}

class AuditLogTest : public StoreTest {
 protected:
  AuditLogTest() : database_(must(Database::open(path(), embedded_migrations()))) {}

  [[nodiscard]] std::string count(const std::string& condition) const {
    return ask(path(), "SELECT count(*) FROM audit WHERE " + condition);
  }
  // Actions of a page, newest first.
  std::vector<std::string> actions(const core::AuditFilter& filter) {
    std::vector<std::string> actions;
    for (const AuditEntry& each : must(log_.read(filter, "", 0)).rows) actions.push_back(each.action);
    return actions;
  }

  std::unique_ptr<Database> database_;
  AuditLog log_{database_->connection(), {.all = 100, .of_a_user = 40, .not_allowed = 20, .slack = 10}};
};

TEST_F(AuditLogTest, gives_an_entry_back_as_it_was_stored_and_changed) {
  AuditEntry entry = an_entry(1001, "delete", AuditOutcome::refused);
  entry.job = 7;
  entry.detail = "not yours";
  entry.id = must(log_.add(entry));
  EXPECT_THAT(must(log_.read({}, "", 0)).rows, ElementsAre(entry));
  entry.last += std::chrono::minutes{3};
  entry.count = 20'000;
  entry.run = 43;
  entry.job.reset();
  entry.detail = "still not";
  must(log_.update(entry));
  EXPECT_THAT(must(log_.read({}, "", 0)).rows, ElementsAre(entry));
  AuditEntry own = an_entry(std::nullopt, "keep");
  own.id = must(log_.add(own));
  EXPECT_THAT(must(log_.read({}, "", 0)).rows, ElementsAre(own, entry));
}

TEST_F(AuditLogTest, filters_and_pages) {
  must(log_.add(an_entry(1001, "start", AuditOutcome::allowed, 1)));
  must(log_.add(an_entry(1002, "stop", AuditOutcome::refused, 2)));
  must(log_.add(an_entry(1001, "delete", AuditOutcome::failed, 3)));
  EXPECT_THAT(actions({}), ElementsAre("delete", "stop", "start"));
  EXPECT_THAT(actions({.uid = 1001}), ElementsAre("delete", "start"));
  EXPECT_THAT(actions({.action = "stop"}), ElementsAre("stop"));
  EXPECT_THAT(actions({.outcome = AuditOutcome::allowed}), ElementsAre("start"));
  EXPECT_THAT(actions({.since = kMorning + std::chrono::seconds{2}}), ElementsAre("delete", "stop"));
  EXPECT_THAT(actions({.until = kMorning + std::chrono::seconds{2}}), ElementsAre("start"));

  const auto first = must(log_.read({}, "", 2));
  EXPECT_EQ(first.rows.size(), 2U);
  const auto second = must(log_.read({}, first.next, 2));
  ASSERT_EQ(second.rows.size(), 1U);
  EXPECT_EQ(second.rows[0].action, "start");
  EXPECT_EQ(second.next, "");
  EXPECT_EQ(log_.read({}, "nonsense", 2).error().kind, ErrorKind::invalid_argument);
}

TEST_F(AuditLogTest, is_not_pushed_out_by_refusals_of_many_users) {
  must(log_.add(an_entry(1, "start")));
  for (uid_t uid = 1000; uid < 1500; ++uid) must(log_.add(an_entry(uid, "stop", AuditOutcome::refused)));
  EXPECT_EQ(count("action = 'start'"), "1");
  EXPECT_LE(std::stoi(count("true")), 1 + 20 + 10);
  EXPECT_EQ(count("uid = 1499"), "1") << "the oldest go";
}

TEST_F(AuditLogTest, is_not_pushed_out_by_one_busy_user) {
  must(log_.add(an_entry(1, "start")));
  for (int i = 0; i < 300; ++i) must(log_.add(an_entry(1001, "start")));
  EXPECT_EQ(count("uid = 1"), "1");
  EXPECT_LE(std::stoi(count("uid = 1001")), 40 + 10);
}

TEST_F(AuditLogTest, has_a_highest_number_of_entries) {
  for (int i = 0; i < 300; ++i)
    must(log_.add(an_entry(static_cast<uid_t>(i % 20), "start", AuditOutcome::allowed, i)));
  EXPECT_LE(std::stoi(count("true")), 100 + 10);
  EXPECT_GE(std::stoi(count("true")), 100);
  EXPECT_EQ(must(log_.read({}, "", 1)).rows.at(0).first, kMorning + std::chrono::seconds{299});
}

}  // namespace
}  // namespace netperfd::store
