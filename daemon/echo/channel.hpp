// SPDX-License-Identifier: GPL-2.0-or-later
// The socket of one probe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/echo/options.hpp"
#include "daemon/echo/request_tracker.hpp"
#include "daemon/echo/sockets.hpp"

namespace netperfd::echo {

class Channel {
 public:
  // What all protocols need to begin.
  struct Setup {
    ProbeSpec probe;
    Address server;
    std::optional<Address> bind;
    std::uint64_t session = 0;
  };
  // Until when a server must have answered the greeting, and what ends the wait for it before.
  struct Patience {
    Ns timeout = 0;
    const Fd& stop;
  };

  [[nodiscard]] static Result<std::unique_ptr<Channel>> open(const Setup& setup);
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Waits for the answer to a greeting. Afterwards the channel knows whether the server has the same clock.
  [[nodiscard]] virtual Status greet(const Patience& patience) = 0;
  // The time right before it was sent; absent if the socket has no room for it.
  [[nodiscard]] virtual Result<std::optional<Clocks>> send(std::uint32_t sequence) = 0;
  // Tells the tracker all that the socket has.
  [[nodiscard]] virtual Status receive(RequestTracker& tracker) = 0;
  [[nodiscard]] virtual short events() const;

  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] Address local() const { return local_address(socket_); }
  [[nodiscard]] const Address& server() const { return setup_.server; }
  [[nodiscard]] bool same_clock() const { return same_clock_; }

 protected:
  explicit Channel(const Setup& setup);

  // A socket with the options of the probe, connected or connecting.
  [[nodiscard]] Status connect(int type, int protocol, bool stamp_sent);
  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] const Fd& socket() const { return socket_; }
  // The request, all of it, with this sequence.
  [[nodiscard]] std::span<const std::byte> request(std::uint32_t sequence);
  [[nodiscard]] std::vector<std::byte> hello(std::uint32_t attempt) const;
  // True: `bytes` answer a greeting that was sent after `first_sent`.
  [[nodiscard]] bool take_hello_reply(std::span<const std::byte> bytes, const Clocks& first_sent);
  [[nodiscard]] std::unexpected<Error> no_answer(const Patience& patience) const;
  // Adds what `bytes` answer to `answers`, else to the tracker's foreign packets.
  void take_reply(const Received& received, std::vector<RequestTracker::Answer>& answers,
                  RequestTracker& tracker) const;

 private:
  Setup setup_;
  Fd socket_;
  std::vector<std::byte> request_;
  bool same_clock_ = false;
};

inline constexpr Ns kRepeatGreeting = 250 * kMillisecond;
// The kernel begins to take times a moment after it was asked to. Until an answer has one, greetings are
// repeated.
inline constexpr Ns kUntilStamps = 10 * kMillisecond;
inline constexpr int kMostGreetings = 5;

// How a wait ended.
enum class Wait : std::uint8_t { ready, time, stopped };
[[nodiscard]] Wait wait_for(const Fd& socket, short events, const Fd& stop, Ns until);

[[nodiscard]] std::unique_ptr<Channel> make_datagram_channel(const Channel::Setup& setup);
[[nodiscard]] std::unique_ptr<Channel> make_stream_channel(const Channel::Setup& setup);

}  // namespace netperfd::echo
