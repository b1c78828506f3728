// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses and sockets of both ends.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "daemon/base/fd.hpp"
#include "daemon/echo/packet.hpp"
#include "daemon/echo/stamps.hpp"

namespace netperfd::echo {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] std::string text() const;  // numeric, without the port
  [[nodiscard]] std::uint16_t port() const;
};

// `family`: AF_INET, AF_INET6 or AF_UNSPEC.
[[nodiscard]] Result<Address> resolve(const std::string& host, std::uint16_t port, int family);
[[nodiscard]] Address local_address(const Fd& socket);

// Non-blocking and close-on-exec.
[[nodiscard]] Result<Fd> open_socket(int family, int type, int protocol);
[[nodiscard]] Status bind_socket(const Fd& socket, const Address& address);
[[nodiscard]] Status set_option(const Fd& socket, int level, int name, int value, const char* what);
[[nodiscard]] Status set_dscp(const Fd& socket, int family, int dscp);
// The kernel tells when packets arrived, and with `sent`, when they left.
[[nodiscard]] Status enable_stamps(const Fd& socket, bool sent);

// Becomes readable by these signals, which are blocked for it.
[[nodiscard]] Result<Fd> signal_descriptor(std::initializer_list<int> signals);
// Takes one signal; 0 if there is none.
[[nodiscard]] int take_signal(const Fd& signals);

// One received message, with a place for its control messages.
struct Received {
  std::span<std::byte> bytes;
  bool truncated = false;
  PacketStamps stamps;
  Address from;
  int error_number = 0;  // if nothing was received
  alignas(cmsghdr) std::byte control[512];
  msghdr header{};
};
// Fills `into`. False: nothing was received.
bool receive(const Fd& socket, std::span<std::byte> buffer, int flags, Received& into);

[[nodiscard]] BootId read_boot_id();

}  // namespace netperfd::echo
