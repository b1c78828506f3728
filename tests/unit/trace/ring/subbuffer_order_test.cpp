// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/subbuffer_order.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kSubbuffer = 4096;

// Records the delivered records, one line per run: "1: 10 20"; counts the begin and end of sub-buffers.
class Lines {
 public:
  void turn_to(std::uint32_t cpu) { cpu_ = cpu; }
  void begin(const SubbufferWalk& subbuffer) {
    ++begun_;
    EXPECT_GT(subbuffer.committed(), 0U);
  }
  void take(const RawRecord& record) {
    EXPECT_EQ(record.data.size(), 8U);
    if (lines_.empty() || last_ != cpu_) lines_.push_back(fmt::format("{}:", cpu_));
    lines_.back() += fmt::format(" {}", record.time);
    last_ = cpu_;
  }
  void end(const SubbufferWalk& subbuffer) {
    ++ended_;
    EXPECT_EQ(subbuffer.damage(), "");
  }

  [[nodiscard]] std::vector<std::string> give() {
    last_ = std::numeric_limits<std::uint32_t>::max();
    return std::exchange(lines_, {});
  }
  [[nodiscard]] int open() const { return begun_ - ended_; }

 private:
  std::uint32_t cpu_ = 0;
  std::uint32_t last_ = std::numeric_limits<std::uint32_t>::max();
  int begun_ = 0;
  int ended_ = 0;
  std::vector<std::string> lines_;
};

class Order {
 public:
  explicit Order(std::size_t most_subbuffers = 1'000) : order_({}, most_subbuffers * kSubbuffer) {}

  Order& add(std::uint32_t cpu, std::initializer_list<std::uint64_t> times) {
    test::SubbufferMaker maker(*times.begin());
    for (const std::uint64_t time : times) EXPECT_TRUE(maker.add(time, test::RecordMaker(1)));
    order_.add(cpu, maker.finish());
    return *this;
  }
  std::vector<std::string> end_turn(std::vector<std::uint32_t> behind = {}, bool may_go_on = true) {
    order_.end_turn(behind, lines_, [may_go_on] { return may_go_on; });
    return lines_.give();
  }
  std::vector<std::string> finish(bool may_go_on = true) {
    finished_ = order_.finish(lines_, [may_go_on] { return may_go_on; });
    return lines_.give();
  }
  [[nodiscard]] bool finished() const { return finished_ && lines_.open() == 0; }

 private:
  SubbufferOrder order_;
  Lines lines_;
  bool finished_ = false;
};

TEST(SubbufferOrder, gives_out_at_the_end_whatever_it_holds) {
  Order order;
  order.add(1, {10, 20, 50}).add(0, {30, 40, 60});
  EXPECT_THAT(order.finish(), ElementsAre("1: 10 20", "0: 30 40", "1: 50", "0: 60"));
  EXPECT_TRUE(order.finished());
  EXPECT_THAT(order.finish(), IsEmpty());
}

// Before {40} is decoded, only its header is known: records up to its stamp may be delivered.
TEST(SubbufferOrder, holds_a_turns_records_until_the_next_turn_has_ended) {
  Order order;
  EXPECT_THAT(order.add(0, {10, 30}).end_turn(), IsEmpty());
  EXPECT_THAT(order.add(1, {20, 25}).add(0, {40}).end_turn(), ElementsAre("0: 10"));
  EXPECT_THAT(order.end_turn(), ElementsAre("1: 20 25", "0: 30 40"));
}

TEST(SubbufferOrder, holds_what_is_later_than_the_last_of_a_cpu_left_behind) {
  Order order;
  order.add(0, {10, 30}).add(1, {5}).end_turn();
  EXPECT_THAT(order.end_turn({1}), ElementsAre("1: 5"));
  EXPECT_THAT(order.add(1, {15}).end_turn({1}), ElementsAre("0: 10"));
  EXPECT_THAT(order.end_turn(), ElementsAre("1: 15"));
  EXPECT_THAT(order.finish(), ElementsAre("0: 30"));
}

TEST(SubbufferOrder, holds_everything_for_a_cpu_left_behind_that_nothing_was_read_of) {
  Order order;
  order.add(0, {10, 30}).end_turn();
  EXPECT_THAT(order.end_turn({7}), IsEmpty());
  EXPECT_THAT(order.add(7, {1}).end_turn(), ElementsAre("7: 1", "0: 10"));
}

TEST(SubbufferOrder, gives_out_the_oldest_beyond_what_it_may_hold) {
  Order order(1);
  EXPECT_THAT(order.add(0, {10, 30, 50}).add(1, {20}).end_turn({1}, false), ElementsAre("0: 10", "1: 20"));
  EXPECT_THAT(order.add(1, {35}).end_turn({1}, false), ElementsAre("0: 30", "1: 35"));
  EXPECT_THAT(order.finish(), ElementsAre("0: 50"));
}

TEST(SubbufferOrder, stops_after_a_subbuffer_where_it_may_not_go_on) {
  Order order;
  order.add(0, {10, 20}).add(1, {15}).add(0, {30}).end_turn();
  EXPECT_THAT(order.end_turn({}, false), ElementsAre("0: 10", "1: 15"));
  EXPECT_THAT(order.finish(false), ElementsAre("0: 20"));
  EXPECT_FALSE(order.finished());
  EXPECT_THAT(order.finish(false), ElementsAre("0: 30"));
  EXPECT_TRUE(order.finished());
}

TEST(SubbufferOrder, gives_out_what_a_cpu_wrote_out_of_order_as_it_came) {
  Order order;
  EXPECT_THAT(order.add(0, {10, 30}).add(0, {20, 40}).finish(), ElementsAre("0: 10 30 20 40"));
}

TEST(SubbufferOrder, prefers_the_lower_cpu_at_one_time) {
  Order order;
  EXPECT_THAT(order.add(1, {10, 20}).add(0, {10, 20}).finish(),
              ElementsAre("0: 10", "1: 10", "0: 20", "1: 20"));
}

TEST(SubbufferOrder, merges_many_cpus) {
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
}  // namespace netperfd::trace
