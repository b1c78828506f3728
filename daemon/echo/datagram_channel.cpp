// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/echo/channel.hpp"
#include "daemon/echo/ping.hpp"

namespace netperfd::echo {
namespace {

// Answers and times of sent packets that are taken before it is time to send again.
constexpr std::size_t kAtOnce = 1024;

// UDP, and ICMP by the kernel's ping sockets.
class DatagramChannel final : public Channel {
 public:
  explicit DatagramChannel(const Setup& setup) : Channel(setup) {}

  [[nodiscard]] Status greet(const Patience& patience) override;
  [[nodiscard]] Result<std::optional<Clocks>> send(std::uint32_t sequence) override;
  [[nodiscard]] Status receive(RequestTracker& tracker) override;

 private:
  [[nodiscard]] bool icmp() const { return setup().probe.protocol == Protocol::icmp; }
  [[nodiscard]] bool receive_packet();
  // As it is sent: with a header of ICMP, if it needs one.
  [[nodiscard]] std::span<const std::byte> packet(std::span<const std::byte> message, std::uint32_t sequence);
  [[nodiscard]] bool send_bytes(std::span<const std::byte> bytes);
  void receive_departures(RequestTracker& tracker);

  std::array<std::byte, kLongest + 200> buffer_{};  // a packet that comes back has headers
  std::array<std::byte, kPingHeader + kLongest> ping_{};
  Received received_;
  std::vector<RequestTracker::Answer> answers_;
};

Status DatagramChannel::greet(const Patience& patience) {
  const Clocks first_sent = read_clocks();
  const Ns end = first_sent.monotonic + patience.timeout;
  int answers = 0;
  for (std::uint32_t attempt = 0; answers < kMostGreetings; ++attempt) {
    const Ns now = read_clocks().monotonic;
    if (now >= end) return answers > 0 ? Status{} : no_answer(patience);
    (void)send_bytes(packet(hello(attempt), attempt));
    Ns repeat = std::min(now + kRepeatGreeting, end);
    for (Wait wait = Wait::ready; wait == Wait::ready;) {
      wait = wait_for(socket(), POLLIN, patience.stop, repeat);
      if (wait == Wait::stopped) return fail(ErrorKind::not_running, "stopped before the server answered");
      while (netperfd::echo::receive(socket(), buffer_, MSG_ERRQUEUE, received_)) continue;
      while (receive_packet()) {
        if (!take_hello_reply(received_.bytes, first_sent)) continue;
        if (received_.stamps.kernel) return {};
        ++answers;
        repeat = std::min(repeat, read_clocks().monotonic + kUntilStamps);
      }
    }
  }
  return {};
}

bool DatagramChannel::receive_packet() {
  if (!netperfd::echo::receive(socket(), buffer_, 0, received_)) return false;
  if (icmp()) received_.bytes = ping_payload(received_.bytes, setup().server.family() == AF_INET6);
  return true;
}

std::span<const std::byte> DatagramChannel::packet(std::span<const std::byte> message,
                                                   std::uint32_t sequence) {
  if (!icmp()) return message;
  return make_ping(message, setup().server.family() == AF_INET6, sequence, ping_);
}

bool DatagramChannel::send_bytes(std::span<const std::byte> bytes) {
  // The first attempt may return the error of an earlier packet, such as that nobody listened.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (::send(socket().get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return true;
    if (errno == EAGAIN || errno == ENOBUFS) return false;
  }
  return false;
}

Result<std::optional<Clocks>> DatagramChannel::send(std::uint32_t sequence) {
  const auto bytes = packet(request(sequence), sequence);
  const Clocks clocks = read_clocks();
  if (!send_bytes(bytes)) return std::optional<Clocks>{};
  return std::optional{clocks};
}

Status DatagramChannel::receive(RequestTracker& tracker) {
  answers_.clear();
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    if (receive_packet()) {
      take_reply(received_, answers_, tracker);
    } else if (received_.error_number == EAGAIN) {
      break;
    }
  }
  // After the answers were taken out: what they answer has left by now, and its time counts before its answer
  // does.
  receive_departures(tracker);
  for (const RequestTracker::Answer& answer : answers_) tracker.answered(answer);
  return {};
}

void DatagramChannel::receive_departures(RequestTracker& tracker) {
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    if (!netperfd::echo::receive(socket(), buffer_, MSG_ERRQUEUE, received_)) return;
    const auto sent = find_request(received_.bytes, setup().session);
    if (sent) tracker.left(sent->sequence, received_.stamps, read_clocks());
  }
}

}  // namespace

std::unique_ptr<Channel> make_datagram_channel(const Channel::Setup& setup) {
  return std::make_unique<DatagramChannel>(setup);
}

}  // namespace netperfd::echo
