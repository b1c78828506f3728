// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/round.hpp"

#include <gmock/gmock.h>

#include <string>

namespace netperfd::bus {
namespace {

class RoundTest : public testing::Test {
 protected:
  // All that are ready, in their order.
  template <class IsReady>
  std::string all(const IsReady& is_ready) {
    std::string text;
    while (const auto item = round.next(is_ready)) text += *item + " ";
    return text;
  }
  std::string all() {
    return all([](uid_t) { return true; });
  }

  Round<std::string> round;
};

TEST_F(RoundTest, gives_each_user_one_place_however_much_waits) {
  for (const char* item : {"a1", "a2", "a3", "a4"}) round.put(1, false, item);
  for (const char* item : {"b1", "b2"}) round.put(2, false, item);
  round.put(3, false, "c1");
  EXPECT_FALSE(round.is_empty());
  EXPECT_EQ(all(), "a1 b1 c1 a2 b2 a3 a4 ");
  EXPECT_TRUE(round.is_empty());
}

TEST_F(RoundTest, gives_those_who_may_measure_every_other_turn) {
  for (uid_t user = 1; user <= 4; ++user) round.put(user, false, "o");
  for (const char* item : {"m1", "m2"}) round.put(9, true, item);
  round.put(8, true, "n1");
  EXPECT_EQ(all(), "m1 o n1 o m2 o o ");
}

// Also if some of his connections may measure and others not.
TEST_F(RoundTest, keeps_the_order_of_what_a_user_asks_for) {
  round.put(1, false, "1");
  round.put(1, true, "2");
  round.put(1, false, "3");
  EXPECT_EQ(all(), "1 2 3 ");
}

TEST_F(RoundTest, passes_over_users_who_are_not_ready) {
  round.put(1, true, "a1");
  round.put(2, false, "b1");
  round.put(3, false, "c1");
  const auto only = [](uid_t user) { return [user](uid_t each) { return each == user; }; };
  EXPECT_TRUE(round.has_ready(only(3)));
  EXPECT_FALSE(round.has_ready(only(4)));
  EXPECT_EQ(all(only(3)), "c1 ");
  EXPECT_FALSE(round.has_ready(only(3)));
  EXPECT_EQ(all(only(3)), "");
  EXPECT_EQ(all(), "a1 b1 ");
}

}  // namespace
}  // namespace netperfd::bus
