// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/sockets.hpp"

#include <fmt/format.h>
#include <linux/net_tstamp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

namespace netperfd::echo {

std::string Address::text() const {
  std::array<char, NI_MAXHOST> host{};
  if (::getnameinfo(get(), length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
  return host.data();
}

std::uint16_t Address::port() const {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
}

Result<Address> resolve(const std::string& host, std::uint16_t port, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), fmt::format("{}", port).c_str(), &hints, &found);
  if (error != 0) return fail(ErrorKind::not_found, fmt::format("{}: {}", host, ::gai_strerror(error)));
  Address address;
  address.length = found->ai_addrlen;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return address;
}

Address local_address(const Fd& socket) {
  Address address;
  address.length = sizeof address.storage;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0)
    address.length = 0;
  return address;
}

Result<Fd> open_socket(int family, int type, int protocol) {
  Fd socket(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
  if (!socket) return fail_errno("socket", errno);
  return socket;
}

Status bind_socket(const Fd& socket, const Address& address) {
  if (::bind(socket.get(), address.get(), address.length) == 0) return {};
  return fail_errno(fmt::format("{} port {}", address.text(), address.port()), errno);
}

Status set_option(const Fd& socket, int level, int name, int value, const char* what) {
  if (::setsockopt(socket.get(), level, name, &value, sizeof value) == 0) return {};
  return fail_errno(what, errno);
}

Status set_dscp(const Fd& socket, int family, int dscp) {
  if (family == AF_INET6) {
    // An IPv6 socket of the server may have an IPv4 peer.
    (void)set_option(socket, IPPROTO_IP, IP_TOS, dscp << 2, "IP_TOS");
    return set_option(socket, IPPROTO_IPV6, IPV6_TCLASS, dscp << 2, "IPV6_TCLASS");
  }
  return set_option(socket, IPPROTO_IP, IP_TOS, dscp << 2, "IP_TOS");
}

Status enable_stamps(const Fd& socket, bool sent) {
  unsigned flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RAW_HARDWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
                   SOF_TIMESTAMPING_RX_HARDWARE;
  // A sent packet comes back whole, and its own sequence says which one it is. The kernel's numbers of
  // packets (SOF_TIMESTAMPING_OPT_ID) do not: whether one that could not be sent has a number depends on its
  // version.
  if (sent)
    flags |= SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_OPT_TX_SWHW;
  return set_option(socket, SOL_SOCKET, SO_TIMESTAMPING, static_cast<int>(flags), "SO_TIMESTAMPING");
}

Result<Fd> signal_descriptor(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : signals) ::sigaddset(&set, number);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0)
    return fail_errno("pthread_sigmask", error);
  Fd descriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!descriptor) return fail_errno("signalfd", errno);
  return descriptor;
}

int take_signal(const Fd& signals) {
  signalfd_siginfo info{};
  return ::read(signals.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

bool receive(const Fd& socket, std::span<std::byte> buffer, int flags, Received& into) {
  iovec part{.iov_base = buffer.data(), .iov_len = buffer.size()};
  into.header = {};
  into.header.msg_name = &into.from.storage;
  into.header.msg_namelen = sizeof into.from.storage;
  into.header.msg_iov = &part;
  into.header.msg_iovlen = 1;
  into.header.msg_control = into.control;
  into.header.msg_controllen = sizeof into.control;
  const ssize_t size = ::recvmsg(socket.get(), &into.header, flags | MSG_DONTWAIT);
  into.error_number = size < 0 ? errno : 0;
  if (size < 0) return false;
  into.header.msg_iov = nullptr;  // it is gone with this function
  into.bytes = buffer.first(static_cast<std::size_t>(size));
  into.truncated = (static_cast<unsigned>(into.header.msg_flags) & unsigned{MSG_TRUNC}) != 0;
  into.from.length = into.header.msg_namelen;
  into.stamps = stamps_of(into.header);
  return true;
}

BootId read_boot_id() {
  BootId boot_id{};
  const auto text = read_file("/proc/sys/kernel/random/boot_id", 64);
  if (!text) return boot_id;
  std::size_t digits = 0;
  for (const char c : *text) {
    unsigned digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc{} || digits == 2 * boot_id.size()) continue;
    boot_id[digits / 2] = (boot_id[digits / 2] << 4U) | static_cast<std::byte>(digit);
    ++digits;
  }
  return boot_id;
}

}  // namespace netperfd::echo
