// SPDX-License-Identifier: GPL-2.0-or-later
// A server that was taken over has the guard close what closes slowly.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/workload/guard_fds.hpp"
#include "daemon/workload/guarded_sockets.hpp"
#include "daemon/workload/server_guard.hpp"
#include "tests/unit/import/silent_file.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

sockaddr_storage address_of(const Fd& socket, socklen_t& size) {
  sockaddr_storage address{};
  size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) ::_exit(2);
  return address;
}

Fd connected_to(const Fd& listener, int domain) {
  Fd socket{::socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  socklen_t size = 0;
  const sockaddr_storage address = address_of(listener, size);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) ::_exit(3);
  return socket;
}

Fd listening_in(int domain) {
  Fd socket{::socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr unnamed{.sa_family = AF_UNIX, .sa_data = {}};  // the kernel chooses a name
  if (domain == AF_UNIX && ::bind(socket.get(), &unnamed, sizeof unnamed.sa_family) != 0) ::_exit(4);
  if (::listen(socket.get(), 8) != 0) ::_exit(5);
  return socket;
}

// The process of the server. It tells by letters what has become of its calls.
class Server {
 public:
  Server(int report, int told) : report_(report), told_(told) {}

  // From here on, its calls of accept() and connect() stop.
  void be_guarded() {
    GuardFds guard = open_guard(Guarding::server);
    LaunchReport packet;
    packet.stops_calls = guard.stops_calls;
    packet.error_number = guard.error_number;
    if (!send_report(report_, packet, guard)) ::_exit(6);
  }
  [[nodiscard]] Fd accept_at(const Fd& listener) const {
    Fd connection{::accept(listener.get(), nullptr, nullptr)};
    tell(connection ? 'a' : 'r');
    return connection;
  }
  void tell(char letter) const {
    if (::write(told_, &letter, 1) != 1) ::_exit(7);
  }
  // Sends one whose last close takes an hour, since nobody reads what it has sent, and keeps none.
  void send_slow_socket(const Fd& connection) {
    char byte = 0;
    iovec part{.iov_base = &byte, .iov_len = 1};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = slow_.get();
    std::memcpy(CMSG_DATA(header), &number, sizeof number);
    if (::sendmsg(connection.get(), &message, MSG_NOSIGNAL) != 1) ::_exit(8);
    slow_.reset();
  }

 private:
  static Fd make_slow(const Fd& listener) {
    Fd socket = connected_to(listener, AF_INET);
    const std::string much(1U << 16U, 'x');
    while (::send(socket.get(), much.data(), much.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    const linger slow{.l_onoff = 1, .l_linger = 3600};
    if (::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &slow, sizeof slow) != 0) ::_exit(9);
    return socket;
  }

  int report_, told_;
  Fd never_reads_ = listening_in(AF_INET);
  Fd slow_ = make_slow(never_reads_);
};

class ServerGuardForeignTest : public testing::Test {
 protected:
  void SetUp() override { REQUIRE_ROOT(); }
  void TearDown() override {
    guard_.reset();
    if (server_ > 0) ::kill(server_, SIGKILL);
    if (server_ > 0) ::waitpid(server_, nullptr, 0);
  }
  template <class Act>
  void begin(Act act) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    const Fd here{ends[0]}, there{ends[1]};
    auto told = make_pipe();
    ASSERT_TRUE(told);
    server_ = ::fork();
    ASSERT_GE(server_, 0);
    if (server_ == 0) {
      Server server(there.get(), told->write.get());
      act(server);
      while (true) ::pause();
    }
    told_ = std::move(told->read);
    GuardFds received;
    LaunchReport report;
    pid_t sender = 0;
    ASSERT_EQ(receive_report(here, report, received, sender), static_cast<ssize_t>(sizeof report));
    ASSERT_EQ(received.error_number, 0);
    guard_ =
        std::make_unique<ServerGuard>(loop_, std::move(received), TestSpec{}, ::getuid(), GuardPatience{});
    ASSERT_TRUE(guard_->begin());
  }
  // The server's next letter, or '?' if it tells none.
  char hear() {
    pollfd polled{.fd = told_.get(), .events = POLLIN, .revents = 0};
    char letter = '?';
    if (turn_until(loop_, [&] { return ::poll(&polled, 1, 0) == 1; })) (void)!::read(told_.get(), &letter, 1);
    return letter;
  }

  EventLoop loop_ = make_loop();
  std::unique_ptr<ServerGuard> guard_;
  Fd told_;
  pid_t server_ = -1;
};

TEST_F(ServerGuardForeignTest, connections_of_UNIX_sockets_are_left_to_the_server) {
  begin([](Server& server) {
    const Fd listener = listening_in(AF_UNIX);
    {
      const Fd client = connected_to(listener, AF_UNIX);
      server.send_slow_socket(client);
    }
    server.be_guarded();
    while (server.accept_at(listener)) {
    }
  });
  EXPECT_EQ(hear(), 'a') << "the guard neither takes nor closes it";
  EXPECT_EQ(guard_->others(), "");
  EXPECT_EQ(guard_->failure(), "");
}

TEST_F(ServerGuardForeignTest, what_is_sent_to_the_dummy_is_not_closed_in_the_loop) {
  begin([](Server& server) {
    const Fd listener = listening_in(AF_INET);
    // The connections of a test with one stream, which wait already.
    const Fd first = connected_to(listener, AF_INET), second = connected_to(listener, AF_INET);
    server.be_guarded();
    const Fd control = server.accept_at(listener), stream = server.accept_at(listener);
    {
      const Fd dummy = server.accept_at(listener);
      server.send_slow_socket(dummy);
    }
    (void)server.accept_at(listener);  // takes the place of the dummy
    server.tell('e');
  });
  guard_->expect_client(open_socket_diag());
  std::string heard;
  while (heard.size() < 5 && !heard.ends_with('?')) heard += hear();
  EXPECT_EQ(heard, "aaaae");
}

TEST(CloseSoon, tells_whether_the_close_has_returned) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_TRUE(close_soon(std::move(pipe->read)));
  if (!import::test::SilentFile::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto silent = import::test::SilentFile::make();
  ASSERT_TRUE(silent);
  EXPECT_FALSE(close_soon(silent->take()));
}

}  // namespace
}  // namespace netperfd::workload::test
