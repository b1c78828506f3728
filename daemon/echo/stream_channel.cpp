// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "daemon/echo/channel.hpp"
#include "daemon/echo/stream.hpp"

namespace netperfd::echo {
namespace {

constexpr std::size_t kReadsAtOnce = 2048;

// TCP: requests follow one another, whether or not earlier ones were answered.
class StreamChannel final : public Channel {
 public:
  explicit StreamChannel(const Setup& setup) : Channel(setup) {}

  [[nodiscard]] Status greet(const Patience& patience) override;
  [[nodiscard]] Result<std::optional<Clocks>> send(std::uint32_t sequence) override;
  [[nodiscard]] Status receive(RequestTracker& tracker) override;
  [[nodiscard]] short events() const override {
    return pending_.empty() ? POLLIN : static_cast<short>(POLLIN | POLLOUT);
  }

 private:
  [[nodiscard]] Status try_greeting(const Patience& patience, Ns end);
  [[nodiscard]] Status exchange_greeting(const std::function<Status(short)>& wait);
  [[nodiscard]] Status flush();
  [[nodiscard]] std::unexpected<Error> broken(int error_number) const;

  MessageStream in_;
  PendingBytes pending_;
  Received received_;
};

Status StreamChannel::greet(const Patience& patience) {
  const Ns end = read_clocks().monotonic + patience.timeout;
  const Fd nothing;
  std::string refusal;
  for (;;) {
    const auto done = try_greeting(patience, end);
    if (done || done.error().kind == ErrorKind::not_running) return done;
    // Refused, perhaps because the server is only about to start. The last attempt may have had no time for
    // it.
    if (!done.error().message.starts_with("no answer")) refusal = done.error().message;
    const Ns now = read_clocks().monotonic;
    if (now >= end && refusal.empty()) return done;
    if (now >= end)
      return fail(ErrorKind::io, fmt::format("{} ({})", no_answer(patience).error().message, refusal));
    if (wait_for(nothing, 0, patience.stop, std::min(now + kRepeatGreeting, end)) == Wait::stopped)
      return fail(ErrorKind::not_running, "stopped before the server answered");
  }
}

Status StreamChannel::try_greeting(const Patience& patience, Ns end) {
  if (auto begun = connect(SOCK_STREAM, 0, false); !begun) return begun;
  const auto wait = [&](short events) -> Status {
    const Wait how = wait_for(socket(), events, patience.stop, end);
    if (how == Wait::stopped) return fail(ErrorKind::not_running, "stopped before the server answered");
    if (how == Wait::time) return no_answer(patience);
    return {};
  };
  if (auto ready = wait(POLLOUT); !ready) return ready;
  for (int greetings = 0;; ++greetings) {
    if (auto greeted = exchange_greeting(wait); !greeted) return greeted;
    if (received_.stamps.kernel || greetings == kMostGreetings) return {};
    const Ns later = read_clocks().monotonic + kUntilStamps;
    if (wait_for(Fd(), 0, patience.stop, later) == Wait::stopped)
      return fail(ErrorKind::not_running, "stopped before the server answered");
  }
}

Status StreamChannel::exchange_greeting(const std::function<Status(short)>& wait) {
  const Clocks first_sent = read_clocks();
  const auto greeting = hello(0);
  // The connection has room for so little. An error of connecting is returned here.
  if (::send(socket().get(), greeting.data(), greeting.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    return broken(errno);
  in_.next();
  for (auto state = MessageStream::State::partial; state == MessageStream::State::partial;) {
    if (auto ready = wait(POLLIN); !ready) return ready;
    if (netperfd::echo::receive(socket(), in_.wanted(), 0, received_)) {
      state = in_.took(received_.bytes.size());
      if (received_.bytes.empty() || state == MessageStream::State::bad) return broken(0);
    } else if (received_.error_number != EAGAIN) {
      return broken(received_.error_number);
    }
  }
  if (!take_hello_reply(in_.message(), first_sent)) return broken(0);
  in_.next();
  return {};
}

std::unexpected<Error> StreamChannel::broken(int error_number) const {
  const auto server = fmt::format("{} port {} (tcp)", setup().server.text(), setup().server.port());
  if (error_number == 0) return fail(ErrorKind::io, server + " closed the connection");
  return fail_errno(server, error_number);
}

// The rest of a request that there was no room for.
Status StreamChannel::flush() {
  while (!pending_.empty()) {
    const auto rest = pending_.rest();
    const ssize_t written = ::send(socket().get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == EAGAIN) return {};
    if (written < 0) return broken(errno);
    pending_.wrote(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::optional<Clocks>> StreamChannel::send(std::uint32_t sequence) {
  if (auto done = flush(); !done) return std::unexpected(std::move(done.error()));
  if (!pending_.empty()) return std::optional<Clocks>{};
  const auto bytes = request(sequence);
  const Clocks clocks = read_clocks();
  const ssize_t written = ::send(socket().get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (written < 0 && errno == EAGAIN) return std::optional<Clocks>{};
  if (written < 0) return broken(errno);
  pending_.keep(bytes, static_cast<std::size_t>(written));
  return std::optional{clocks};
}

Status StreamChannel::receive(RequestTracker& tracker) {
  if (auto done = flush(); !done) return done;
  std::vector<RequestTracker::Answer> answers;
  for (std::size_t i = 0; i < kReadsAtOnce; ++i) {
    if (!netperfd::echo::receive(socket(), in_.wanted(), 0, received_)) {
      if (received_.error_number != EAGAIN) return broken(received_.error_number);
      break;
    }
    if (received_.bytes.empty()) return broken(0);
    const auto state = in_.took(received_.bytes.size());
    if (state == MessageStream::State::partial) continue;
    if (state == MessageStream::State::bad)
      return fail(ErrorKind::io, "what the server sends over TCP is not an answer");
    received_.bytes = in_.message();
    take_reply(received_, answers, tracker);
    in_.next();
  }
  for (const RequestTracker::Answer& answer : answers) tracker.answered(answer);
  return {};
}

}  // namespace

std::unique_ptr<Channel> make_stream_channel(const Channel::Setup& setup) {
  return std::make_unique<StreamChannel>(setup);
}

}  // namespace netperfd::echo
