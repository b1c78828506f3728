// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/traffic_tap.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace netperfd::system_test {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A socket belongs to the namespace where it was created, whatever its creator does later.
Fd packet_socket_in(const std::string& netns) {
  const Fd home{::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)};
  const Fd there{::open(("/run/netns/" + netns).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!home || !there || ::setns(there.get(), CLONE_NEWNET) != 0) throw_errno(netns);
  Fd socket{::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_IP))};
  const int error_number = errno;
  if (::setns(home.get(), CLONE_NEWNET) != 0) throw_errno("return from " + netns);
  if (!socket) throw std::system_error(error_number, std::generic_category(), "packet socket in " + netns);
  return socket;
}

}  // namespace

TrafficTap::TrafficTap(const std::string& netns) : socket_(packet_socket_in(netns)) {}

void TrafficTap::wait_for_traffic(const Deadline& deadline) {
  // iperf3's parameters and cookies are smaller.
  constexpr ssize_t kLargerThanControl = 1200;
  std::array<char, 1> first;  // NOLINT(cppcoreguidelines-pro-type-member-init): only the length counts
  for (;;) {
    const ssize_t length = ::recv(socket_.get(), first.data(), first.size(), MSG_TRUNC);
    if (length >= kLargerThanControl) return;
    if (length >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) throw_errno("recv of a packet socket");
    pollfd watched{socket_.get(), POLLIN, 0};
    if (::poll(&watched, 1, deadline.poll_timeout()) == 0) throw std::runtime_error("no traffic in time");
  }
}

}  // namespace netperfd::system_test
