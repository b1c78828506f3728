// SPDX-License-Identifier: GPL-2.0-or-later
// The thread itself, with rings filled by a test. A test waits for the thread; if that never comes, only the
// time limit of the test program ends it.
#include "daemon/trace/reader_thread.hpp"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

#include "tests/unit/trace/fake_rings.hpp"

namespace netperfd::trace {
namespace {

using std::chrono::milliseconds;
using test::kSmallSubbuffer;

constexpr milliseconds kNever = std::chrono::hours{24};

void wait_until(const auto& holds) {
  while (!holds()) std::this_thread::yield();
}

// Becomes readable like a trace_pipe_raw when somebody writes to it.
class PolledFile final : public TracefsFile {
 public:
  explicit PolledFile(test::Ring& ring, int wake) : file_(ring), wake_(wake) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    std::uint64_t count = 0;
    (void)!::read(wake_, &count, sizeof count);
    return file_.read(out);
  }
  Status write(const std::string& text) override { return file_.write(text); }
  int descriptor() const override { return wake_; }

 private:
  test::RingFile file_;
  int wake_;
};

class ReaderThreadTest : public testing::Test {
 protected:
  void start(const ReaderThreadSettings& settings) {
    auto thread = ReaderThread::start(reader_, settings);
    ASSERT_TRUE(thread) << thread.error().message;
    thread_ = std::move(*thread);
  }
  std::size_t take_all(std::size_t kept = 0) {
    std::size_t bytes = 0;
    while (const auto sweep = thread_->take(kept)) bytes += sweep->bytes;
    return bytes;
  }

  std::array<test::Ring, 2> rings_;
  RingReader reader_{test::pipes_of(rings_), test::reader_settings()};
  std::unique_ptr<ReaderThread> thread_;
};

TEST_F(ReaderThreadTest, reads_every_period_while_its_owner_does_nothing) {
  start({.period = milliseconds{1}});
  for (int round = 0; round < 3; ++round) {
    rings_[0].waiting = 10;
    rings_[1].waiting = 7;
    wait_until([&] { return rings_[0].waiting == 0 && rings_[1].waiting == 0; });
  }
  thread_->end();
  EXPECT_EQ(take_all(), 3 * (10 + 7) * kSmallSubbuffer) << "each was read once, none was lost";
}

TEST_F(ReaderThreadTest, stops_reading_at_its_bound_and_goes_on_when_there_is_room) {
  rings_[0].waiting = 100;
  start({.most_bytes = 8 * kSmallSubbuffer, .period = milliseconds{1}});
  wait_until([&] { return rings_[0].waiting == 92; });
  // However much time passes, it reads no more until something is taken.
  EXPECT_EQ(rings_[0].reads, 8U);
  const auto first = thread_->take(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes, 4 * kSmallSubbuffer);
  EXPECT_EQ(rings_[0].waiting, 92U) << "what was taken is still kept";
  // Data kept by its owner counts as well.
  wait_until([&] { return thread_->take(4 * kSmallSubbuffer).has_value(); });
  wait_until([&] {
    (void)thread_->take(0);
    return rings_[0].waiting == 0;
  });
}

TEST_F(ReaderThreadTest, ends_at_once_whatever_it_waits_for) {
  start({.period = kNever, .short_period = kNever});
  thread_->end();
  EXPECT_EQ(rings_[0].reads, 0U);
  thread_->end();
  start({.most_bytes = 0, .period = kNever});
  thread_.reset();
  EXPECT_TRUE(rings_[0].open) << "the pipes are its owner's";
}

TEST_F(ReaderThreadTest, ends_though_a_ring_never_becomes_empty) {
  rings_[0].endless = true;
  rings_[0].waiting = 1;
  start({.period = milliseconds{1}});
  wait_until([&] { return rings_[0].reads > 10; });
  thread_->end();
  const std::size_t reads = rings_[0].reads;
  EXPECT_GT(take_all(), 0U);
  EXPECT_EQ(rings_[0].reads, reads);
}

TEST_F(ReaderThreadTest, wakes_up_when_a_ring_fills) {
  const Fd wake{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::vector<RingPipe> pipes;
  pipes.push_back({0, std::make_unique<PolledFile>(rings_[0], wake.get())});
  RingReader reader(std::move(pipes), test::reader_settings());
  auto thread = ReaderThread::start(reader, {.period = kNever, .short_period = kNever});
  ASSERT_TRUE(thread);
  constexpr std::uint64_t kOne = 1;
  for (int round = 0; round < 3; ++round) {
    rings_[0].waiting = 2;
    ASSERT_EQ(::write(wake.get(), &kOne, sizeof kOne), ssize_t{sizeof kOne});
    wait_until([&] { return rings_[0].waiting == 0; });
  }
}

// Simulates a kernel without the watermark.
TEST_F(ReaderThreadTest, goes_by_the_timer_where_rings_wake_it_for_little) {
  const Fd wake{::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::vector<RingPipe> pipes;
  pipes.push_back({0, std::make_unique<PolledFile>(rings_[0], wake.get())});
  RingReader reader(std::move(pipes), test::reader_settings());
  auto thread = ReaderThread::start(
      reader, {.period = kNever, .short_period = milliseconds{1}, .ring_bytes = 1000 * kSmallSubbuffer});
  ASSERT_TRUE(thread);
  wait_until([&] { return rings_[0].reads > 0; });
  rings_[0].waiting = 50;
  wait_until([&] { return rings_[0].waiting == 0; });
}

}  // namespace
}  // namespace netperfd::trace
