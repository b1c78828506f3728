// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace netperfd::echo {
namespace {

// Work for one sender before others have their turn.
constexpr int kDatagramsAtOnce = 64;
constexpr int kCallsAtOnce = 48;  // three for a message

Ns now_monotonic() {
  return read_clocks().monotonic;
}

// All addresses: of both families where the kernel has IPv6.
Result<Address> address_to_bind(const ServeOptions& options) {
  if (!options.bind.empty()) return resolve(options.bind, options.port, AF_UNSPEC);
  if (open_socket(AF_INET6, SOCK_DGRAM, 0)) return resolve("::", options.port, AF_INET6);
  return resolve("0.0.0.0", options.port, AF_INET);
}

Result<Fd> open_datagrams(const Address& address) {
  auto socket = open_socket(address.family(), SOCK_DGRAM, 0);
  if (!socket) return socket;
  // What is not supported for one family is not needed for it: these tell the address and the DSCP of a
  // request.
  for (const int option : {IP_PKTINFO, IP_RECVTOS}) (void)set_option(*socket, IPPROTO_IP, option, 1, "IP");
  if (address.family() == AF_INET6) {
    for (const int option : {IPV6_RECVPKTINFO, IPV6_RECVTCLASS})
      (void)set_option(*socket, IPPROTO_IPV6, option, 1, "IPv6");
  }
  if (auto done = enable_stamps(*socket, false); !done) return std::unexpected(std::move(done.error()));
  if (auto done = bind_socket(*socket, address); !done) return std::unexpected(std::move(done.error()));
  return socket;
}

Result<Fd> open_listener(const Address& address) {
  auto socket = open_socket(address.family(), SOCK_STREAM, 0);
  if (!socket) return socket;
  if (auto done = set_option(*socket, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"); !done)
    return std::unexpected(std::move(done.error()));
  if (auto done = bind_socket(*socket, address); !done) return std::unexpected(std::move(done.error()));
  if (::listen(socket->get(), kMostConnections) != 0) return fail_errno("listen", errno);
  return socket;
}

template <class T>
void add_control(msghdr& header, std::size_t& used, int level, int type, const T& value) {
  auto* const part = reinterpret_cast<cmsghdr*>(static_cast<std::byte*>(header.msg_control) + used);
  part->cmsg_level = level;
  part->cmsg_type = type;
  part->cmsg_len = CMSG_LEN(sizeof value);
  std::memcpy(CMSG_DATA(part), &value, sizeof value);
  used += CMSG_SPACE(sizeof value);
}

template <class T>
T control_value(const cmsghdr& part) {
  T value{};
  std::memcpy(&value, CMSG_DATA(&part),
              std::min(sizeof value, static_cast<std::size_t>(part.cmsg_len - CMSG_LEN(0))));
  return value;
}

// From the address that the request was sent to, with the DSCP that it had. The header's own control messages
// are replaced. False: it was sent to many hosts at once, and is not answered.
bool add_controls(msghdr& request, msghdr& reply) {
  std::size_t used = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&request); part != nullptr; part = CMSG_NXTHDR(&request, part)) {
    if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
      auto info = control_value<in_pktinfo>(*part);
      if (info.ipi_addr.s_addr != info.ipi_spec_dst.s_addr) return false;
      info.ipi_ifindex = 0;  // as the routes say
      add_control(reply, used, IPPROTO_IP, IP_PKTINFO, info);
    } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
      auto info = control_value<in6_pktinfo>(*part);
      if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr)) return false;
      if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
      add_control(reply, used, IPPROTO_IPV6, IPV6_PKTINFO, info);
    } else if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_TOS) {
      add_control(reply, used, IPPROTO_IP, IP_TOS, control_value<std::uint8_t>(*part) & 0xfc);
    } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_TCLASS) {
      add_control(reply, used, IPPROTO_IPV6, IPV6_TCLASS, control_value<int>(*part) & 0xfc);
    }
  }
  reply.msg_controllen = used;
  if (used == 0) reply.msg_control = nullptr;
  return true;
}

}  // namespace

Server::Server(Fd datagrams, Fd listener)
    : datagrams_(std::move(datagrams)), listener_(std::move(listener)), boot_id_(read_boot_id()) {}

Result<Server> Server::open(const ServeOptions& options) {
  const auto wanted = address_to_bind(options);
  if (!wanted) return std::unexpected(wanted.error());
  // Of port 0 the kernel chooses a free one for UDP, which may be taken for TCP.
  for (int attempt = 0;; ++attempt) {
    auto datagrams = open_datagrams(*wanted);
    if (!datagrams) return std::unexpected(std::move(datagrams.error()));
    auto listener = open_listener(local_address(*datagrams));
    if (listener) return Server(std::move(*datagrams), std::move(*listener));
    if (options.port != 0 || attempt == 20) return std::unexpected(std::move(listener.error()));
  }
}

