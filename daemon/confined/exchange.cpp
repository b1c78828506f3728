// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/confined/exchange.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace netperfd::confined {
namespace {

// Maximum bytes to read per turn of the loop.
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
// To decode more takes longer than a turn should.
constexpr std::size_t kLongAnswer = std::size_t{256} << 10;

}  // namespace

Result<std::shared_ptr<Exchange>> Exchange::begin(EventLoop& loop, Endings& endings, Process process,
                                                  Fd answer, const Limits& limits, Done done, Work work) {
  std::shared_ptr<Exchange> exchange{new Exchange(loop, endings, std::move(process), std::move(answer),
                                                  limits, std::move(done), std::move(work))};
  if (auto watched = exchange->watch(); !watched) return std::unexpected(std::move(watched.error()));
  return exchange;
}

Exchange::Exchange(EventLoop& loop, Endings& endings, Process process, Fd answer, const Limits& limits,
                   Done done, Work work)
    : loop_(loop),
      endings_(endings),
      limits_(limits),
      process_(std::move(process)),
      answer_(std::move(answer)),
      done_(std::move(done)),
      work_(std::move(work)) {}

Status Exchange::watch() {
  auto readable = loop_.on_readable(answer_.get(), [this] { on_answer(); });
  if (!readable) return std::unexpected(std::move(readable.error()));
  readable_ = std::move(*readable);
  auto exit = loop_.on_readable(process_->pidfd().get(), [this] { on_exit(); });
  if (!exit) return std::unexpected(std::move(exit.error()));
  exit_ = std::move(*exit);
  auto timer = loop_.after(limits_.deadline, [this] { give({How::was_late, 0, {}}); });
  if (!timer) return std::unexpected(std::move(timer.error()));
  timer_ = std::move(*timer);
  return {};
}

void Exchange::cancel() {
  for (EventSource* source : {&readable_, &exit_, &timer_, &worked_}) source->reset();
  if (process_) endings_.take(std::move(*process_));
  process_.reset();
  answer_.reset();
  done_ = nullptr;
  working_.reset();
}

// Returns false if no more data is available now.
bool Exchange::read_more() {
  std::array<char, kReadBytes> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  const ssize_t got = ::read(answer_.get(), chunk.data(), chunk.size());
  if (got <= 0) {
    at_end_ = got == 0 || (errno != EAGAIN && errno != EINTR);
    return false;
  }
  bytes_.append(chunk.data(), static_cast<std::size_t>(got));
  return !is_too_long();
}

void Exchange::on_answer() {
  if (!read_more() && at_end_) readable_.reset();
  if (is_too_long()) give({How::said_much, 0, {}});
}

void Exchange::on_exit() {
  const auto end = process_->reap();
  if (!end.ended) return;
  while (read_more()) {
  }
  if (is_too_long()) {
    give({How::said_much, 0, {}});
  } else if (end.signal_number != 0) {
    give({How::was_killed, end.signal_number, {}});
  } else if (end.exit_code != 0) {
    give({How::gave_up, end.exit_code, {}});
  } else {
    give({How::answered, 0, std::move(bytes_)});
  }
}

// Whether it is under way; then `end` was taken.
bool Exchange::work_in_thread(End& end) {
  auto working = std::make_shared<Working>(Working{std::move(end), work_, Fd{::eventfd(0, EFD_CLOEXEC)}});
  if (working->done) {
    auto worked = loop_.on_readable(working->done.get(), [this] { give(std::move(working_->end)); });
    try {
      if (worked) {
        std::thread([working] {
          working->work(working->end);
          (void)::eventfd_write(working->done.get(), 1);
        }).detach();
        worked_ = std::move(*worked);
        working_ = std::move(working);
        work_ = nullptr;
        return true;
      }
    } catch (const std::system_error&) {  // no thread can be had
    }
  }
  end = std::move(working->end);
  return false;
}

// Last use of this object: the owner may destroy it inside the call.
void Exchange::give(End end) {
  if (work_ && end.answer.size() > kLongAnswer && work_in_thread(end)) {
    for (EventSource* source : {&readable_, &exit_, &timer_}) source->reset();
    return;
  }
  if (work_) work_(end);
  const auto done = std::move(done_);
  cancel();
  done(std::move(end));
}

}  // namespace netperfd::confined
