// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/event_loop.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <memory>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;

class EventLoopTest : public testing::Test {
 protected:
  EventLoopTest() {
    auto created = EventLoop::create();
    if (!created) throw std::runtime_error(created.error().message);
    loop = std::make_unique<EventLoop>(std::move(*created));
  }

  EventSource must(Result<EventSource> source) {
    EXPECT_TRUE(source) << source.error().message;
    return source ? std::move(*source) : EventSource{};
  }

  // Fails the test instead of waiting forever.
  int run() {
    const EventSource guard = must(loop->after(10s, [&] { loop->exit(-1); }));
    return loop->run();
  }

  std::unique_ptr<EventLoop> loop;
};

TEST_F(EventLoopTest, returns_the_code_of_exit) {
  const EventSource source = must(loop->after(0us, [&] { loop->exit(7); }));
  EXPECT_EQ(run(), 7);
}

TEST_F(EventLoopTest, calls_a_timer_once_and_in_the_order_of_time) {
  std::vector<int> calls;
  const EventSource late = must(loop->after(30ms, [&] { loop->exit(0); }));
  const EventSource second = must(loop->after(10ms, [&] { calls.push_back(2); }));
  const EventSource first = must(loop->after(0us, [&] { calls.push_back(1); }));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(calls, (std::vector{1, 2}));
}

TEST_F(EventLoopTest, a_timer_never_comes_early) {
  const auto start = std::chrono::steady_clock::now();
  const EventSource source = must(loop->after(20ms, [&] { loop->exit(0); }));
  EXPECT_EQ(run(), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
}

TEST_F(EventLoopTest, a_timer_that_is_set_after_long_work_never_comes_early) {
  std::chrono::steady_clock::time_point set;
  EventSource after_work;
  const EventSource work = must(loop->after(0us, [&] {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < 60ms) {
    }
    set = std::chrono::steady_clock::now();
    after_work = must(loop->after(40ms, [&] { loop->exit(0); }));
  }));
  EXPECT_EQ(run(), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - set, 40ms);
}

TEST_F(EventLoopTest, tells_of_bytes_and_then_of_the_closed_peer) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  std::vector<ssize_t> reads;
  const EventSource source = must(loop->on_readable(pipe->read.get(), [&] {
    char byte = 0;
    reads.push_back(::read(pipe->read.get(), &byte, 1));
    if (reads.back() == 0) {
      loop->exit(0);
    } else {
      pipe->write.reset();
    }
  }));
  ASSERT_EQ(::write(pipe->write.get(), "x", 1), 1);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(reads, (std::vector<ssize_t>{1, 0}));
}

TEST_F(EventLoopTest, a_callback_may_destroy_its_own_source_and_still_use_its_captures) {
  EventSource source;
  const auto witness = std::make_shared<int>(5);
  const std::weak_ptr<int> alive = witness;
  int seen = 0;
  source = must(loop->after(0us, [&, own = witness] {
    source.reset();
    seen = *own;  // a use after free if the callback were destroyed with its source
    loop->exit(0);
  }));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(seen, 5);
  EXPECT_FALSE(source);
  EXPECT_EQ(alive.use_count(), 1) << "the captures are freed when the callback has returned";
}

TEST_F(EventLoopTest, a_callback_may_replace_its_own_source) {
  EventSource source;
  int second = 0;
  source = must(loop->after(0us, [&] {
    source = must(loop->after(0us, [&] {
      ++second;
      loop->exit(0);
    }));
  }));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(second, 1);
}

TEST_F(EventLoopTest, a_callback_may_destroy_the_source_of_another_that_is_due_as_well) {
  EventSource first;
  EventSource second;
  int calls = 0;
  first = must(loop->after(0us, [&] {
    ++calls;
    second.reset();
  }));
  second = must(loop->after(0us, [&] {
    ++calls;
    first.reset();
  }));
  const EventSource end = must(loop->after(20ms, [&] { loop->exit(0); }));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(calls, 1);
}

TEST_F(EventLoopTest, a_destroyed_source_is_not_called) {
  bool called = false;
  EventSource source = must(loop->after(0us, [&] { called = true; }));
  source.reset();
  const EventSource end = must(loop->after(10ms, [&] { loop->exit(0); }));
  EXPECT_EQ(run(), 0);
  EXPECT_FALSE(called);
}

TEST_F(EventLoopTest, a_moved_source_stays_registered) {
  EventSource source = must(loop->after(0us, [&] { loop->exit(3); }));
  const EventSource moved = std::move(source);
  EXPECT_EQ(run(), 3);
}

TEST_F(EventLoopTest, delivers_a_blocked_signal) {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, &before), 0);
  {
    const EventSource source = must(loop->on_signal(SIGUSR1, [&] { loop->exit(4); }));
    ASSERT_EQ(::kill(::getpid(), SIGUSR1), 0);
    EXPECT_EQ(run(), 4);
  }
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST_F(EventLoopTest, refuses_a_descriptor_that_cannot_be_watched) {
  const auto source = loop->on_readable(-1, [] {});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace netperfd
