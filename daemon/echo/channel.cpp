// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/channel.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace netperfd::echo {
namespace {

Result<std::string> allowed_groups() {
  auto text = read_file("/proc/sys/net/ipv4/ping_group_range", 100);
  if (text) std::ranges::replace(*text, '\t', ' ');
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

std::unexpected<Error> no_ping_socket(const Error& error) {
  return fail(
      ErrorKind::access_denied,
      fmt::format("ICMP is not allowed to this user's groups ({}): net.ipv4.ping_group_range is \"{}\"; "
                  "sysctl -w net.ipv4.ping_group_range=\"0 2147483647\" allows it to all",
                  error.message, allowed_groups().value_or("unknown")));
}

}  // namespace

Wait wait_for(const Fd& socket, short events, const Fd& stop, Ns until) {
  for (;;) {
    const Ns left = std::max(until - read_clocks().monotonic, Ns{0});
    std::array<pollfd, 2> polled{{{.fd = socket.get(), .events = events, .revents = 0},
                                  {.fd = stop.get(), .events = POLLIN, .revents = 0}}};
    const timespec longest{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
    const int ready = ::ppoll(polled.data(), polled.size(), &longest, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (polled[1].revents != 0) return Wait::stopped;
    return ready > 0 ? Wait::ready : Wait::time;
  }
}

Channel::Channel(const Setup& setup) : setup_(setup), request_(setup_.probe.length) {
  fill(setup_.session, request_);
  encode({.type = Type::request,
          .length = static_cast<std::uint16_t>(request_.size()),
          .session = setup_.session,
          .sequence = 0},
         request_);
}

Result<std::unique_ptr<Channel>> Channel::open(const Setup& setup) {
  const Protocol protocol = setup.probe.protocol;
  const bool six = setup.server.family() == AF_INET6;
  if (protocol == Protocol::tcp) return make_stream_channel(setup);
  auto channel = make_datagram_channel(setup);
  const int number = protocol == Protocol::udp ? 0 : six ? int{IPPROTO_ICMPV6} : int{IPPROTO_ICMP};
  auto connected = channel->connect(SOCK_DGRAM, number, true);
  if (!connected) return std::unexpected(std::move(connected.error()));
  return channel;
}

Status Channel::connect(int type, int protocol, bool stamp_sent) {
  const int family = setup_.server.family();
  auto socket = open_socket(family, type, protocol);
  if (!socket && errno == EACCES && protocol != 0) return no_ping_socket(socket.error());
  if (!socket) return std::unexpected(std::move(socket.error()));
  Status done = enable_stamps(*socket, stamp_sent);
  if (done && type == SOCK_STREAM) done = set_option(*socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (done && setup_.probe.dscp) done = set_dscp(*socket, family, *setup_.probe.dscp);
  if (done && setup_.bind) done = bind_socket(*socket, *setup_.bind);
  if (!done) return done;
  // Answers and times that arrive while this program does not run; less than this is no failure.
  (void)set_option(*socket, SOL_SOCKET, SO_RCVBUF, 1 << 20, "SO_RCVBUF");
  if (::connect(socket->get(), setup_.server.get(), setup_.server.length) != 0 && errno != EINPROGRESS)
    return fail_errno(fmt::format("{} port {}", setup_.server.text(), setup_.server.port()), errno);
  socket_ = std::move(*socket);
  return {};
}

short Channel::events() const {
  return POLLIN;
}

std::span<const std::byte> Channel::request(std::uint32_t sequence) {
  encode({.type = Type::request,
          .length = static_cast<std::uint16_t>(request_.size()),
          .session = setup_.session,
          .sequence = sequence},
         request_);
  return request_;
}

std::vector<std::byte> Channel::hello(std::uint32_t attempt) const {
  std::vector<std::byte> bytes(kHelloLength);
  encode({.type = Type::hello, .length = kHelloLength, .session = setup_.session, .sequence = attempt},
         bytes);
  encode_dscp(static_cast<std::uint8_t>(setup_.probe.dscp.value_or(0)), bytes);
  return bytes;
}

bool Channel::take_hello_reply(std::span<const std::byte> bytes, const Clocks& first_sent) {
  if (setup_.probe.protocol == Protocol::icmp) {  // the greeting itself comes back
    const auto echoed = decode(bytes);
    return echoed && echoed->type == Type::hello && echoed->session == setup_.session;
  }
  const auto reply = decode_reply(bytes);
  if (!reply || reply->header.type != Type::hello_reply || reply->header.session != setup_.session)
    return false;
  // Copies of a virtual machine may have one boot id and different clocks.
  const Ns arrival = reply->far.arrival;
  const bool plausible =
      arrival > first_sent.wall - kMillisecond && arrival < read_clocks().wall + kMillisecond;
  same_clock_ = plausible && boot_id_of(bytes) == read_boot_id();
  return true;
}

std::unexpected<Error> Channel::no_answer(const Patience& patience) const {
  const double seconds = static_cast<double>(patience.timeout) / 1e9;
  const Address& server = setup_.server;
  if (setup_.probe.protocol == Protocol::icmp)
    return fail(ErrorKind::io, fmt::format("no answer from {} (icmp) within {} s", server.text(), seconds));
  return fail(ErrorKind::io,
              fmt::format("no answer from {} port {} ({}) within {} s: is netperfd-echo running there?",
                          server.text(), server.port(), protocol_name(setup_.probe.protocol), seconds));
}

void Channel::take_reply(const Received& received, std::vector<RequestTracker::Answer>& answers,
                         RequestTracker& tracker) const {
  // The kernel's answer to a ping is the request itself.
  const bool icmp = setup_.probe.protocol == Protocol::icmp;
  std::optional<Reply> reply;
  if (icmp) {
    const auto echoed = received.truncated ? std::nullopt : decode(received.bytes);
    if (echoed && (echoed->type == Type::request || echoed->type == Type::hello))
      reply = {.header = *echoed, .far = {}};
  } else if (!received.truncated) {
    reply = decode_reply(received.bytes);
  }
  const bool greets = reply && (reply->header.type == Type::hello_reply || reply->header.type == Type::hello);
  if (!reply || reply->header.session != setup_.session ||
      reply->header.length != (greets ? kHelloLength : request_.size())) {
    tracker.foreign();
    return;
  }
  if (greets) return;  // of a greeting that was repeated
  answers.push_back({.sequence = reply->header.sequence,
                     .read = read_clocks(),
                     .arrived = received.stamps,
                     .far = same_clock_ && !icmp ? std::optional(reply->far) : std::nullopt});
}

}  // namespace netperfd::echo
