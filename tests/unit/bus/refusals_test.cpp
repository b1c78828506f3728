// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/refusals.hpp"

#include <gmock/gmock.h>

#include "daemon/base/event_loop.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RefusalsTest : public testing::Test {
 protected:
  RefusalsTest() : loop(EventLoop::create()) {
    refusals.emplace(
        *loop, [this](const Refused& each) { told.push_back(std::to_string(each.count) + " " + each.what); },
        [this] { return now; });
  }

  Result<EventLoop> loop;
  Refusals::Clock::time_point now;
  std::vector<std::string> told;
  std::optional<Refusals> refusals;
};

TEST_F(RefusalsTest, the_first_of_a_user_is_told_at_once_and_the_rest_as_their_number) {
  for (int i = 0; i < 20'000; ++i) refusals->note(7, ":1.7", "call " + std::to_string(i));
  refusals->note(8, ":1.8", "another user's");
  EXPECT_THAT(told, ElementsAre("1 call 0", "1 another user's"));
  told.clear();
  refusals.reset();
  EXPECT_THAT(told, ElementsAre("19999 call 19999"));
}

TEST_F(RefusalsTest, a_user_is_refused_unexamined_after_many_and_examined_again_with_time) {
  EXPECT_FALSE(refusals->refuse_unexamined(":1.7"));
  for (int i = 0; i < Refusals::kBurst; ++i) {
    EXPECT_FALSE(refusals->is_excessive(7)) << i;
    refusals->note(7, ":1.7", "call");
  }
  EXPECT_TRUE(refusals->is_excessive(7));
  EXPECT_TRUE(refusals->refuse_unexamined(":1.7"));
  EXPECT_FALSE(refusals->refuse_unexamined(":1.8")) << "whose connection that is is not known";
  EXPECT_FALSE(refusals->is_excessive(8));
  now += std::chrono::seconds{1};
  EXPECT_FALSE(refusals->is_excessive(7));
  EXPECT_FALSE(refusals->refuse_unexamined(":1.7"));
}

TEST_F(RefusalsTest, root_is_always_examined) {
  for (int i = 0; i < 1'000; ++i) refusals->note(0, ":1.7", "call");
  EXPECT_FALSE(refusals->is_excessive(0));
  EXPECT_FALSE(refusals->refuse_unexamined(":1.7"));
}

TEST_F(RefusalsTest, calls_refused_unexamined_count_too) {
  for (int i = 0; i < Refusals::kBurst; ++i) refusals->note(7, ":1.7", "call");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(refusals->refuse_unexamined(":1.7"));
  told.clear();
  refusals.reset();
  EXPECT_THAT(told, ElementsAre("149 call"));
}

}  // namespace
}  // namespace netperfd::bus
