// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/run_state.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace netperfd {
namespace {

using enum RunState;

TEST(RunStateTest, every_state_is_known_by_its_name) {
  for (const RunStateRow& row : kRunStates) {
    EXPECT_EQ(to_string(row.state), row.name);
    EXPECT_EQ(parse_run_state(row.name), row.state);
    EXPECT_EQ(has_ended(row.state), row.ended);
  }
  EXPECT_EQ(parse_run_state("done"), std::nullopt);
  EXPECT_EQ(parse_run_state(""), std::nullopt);
}

TEST(RunStateTest, only_the_drawn_transitions_may_happen) {
  std::set<std::pair<RunState, RunState>> allowed = {{pending, preparing},
                                                     {preparing, running},
                                                     {running, collecting},
                                                     {collecting, finished},
                                                     {collecting, preparing}};
  for (const RunState from : {pending, preparing, running, collecting}) {
    for (const RunState to : {failed, canceled, interrupted}) allowed.emplace(from, to);
  }
  for (const RunStateRow& from : kRunStates) {
    for (const RunStateRow& to : kRunStates) {
      EXPECT_EQ(may_follow(from.state, to.state), allowed.contains({from.state, to.state}))
          << from.name << " -> " << to.name;
    }
  }
}

}  // namespace
}  // namespace netperfd
