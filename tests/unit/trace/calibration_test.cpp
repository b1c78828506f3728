// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/calibration.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

namespace netperfd::trace {
namespace {

using analysis::GraphEvent;
using analysis::GraphEventKind;

constexpr std::uint64_t kParentAddress = 0x1000;
constexpr std::uint64_t kEmptyAddress = 0x2000;
constexpr std::uint64_t kOtherAddress = 0x3000;

// A machine with known true times and tracer costs, which makes the records that its kernel would.
struct Machine {
  std::uint64_t parent_ns = 300, empty_ns = 1, other_ns = 40;
  std::uint64_t entry_ns = 90, callee_ns = 60;
  std::uint64_t now = 1'000'000;

  static GraphEvent entry(std::uint64_t function) {
    GraphEvent event;
    event.function = function;
    event.pid = 7;
    return event;
  }
  static GraphEvent exit(std::uint64_t function, std::uint64_t start, std::uint64_t duration) {
    GraphEvent event = entry(function);
    event.kind = GraphEventKind::exit;
    event.start = start;
    event.end = start + duration;
    return event;
  }
  void call_alone(std::vector<GraphEvent>& events) {
    events.push_back(entry(kParentAddress));
    events.push_back(exit(kParentAddress, now, parent_ns + empty_ns + other_ns + entry_ns));
    now += 10'000;
  }
  void call_with_callees(std::vector<GraphEvent>& events) {
    events.push_back(entry(kParentAddress));
    events.push_back(entry(kEmptyAddress));
    events.push_back(exit(kEmptyAddress, now + 10, empty_ns + entry_ns));
    events.push_back(entry(kOtherAddress));
    events.push_back(exit(kOtherAddress, now + 200, other_ns + entry_ns));
    events.push_back(
        exit(kParentAddress, now, parent_ns + empty_ns + other_ns + entry_ns + 2 * (entry_ns + callee_ns)));
    now += 10'000;
  }
  CalibrationRound round(int calls = 400) {
    std::vector<GraphEvent> alone;
    std::vector<GraphEvent> with;
    for (int i = 0; i < calls; ++i) {
      call_alone(alone);
      call_with_callees(with);
    }
    CalibrationRound result;
    result.add_alone(alone);
    result.add_with_callees(with);
    return result;
  }
};

TEST(Calibration, finds_the_costs_that_the_machine_has) {
  Machine machine;
  const auto found = calibrate({machine.round(), machine.round(), machine.round()});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->entry_ns, 91, 0.01);  // plus the nanosecond of the function that does next to nothing
  EXPECT_NEAR(found->callee_ns, 59, 0.01);
  EXPECT_EQ(found->calls, 6U * 400U);
}

TEST(Calibration, is_not_moved_by_a_few_calls_that_were_disturbed) {
  Machine machine;
  std::vector<CalibrationRound> rounds(3);
  for (auto& round : rounds) {
    round = machine.round();
    for (std::size_t i = 0; i < round.alone.size() / 4; ++i) round.alone[i].duration_ns += 50'000;
  }
  const auto found = calibrate(rounds);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->callee_ns, 59, 0.01);
}

TEST(Calibration, is_not_moved_by_a_round_that_was_disturbed_as_a_whole) {
  Machine machine;
  Machine disturbed{.parent_ns = 360, .entry_ns = 500, .callee_ns = 700};
  const auto found = calibrate({machine.round(), disturbed.round(), machine.round(), machine.round()});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->callee_ns, 59, 0.01);
}

TEST(Calibration, has_an_error_from_the_spread_of_its_rounds) {
  Machine machine;
  std::vector<CalibrationRound> rounds;
  for (std::uint64_t i = 0; i < 8; ++i) {
    machine.entry_ns = 90 + i;
    rounds.push_back(machine.round());
  }
  const auto found = calibrate(rounds);
  ASSERT_TRUE(found) << found.error().message;
  // 91 to 98 ns: a median absolute deviation of 2, times 1.4826 * 1.129 for eight values. Of their median,
  // with the rounding to whole nanoseconds: hypot(sqrt(pi / 2) * 3.348 / sqrt(8), 0.29).
  EXPECT_NEAR(*found->entry_error_ns, 1.512, 0.002);
  EXPECT_NEAR(*found->callee_error_ns, 0.29, 0.001) << "the same in each round";
}

TEST(Calibration, refuses_rounds_that_disagree) {
  Machine machine;
  Machine other{.callee_ns = 400};
  const auto found = calibrate({machine.round(), other.round(), machine.round(), other.round()});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::io) << "another try may do better";
  EXPECT_THAT(found.error().message, testing::HasSubstr("could not be told"));
}

TEST(Calibration, refuses_too_few_calls) {
  Machine machine;
  const auto found = calibrate({machine.round(20), machine.round(20), machine.round(20)});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("too few calls"));
}

TEST(Calibration, refuses_a_parent_whose_callees_never_come) {
  Machine machine;
  CalibrationRound round;
  std::vector<GraphEvent> alone;
  for (int i = 0; i < 400; ++i) machine.call_alone(alone);
  round.add_alone(alone);
  round.add_with_callees(alone);
  EXPECT_FALSE(calibrate({round, round, round}));
}

}  // namespace
}  // namespace netperfd::trace
