// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/server.hpp"

#include <linux/filter.h>
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

// The kernel drops datagrams of other sessions, so that they take no room in the socket's buffer. The filter
// sees the header of UDP before the message.
Status drop_other_sessions(const Fd& socket, std::uint64_t session) {
  constexpr std::uint32_t kMessageAt = 8, kAll = ~0U;
  const auto high = static_cast<std::uint32_t>(session >> 32U);
  const auto low = static_cast<std::uint32_t>(first_session(session));
  std::array code{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kMessageAt + kSessionAt),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 4),
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kMessageAt + kSessionAt + 4),
      sock_filter BPF_STMT(BPF_ALU | BPF_AND | BPF_K, static_cast<std::uint32_t>(first_session(kAll))),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, low, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, kAll),
      sock_filter BPF_STMT(BPF_RET | BPF_K, 0)};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
    return fail_errno("SO_ATTACH_FILTER", errno);
  return {};
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

Origin origin_of(const Address& address) {
  Origin source{};
  if (address.family() == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.storage, sizeof v4);
    std::memcpy(source.data() + source.size() - sizeof v4.sin_addr, &v4.sin_addr, sizeof v4.sin_addr);
    return source;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address.storage, sizeof v6);
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
  const std::size_t at = mapped ? source.size() - sizeof(in_addr) : 0;
  std::memcpy(source.data() + at, &v6.sin6_addr.s6_addr[at], mapped ? sizeof(in_addr) : source.size() / 2);
  return source;
}

Server::Server(Fd datagrams, Fd listener, std::optional<std::uint64_t> session)
    : datagrams_(std::move(datagrams)),
      listener_(std::move(listener)),
      boot_id_(read_boot_id()),
      session_(session) {}

Result<Server> Server::open(const ServeOptions& options) {
  const auto wanted = address_to_bind(options);
  if (!wanted) return std::unexpected(wanted.error());
  // Of port 0 the kernel chooses a free one for UDP, which may be taken for TCP.
  for (int attempt = 0;; ++attempt) {
    auto datagrams = open_datagrams(*wanted);
    if (!datagrams) return std::unexpected(std::move(datagrams.error()));
    auto listener = open_listener(local_address(*datagrams));
    if (listener) {
      if (options.session) {
        if (auto done = drop_other_sessions(*datagrams, *options.session); !done)
          return std::unexpected(std::move(done.error()));
      }
      return Server(std::move(*datagrams), std::move(*listener), options.session);
    }
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
    const bool soon = !accepting_ || count(true) > 0;
    const timespec longest{.tv_sec = soon ? 1 : kIdle / kSecond, .tv_nsec = 0};
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
    if (polled[2].revents != 0) accept_connections(now);
    close_idle(now);
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
    Address from;
    from.length = sizeof from.storage;
    Fd socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from.storage), &from.length,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      accepting_ = errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
      return;
    }
    begin(std::move(socket), from, now);
  }
}

void Server::begin(Fd socket, const Address& from, Ns now) {
  if (!set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY") || !enable_stamps(socket, false))
    return;
  const Origin source = origin_of(from);
  if (!make_room(source, true)) return;
  auto connection = std::make_unique<Connection>();
  connection->socket = std::move(socket);
  connection->source = source;
  connection->last_message = now;
  connections_.push_back(std::move(connection));
  // At once, before others who connect can push it out.
  serve(*connections_.back(), now);
}

std::size_t Server::count(bool silent, const Origin* source) const {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, [&](const auto& connection) {
    return !connection->closed && connection->silent == silent &&
           (source == nullptr || connection->source == *source);
  }));
}

bool Server::make_room(const Origin& source, bool silent) {
  const std::size_t own = count(silent, &source);
  if (own >= kMostOfSource) {
    if (!silent) return false;
    close_one_of(source, silent);
  } else if (count(silent) >= kMostConnections) {
    const auto most = std::ranges::max_element(connections_, {}, [&](const auto& connection) {
      return connection->closed || connection->silent != silent ? 0 : count(silent, &connection->source);
    });
    if (!silent && count(silent, &(*most)->source) <= own + 1) return false;
    close_one_of((*most)->source, silent);
  }
  return true;
}

void Server::close_one_of(const Origin& source, bool silent) {
  Connection* oldest = nullptr;
  for (const auto& connection : connections_) {
    if (connection->closed || connection->silent != silent || connection->source != source) continue;
    if (oldest == nullptr || connection->last_message < oldest->last_message) oldest = connection.get();
  }
  // Erased later: somebody may be going through the connections.
  if (oldest == nullptr) return;
  oldest->closed = true;
  oldest->socket.reset();
}

bool Server::may_speak(const Connection& connection, const Header& message) {
  if (session_) return first_session(message.session) == first_session(*session_);
  if (!connection.silent) return true;
  return make_room(connection.source, false);
}

void Server::serve(Connection& connection, Ns now) {
  for (int i = 0; i < kCallsAtOnce && !connection.closed; ++i) {
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
  const auto header = decode(message);
  connection.closed = !header || !may_speak(connection, *header);
  if (connection.closed) return false;
  connection.silent = false;
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
    return connection->closed || now - connection->last_message > (connection->silent ? kSilent : kIdle);
  });
}

}  // namespace netperfd::echo