Status Server::run(const Fd& stop) {
  std::vector<pollfd> polled;
  for (;;) {
    polled.assign({{.fd = stop.get(), .events = POLLIN, .revents = 0},
                   {.fd = datagrams_.get(), .events = POLLIN, .revents = 0},
                   {.fd = accepting_ ? listener_.get() : -1, .events = POLLIN, .revents = 0}});
    for (const auto& connection : connections_) {
      const short events = connection->out.empty() ? POLLIN : POLLOUT;
      polled.push_back({.fd = connection->socket.get(), .events = events, .revents = 0});
    }
    const timespec longest{.tv_sec = accepting_ ? kIdle / kSecond : 1, .tv_nsec = 0};
    const bool nothing_to_wait_for = accepting_ && connections_.empty();
    if (::ppoll(polled.data(), polled.size(), nothing_to_wait_for ? nullptr : &longest, nullptr) < 0 &&
        errno != EINTR)
      return fail_errno("ppoll", errno);
    if (polled[0].revents != 0) return {};
    const Ns now = now_monotonic();
    accepting_ = true;
    if (polled[1].revents != 0) answer_datagrams();
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (polled[i + 3].revents != 0) serve(*connections_[i], now);
    }
    close_idle(now);
    if (polled[2].revents != 0) accept_connections(now);
  }
}

void Server::answer_datagrams() {
  std::array<std::byte, kLongest + 1> buffer;
  Received request;
  for (int i = 0; i < kDatagramsAtOnce; ++i) {
    if (receive(datagrams_, buffer, 0, request)) {
      answer(request);
    } else if (request.error_number == EAGAIN) {
      return;
    }
  }
}

void Server::answer(Received& request) {
  if (request.truncated) return;
  alignas(cmsghdr) std::array<std::byte, 256> control{};
  iovec part{.iov_base = request.bytes.data(), .iov_len = request.bytes.size()};
  msghdr reply{};
  reply.msg_name = &request.from.storage;
  reply.msg_namelen = request.from.length;
  reply.msg_iov = &part;
  reply.msg_iovlen = 1;
  reply.msg_control = control.data();
  const Ns sent = read_clocks().wall;
  if (!make_reply(request.bytes, {.arrival = request.stamps.kernel.value_or(sent), .sent = sent}, boot_id_))
    return;
  if (!add_controls(request.header, reply)) return;
  // Without room for it, the reply is lost like any datagram.
  (void)::sendmsg(datagrams_.get(), &reply, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Server::accept_connections(Ns now) {
  for (std::size_t i = 0; i < kMostConnections; ++i) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      accepting_ = errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
      return;
    }
    if (connections_.size() >= kMostConnections) continue;  // closes it
    const bool ready =
        set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY") && enable_stamps(socket, false);
    if (!ready) continue;
    connections_.push_back(std::make_unique<Connection>());
    connections_.back()->socket = std::move(socket);
    connections_.back()->last_message = now;
  }
}

void Server::serve(Connection& connection, Ns now) {
  for (int i = 0; i < kCallsAtOnce; ++i) {
    if (!serve_message(connection, now)) return;
  }
}

// False: it must wait for the socket, or is closed.
bool Server::serve_message(Connection& connection, Ns now) {
  if (!connection.out.empty()) {
    const auto rest = connection.out.rest();
    const ssize_t written =
        ::send(connection.socket.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0) {
      connection.closed = errno != EAGAIN;
      return false;
    }
    connection.out.wrote(static_cast<std::size_t>(written));
    return connection.out.empty();
  }
  Received received;
  if (!receive(connection.socket, connection.in.wanted(), 0, received)) {
    connection.closed = received.error_number != EAGAIN;
    return false;
  }
  const auto state = connection.in.took(received.bytes.size());
  connection.closed = received.bytes.empty() || state == MessageStream::State::bad;
  if (connection.closed) return false;
  if (state == MessageStream::State::partial) return true;

  const auto message = connection.in.message();
  const Ns sent = read_clocks().wall;
  connection.closed =
      !make_reply(message, {.arrival = received.stamps.kernel.value_or(sent), .sent = sent}, boot_id_);
  if (connection.closed) return false;
  if (decode(message)->type == Type::hello_reply && dscp_of(message) != 0)
    (void)set_dscp(connection.socket, local_address(connection.socket).family(), dscp_of(message));
  connection.last_message = now;
  connection.out.keep(message, 0);
  connection.in.next();
  return true;
}

void Server::close_idle(Ns now) {
  std::erase_if(connections_, [now](const auto& connection) {
    return connection->closed || now - connection->last_message > kIdle;
  });
}

}  // namespace netperfd::echo
