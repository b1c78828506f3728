// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/server_guard.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/workload/guarded_sockets.hpp"

namespace netperfd::workload {
namespace {

using namespace std::chrono_literals;

// Connections and datagrams of others that are dealt with in one turn of the loop.
constexpr int kAtOnce = 64;
constexpr std::size_t kMostHeld = 16;
// Calls of one server: more than any test has connections. An iperf3 that was taken over could make them
// without end.
constexpr std::uint32_t kMostCalls = 4096;
constexpr auto kLookAgain = 20ms;
// Each holds up the loop for kClosePatience. A slow machine may have some of a server that means no harm.
constexpr std::uint32_t kMostLateCloses = 7;

}  // namespace

ServerGuard::ServerGuard(EventLoop& loop, GuardFds fds, const TestSpec& test, uid_t uid,
                         const GuardPatience& patience)
    : loop_(loop),
      fds_(std::move(fds)),
      uid_(uid),
      patience_(patience),
      protocol_(test.traffic.protocol),
      streams_(test.traffic.streams * (test.traffic.direction == Direction::both ? 2U : 1U)),
      greetings_(test.traffic.protocol == Protocol::udp ? std::exchange(streams_, 0U) : 0) {}

Status ServerGuard::begin() {
  auto source = loop_.on_readable(fds_.calls.get(), [this] { on_call(); });
  if (!source) return std::unexpected(std::move(source.error()));
  calls_source_ = *std::move(source);
  return {};
}

void ServerGuard::expect_client(Fd sockets) {
  // What came before cannot be the client's.
  if (call_ && call_->kind == CallKind::accept) refuse_waiting();
  client_sockets_ = std::move(sockets);
  expected_ = true;
}

void ServerGuard::end() {
  calls_source_.reset();
  end_call();
  refuse_held();
  // Without its first connection, a client makes no other one.
  const std::uint32_t lacked = is_complete() ? 0 : streams_ + 1 - passed_;
  others_.settle("connection", passed_ == 0 ? 1 : lacked);
  others_.settle("datagram", greetings_ - std::min(greeted_, greetings_));
}

void ServerGuard::on_call() {
  pollfd polled{.fd = fds_.calls.get(), .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, 0) != 1 || (polled.revents & POLLIN) == 0) {
    // Hung up: no process is left that could call.
    if ((polled.revents & (POLLHUP | POLLERR)) != 0) calls_source_.reset();
    return;
  }
  if (++calls_ > kMostCalls)
    return refuse_calls(fmt::format("the server made more than {} calls", kMostCalls));
  if (Status taken = take_call(); !taken) return give_up(std::move(taken.error().message));
  if (call_) serve();
}

