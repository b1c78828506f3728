// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/byte_budget.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/bus/access/message_limits.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

constexpr std::size_t kSmall = ByteBudget::kLeast;
constexpr std::size_t kLarge = std::size_t{6} << 20U;

TEST(ByteBudgetTest, of_a_user_is_no_matter_of_others) {
  ByteBudget budget;
  const auto taken = budget.take(7, ByteBudget::kOfUser);
  EXPECT_FALSE(budget.has_room(7, 1, false));
  EXPECT_TRUE(budget.has_room(8, ByteBudget::kOfUser, false));
  EXPECT_FALSE(budget.has_room(8, ByteBudget::kOfUser + 1, false));
}

TEST(ByteBudgetTest, comes_back_when_the_last_copy_is_gone) {
  ByteBudget budget;
  auto taken = budget.take(7, ByteBudget::kOfUser);
  auto copy = taken;
  taken.reset();
  EXPECT_EQ(budget.taken_by(7), ByteBudget::kOfUser);
  copy.reset();
  EXPECT_EQ(budget.taken_by(7), 0U);
  EXPECT_TRUE(budget.has_room(7, ByteBudget::kOfUser, false));
}

TEST(ByteBudgetTest, counts_a_little_for_the_smallest_call) {
  ByteBudget budget;
  std::vector<std::shared_ptr<void>> taken;
  while (budget.has_room(7, 1, false)) taken.push_back(budget.take(7, 1));
  EXPECT_EQ(taken.size(), ByteBudget::kOfUser / kSmall);
}

TEST(ByteBudgetTest, is_larger_for_those_whose_right_is_known) {
  ByteBudget budget;
  EXPECT_FALSE(budget.has_room(7, kLarge, false));
  EXPECT_TRUE(budget.has_room(7, kLarge, true));
  const auto first = budget.take(7, kLarge);
  const auto second = budget.take(7, kLarge);
  EXPECT_FALSE(budget.has_room(7, kLarge, true));
  EXPECT_TRUE(budget.has_room(7, ByteBudget::kOfTrusted - 2 * kLarge, true));
  EXPECT_FALSE(budget.has_room(7, kSmall, false)) << "a connection of his without that right";
}

// Whatever the others have, everybody has his share.
TEST(ByteBudgetTest, of_all_who_have_more_is_limited_beyond_the_share_of_every_user) {
  ByteBudget budget;
  std::vector<std::shared_ptr<void>> taken;
  uid_t user = 1;
  for (; budget.has_room(user, kLarge, true); ++user) taken.push_back(budget.take(user, kLarge));
  EXPECT_EQ(taken.size(), ByteBudget::kOfAllTrusted / (kLarge - ByteBudget::kOfUser));
  EXPECT_TRUE(budget.has_room(user, ByteBudget::kOfUser, true));
  EXPECT_TRUE(budget.has_room(user, ByteBudget::kOfUser, false));
  taken.pop_back();
  EXPECT_TRUE(budget.has_room(user, kLarge, true));
}

TEST(ByteBudgetTest, does_not_limit_root_nor_others_by_what_root_has) {
  ByteBudget budget;
  const auto taken = budget.take(0, ByteBudget::kOfAllTrusted * 2);
  EXPECT_TRUE(budget.has_room(0, kLarge, true));
  EXPECT_TRUE(budget.has_room(7, kLarge, true));
}

TEST(ByteBudgetTest, may_end_before_what_was_taken_of_it) {
  std::optional<ByteBudget> budget{std::in_place};
  auto taken = budget->take(7, kSmall);
  budget.reset();
  taken.reset();
}

// Everybody may send the largest call that may end in a question to polkit, and one more.
TEST(ByteBudgetTest, has_room_for_the_calls_that_every_user_may_make) {
  EXPECT_LE(most_message_bytes(dbus::kManagerInterface, "StartJob"), kMostUntrustedBytes);
  EXPECT_LE(2 * kMostUntrustedBytes, ByteBudget::kOfUser);
  EXPECT_LE(2 * most_message_bytes(dbus::kManagerInterface, "OpenBundle"), ByteBudget::kOfTrusted);
}

}  // namespace
}  // namespace netperfd::bus
