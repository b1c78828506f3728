#include "daemon/analysis/time_order.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What was given out, a line a run: "1: 10 20".
class Order {
 public:
  explicit Order(std::size_t most_held = 1'000) : order_(most_held) {}

  Order& add(std::uint32_t cpu, std::initializer_list<std::uint64_t> times) {
    for (const std::uint64_t time : times) {
      GraphEvent event;
      event.time = time;
      order_.add(cpu, event);
    }
    return *this;
  }
  std::vector<std::string> end_turn(std::vector<std::uint32_t> behind = {}) {
    order_.end_turn(behind, sink_);
    return std::exchange(runs_, {});
  }
  std::vector<std::string> finish() {
    order_.finish(sink_);
    return std::exchange(runs_, {});
  }

 private:
  TimeOrder order_;
  std::vector<std::string> runs_;
  TimeOrder::Sink sink_ = [this](std::uint32_t cpu, std::span<const GraphEvent> events) {
    runs_.push_back(fmt::format("{}:", cpu));
    for (const GraphEvent& event : events) runs_.back() += fmt::format(" {}", event.time);
  };
};

TEST(TimeOrder, gives_out_at_the_end_whatever_it_holds) {
  Order order;
  order.add(1, {10, 20, 50}).add(0, {30, 40, 60});
  EXPECT_THAT(order.finish(), ElementsAre("1: 10 20", "0: 30 40", "1: 50", "0: 60"));
  EXPECT_THAT(order.finish(), IsEmpty());
}

TEST(TimeOrder, holds_a_turns_events_until_the_next_turn_has_ended) {
  Order order;
  EXPECT_THAT(order.add(0, {10, 30}).end_turn(), IsEmpty());
  EXPECT_THAT(order.add(1, {20, 25}).add(0, {40}).end_turn(), ElementsAre("0: 10", "1: 20 25", "0: 30"));
  EXPECT_THAT(order.end_turn(), ElementsAre("0: 40"));
}

TEST(TimeOrder, holds_what_is_later_than_the_last_of_a_cpu_left_behind) {
  Order order;
  order.add(0, {10, 30}).add(1, {5}).end_turn();
  EXPECT_THAT(order.end_turn({1}), ElementsAre("1: 5"));
  EXPECT_THAT(order.add(1, {15}).end_turn({1}), ElementsAre("0: 10", "1: 15"));
  EXPECT_THAT(order.end_turn(), ElementsAre("0: 30"));
}

TEST(TimeOrder, holds_everything_for_a_cpu_left_behind_that_nothing_was_read_of) {
  Order order;
  order.add(0, {10, 30}).end_turn();
  EXPECT_THAT(order.end_turn({7}), IsEmpty());
  EXPECT_THAT(order.add(7, {1}).end_turn(), ElementsAre("7: 1", "0: 10 30"));
}

TEST(TimeOrder, gives_out_the_oldest_beyond_what_it_may_hold) {
  Order order(2);
  EXPECT_THAT(order.add(0, {10, 30, 50}).add(1, {20}).end_turn({1}), ElementsAre("0: 10", "1: 20"));
  EXPECT_THAT(order.add(1, {15, 40}).end_turn(), ElementsAre("1: 15", "0: 30", "1: 40", "0: 50"));
}

TEST(TimeOrder, gives_out_what_a_cpu_wrote_out_of_order_as_it_came) {
  Order order;
  EXPECT_THAT(order.add(0, {10, 30, 20, 40}).finish(), ElementsAre("0: 10 30 20 40"));
}

TEST(TimeOrder, prefers_the_lower_cpu_at_one_time) {
  Order order;
  EXPECT_THAT(order.add(1, {10, 20}).add(0, {10, 20}).finish(),
              ElementsAre("0: 10", "1: 10", "0: 20", "1: 20"));
}

TEST(TimeOrder, merges_many_cpus) {
  Order order(100'000);
  for (std::uint64_t time = 1; time <= 10'000; ++time) {
    order.add(static_cast<std::uint32_t>(time * 7919 % 128), {time});
  }
  const auto runs = order.finish();
  ASSERT_EQ(runs.size(), 10'000U);
  for (std::uint64_t time = 1; time <= 10'000; ++time) {
    ASSERT_EQ(runs[time - 1], fmt::format("{}: {}", time * 7919 % 128, time));
  }
}

}  // namespace
}  // namespace netperfd::analysis