Status ServerGuard::take_call() {
  end_call();
  // The kernel may know more fields than this program, and demands zeros.
  alignas(seccomp_notif) std::array<std::byte, 512> buffer{};
  if (::ioctl(fds_.calls.get(), SECCOMP_IOCTL_NOTIF_RECV, buffer.data()) != 0) {
    // A signal has ended the call.
    return errno == ENOENT || errno == EINTR ? Status{} : fail_errno("SECCOMP_IOCTL_NOTIF_RECV", errno);
  }
  seccomp_notif call{};
  std::memcpy(&call, buffer.data(), sizeof call);
  call_ = Call{.id = call.id,
               .kind = call.data.nr == SYS_recvfrom  ? CallKind::receive
                       : call.data.nr == SYS_connect ? CallKind::connect
                                                     : CallKind::accept,
               .new_flags = call.data.nr == SYS_accept4 ? static_cast<int>(call.data.args[3]) : 0};
  auto descriptor = descriptor_of_call(call, fds_.calls);
  if (!descriptor) {
    std::uint64_t id = call.id;
    if (::ioctl(fds_.calls.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0)
      return std::unexpected(std::move(descriptor.error()));
    end_call();
    return {};
  }
  const bool accepts = call_->kind == CallKind::accept;
  if (!(accepts ? is_listening(*descriptor) : is_for_datagrams(*descriptor))) {
    close_elsewhere(std::move(*descriptor));  // whatever it is
    let_go_on();                              // which fails, or has nothing to do with this test
    return {};
  }
  socket_ = std::move(*descriptor);
  // Never blocks this loop. iperf3 calls nothing on it but accept().
  return accepts ? set_nonblocking(socket_) : Status{};
}

void ServerGuard::serve() {
  switch (call_->kind) {
    case CallKind::accept:
      return serve_accept();
    case CallKind::receive:
      return serve_datagram();
    case CallKind::connect:
      return serve_connect();
  }
}

void ServerGuard::serve_accept() {
  bool others = false;
  for (int i = 0; i < kAtOnce; ++i) {
    SocketEnd peer;
    Fd connection = accept_one(socket_, SOCK_CLOEXEC | (call_->new_flags & SOCK_NONBLOCK), peer);
    if (!connection) {
      if (errno == EAGAIN) {
        if (is_complete()) return pass_dummy();
        break;
      }
      if (errno == ECONNABORTED || errno == EINTR) continue;
      return give_up(fail_errno("accept4", errno).error().message);
    }
    const auto judged = judge(socket_option(connection, SO_PROTOCOL), local_end(connection), peer);
    const bool is_clients = judged.whose == Whose::client || (!judged.uid && has_clients_cookie(connection));
    if (is_clients && !is_complete()) return pass(std::move(connection), peer);
    others = true;
    if (judged.whose == Whose::unknown && !is_complete()) {
      held_.push_back({std::move(connection), peer, std::chrono::steady_clock::now()});
      // Of the streams, one at a time: iperf3 asks for the next one only if it still waits at the socket.
      if (passed_ > 0) return look_at_held();
    } else {
      refuse(std::move(connection), peer, judged.uid);
    }
  }
  wait_for_socket(others);
  if (call_ && !held_.empty()) look_at_held();
}

void ServerGuard::serve_datagram() {
  const Fd& socket = socket_;
  bool others = false;
  for (int i = 0; i < kAtOnce; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    std::array<char, 8> words{};
    const ssize_t got = ::recvfrom(socket.get(), words.data(), words.size(), MSG_PEEK | MSG_DONTWAIT,
                                   reinterpret_cast<sockaddr*>(&address), &size);
    if (got < 0) {
      if (errno == EAGAIN) break;
      return let_go_on();  // and meet the same error
    }
    const SocketEnd peer = to_socket_end(address);
    const auto judged = judge(IPPROTO_UDP, local_end(socket), peer);
    if (judged.whose != Whose::other) {
      // From now on nothing of others arrives. What already has waits behind this datagram: serve_connect().
      // The server meets the same error, if there is one.
      (void)::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size);
      ++greeted_;
      return let_go_on();
    }
    refuse_datagram(peer, judged.uid, {words.data(), static_cast<std::size_t>(got)});
    others = true;
  }
  wait_for_socket(others);
}

// The server has read the client's datagram, and connects the socket to it once more. The client waits for an
// answer, so whatever is still there is of others.
void ServerGuard::serve_connect() {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return let_go_on();
  const SocketEnd client = to_socket_end(address);
  for (int i = 0; i < kAtOnce; ++i) {
    size = sizeof address;
    char byte = 0;
    if (::recvfrom(socket_.get(), &byte, sizeof byte, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&address),
                   &size) < 0)
      return let_go_on();
    const SocketEnd peer = to_socket_end(address);
    if (peer == client) return let_go_on();
    others_.note("datagram", peer, judge(IPPROTO_UDP, local_end(socket_), peer).uid);
  }
  wait_for_socket(true);
}

bool ServerGuard::may_be_translated() const {
  return passed_ == 0 || translated_;
}

// `local` is the server's end.
ServerGuard::Judged ServerGuard::judge(int protocol, const SocketEnd& local, const SocketEnd& peer) const {
  if (expected_) {
    if (const auto uid = socket_owner(client_sockets_, protocol, peer, local))
      return {.whose = *uid == uid_ ? Whose::client : Whose::other, .uid = uid};
  }
  if (const auto uid = socket_owner(fds_.sockets, protocol, peer, local)) return {.uid = uid};
  if (!expected_) return {};
  // A client that fails closes its connections: the cookie tells whether this is one of them.
  if (is_closed_there(client_sockets_, protocol, peer, local)) return {.whose = Whose::unknown};
  // If the kernel does not even know the server's own end, it has no such table.
  const bool knows_none = !socket_owner(fds_.sockets, protocol, local, peer);
  return {.whose = knows_none || may_be_translated() ? Whose::unknown : Whose::other};
}

// The client's cookie, as far as it is known: empty if this is somebody else, or has not yet said.
std::string ServerGuard::fitting_cookie(const Fd& connection) const {
  std::string cookie = cookie_on(connection);
  return cookie_.empty() || cookie == cookie_ ? cookie : std::string{};
}

// Nobody else knows it.
bool ServerGuard::has_clients_cookie(const Fd& connection) const {
  return !cookie_.empty() && cookie_on(connection) == cookie_;
}

// Of one whose socket is closed.
bool ServerGuard::may_be_clients(const SocketEnd& peer, std::optional<uid_t> uid) const {
  return expected_ && !uid && (passed_ == 0 || peer.host() == client_host_);
}

void ServerGuard::refuse_hopeless(std::chrono::steady_clock::time_point now) {
  for (;;) {
    auto held = std::ranges::find_if(held_, [&](const Held& each) {
      if (has_clients_cookie(each.connection)) return false;
      return has_left(each.connection) ||
             (passed_ > 0 && now - each.since >= patience_.cookie && fitting_cookie(each.connection).empty());
    });
    if (held == held_.end()) {
      if (held_.size() <= kMostHeld) return;
      held = std::ranges::find_if(
          held_, [this](const Held& each) { return fitting_cookie(each.connection).empty(); });
      if (held == held_.end()) --held;
    }
    Held hopeless = std::move(*held);
    held_.erase(held);
    refuse(std::move(hopeless.connection), hopeless.peer, std::nullopt);
  }
}

// Passes the connection that has the cookie. The first one waits a while, since the client may still come
// with one that the kernel knows. A stream waits for its cookie.
void ServerGuard::look_at_held() {
  const auto now = std::chrono::steady_clock::now();
  refuse_hopeless(now);
  for (Held& held : held_) {
    if (passed_ == 0 && now - held.since < patience_.client) continue;
    if (fitting_cookie(held.connection).empty()) continue;
    translated_ = translated_ || passed_ == 0;
    Held known = std::move(held);
    return pass(std::move(known.connection), known.peer);
  }
  if (passed_ > 0 && held_.empty()) return wait_for_socket(true);
  if (held_.empty() || held_timer_) return;
  auto timer = loop_.after(kLookAgain, [this] {
    held_timer_.reset();
    if (call_ && call_->kind == CallKind::accept && !held_.empty()) look_at_held();
  });
  if (timer) held_timer_ = *std::move(timer);
}

void ServerGuard::refuse_held() {
  held_timer_.reset();
  for (Held& held : std::exchange(held_, {})) {
    if (held.connection) refuse(std::move(held.connection), held.peer, std::nullopt);
  }
}

void ServerGuard::pass(Fd connection, const SocketEnd& peer) {
  if (passed_ == 0) {
    cookie_ = cookie_on(connection);  // which may not have arrived yet
    client_host_ = peer.host();
  }
  ++passed_;
  // The streams of UDP and SCTP come to another socket than the first connection.
  if (is_complete() || protocol_ != Protocol::tcp) close_gate();
  refuse_held();
  hand_over(std::move(connection));
}

void ServerGuard::pass_dummy() {
  close_gate();  // with some options, iperf3 has opened another socket to listen once it had all streams
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return give_up(fail_errno("socketpair", errno).error().message);
  dummy_end_.emplace(Fd{ends[1]});  // so that what iperf3 says has somewhere to go
  hand_over(Fd{ends[0]});
}

// What waits at the listening socket, and all that still comes, is refused.
void ServerGuard::close_gate() {
  if (Status dropped = drop_new(socket_); !dropped) return;  // then each one is refused by itself
  refuse_waiting();
}

void ServerGuard::refuse_waiting() {
  for (int i = 0; i < kAtOnce; ++i) {
    SocketEnd peer;
    Fd connection = accept_one(socket_, SOCK_CLOEXEC, peer);
    if (!connection) return;
    const int protocol = socket_option(connection, SO_PROTOCOL);
    const SocketEnd local = local_end(connection);
    refuse(std::move(connection), peer, socket_owner(fds_.sockets, protocol, peer, local));
  }
}

void ServerGuard::refuse(Fd connection, const SocketEnd& peer, std::optional<uid_t> uid) {
  const bool left = may_be_clients(peer, uid) && has_left(connection) && !fitting_cookie(connection).empty();
  reset(std::move(connection));
  if (left) return others_.note_left("connection", peer);
  others_.note("connection", peer, uid);
}

// Only looked at so far.
void ServerGuard::refuse_datagram(const SocketEnd& peer, std::optional<uid_t> uid, std::string_view words) {
  char byte = 0;
  (void)::recv(socket_.get(), &byte, sizeof byte, MSG_DONTWAIT);
  if (may_be_clients(peer, uid) && is_udp_greeting(words)) return others_.note_left("datagram", peer);
  others_.note("datagram", peer, uid);
}

// After others came, calls on the bus have their turn before the next ones: a flood must not keep those out.
void ServerGuard::wait_for_socket(bool after_others) {
  if (!after_others && socket_source_) return;
  const auto again = [this] {
    pause_.reset();
    serve();
  };
  auto source = after_others ? loop_.after(std::chrono::microseconds{0}, again)
                             : loop_.on_readable(socket_.get(), [this] { serve(); });
  if (!source) return give_up(std::move(source.error().message));
  if (after_others) socket_source_.reset();
  (after_others ? pause_ : socket_source_) = *std::move(source);
}

// The server's call returns the descriptor. It does not get the address of the far end, for which iperf3 asks
// the socket itself.
void ServerGuard::hand_over(Fd descriptor) {
  seccomp_notif_addfd order{};
  order.id = call_->id;
  order.flags = SECCOMP_ADDFD_FLAG_SEND;
  order.srcfd = static_cast<std::uint32_t>(descriptor.get());
  order.newfd_flags = static_cast<std::uint32_t>(call_->new_flags & SOCK_CLOEXEC);
  // Before the server goes on, and perhaps binds its port again.
  end_call();
  if (::ioctl(fds_.calls.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &order) < 0 && errno != ENOENT)
    refuse_calls(fail_errno("SECCOMP_IOCTL_NOTIF_ADDFD", errno).error().message);
  close_elsewhere(std::move(descriptor));  // the server may have made its close last
}

void ServerGuard::let_go_on() {
  seccomp_notif_resp answer{};
  answer.id = call_->id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  end_call();
  (void)::ioctl(fds_.calls.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void ServerGuard::give_up(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
  if (call_) let_go_on();
}

void ServerGuard::end_call() {
  pause_.reset();
  socket_source_.reset();
  call_.reset();
  if (socket_ && !close_soon(std::move(socket_)) && ++late_closes_ > kMostLateCloses)
    refuse_calls("the server's socket takes long to be closed");
}

// From now on they fail.
void ServerGuard::refuse_calls(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
  calls_source_.reset();
  fds_.calls.reset();
}

}  // namespace netperfd::workload
