// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/socket_owner.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace netperfd::workload {
namespace {

struct Request {
  nlmsghdr header{};
  inet_diag_req_v2 asked{};
};

Request request_for(int protocol, const SocketEnd& local, const SocketEnd& remote) {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  inet_diag_req_v2& asked = request.asked;
  asked.sdiag_family = static_cast<std::uint8_t>(local.family);
  asked.sdiag_protocol = static_cast<std::uint8_t>(protocol);
  asked.idiag_states = ~0U;
  // Of datagrams, the kernel takes source and destination as those of a packet to the socket.
  const SocketEnd& source = protocol == IPPROTO_UDP ? remote : local;
  const SocketEnd& destination = protocol == IPPROTO_UDP ? local : remote;
  asked.id.idiag_sport = htons(source.port);
  asked.id.idiag_dport = htons(destination.port);
  std::memcpy(asked.id.idiag_src, &source.address, sizeof source.address);
  std::memcpy(asked.id.idiag_dst, &destination.address, sizeof destination.address);
  asked.id.idiag_if = local.scope;
  asked.id.idiag_cookie[0] = asked.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return request;
}

// What the kernel tells of this socket; absent if it has none.
std::optional<inet_diag_msg> look_up(const Fd& diag, int protocol, const SocketEnd& local,
                                     const SocketEnd& remote) {
  if (!diag || local.family != remote.family || local.family == AF_UNSPEC) return std::nullopt;
  const Request request = request_for(protocol, local, remote);
  // The kernel answers within send(): what recv() finds is the answer.
  if (::send(diag.get(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) return std::nullopt;
  alignas(nlmsghdr) std::array<std::byte, 4096> answer{};
  const ssize_t size = ::recv(diag.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  nlmsghdr header{};
  inet_diag_msg found{};
  if (size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof found)) return std::nullopt;
  std::memcpy(&header, answer.data(), sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
  return found;
}

// Of a socket that its process has closed, the kernel has no user.
bool is_closed(const inet_diag_msg& socket) {
  return socket.idiag_inode == 0;
}

}  // namespace

std::string SocketEnd::host() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, &address, text.data(), text.size()) != nullptr ? text.data()
                                                                            : "an unknown address";
}

bool SocketEnd::operator==(const SocketEnd& other) const {
  return family == other.family && port == other.port && scope == other.scope &&
         std::memcmp(&address, &other.address, sizeof address) == 0;
}

SocketEnd to_socket_end(const sockaddr_storage& address) {
  SocketEnd end;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    end.family = AF_INET;
    end.port = ntohs(v4.sin_port);
    std::memcpy(&end.address, &v4.sin_addr, sizeof v4.sin_addr);
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    end.port = ntohs(v6.sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      end.family = AF_INET;
      std::memcpy(&end.address, &v6.sin6_addr.s6_addr[12], sizeof(in_addr));
    } else {
      end.family = AF_INET6;
      end.address = v6.sin6_addr;
      end.scope = v6.sin6_scope_id;
    }
  }
  return end;
}

SocketEnd local_end(const Fd& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return to_socket_end(address);
}

Fd open_socket_diag() {
  return Fd{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
}

std::optional<uid_t> socket_owner(const Fd& diag, int protocol, const SocketEnd& local,
                                  const SocketEnd& remote) {
  const auto found = look_up(diag, protocol, local, remote);
  return found && !is_closed(*found) ? std::optional<uid_t>(found->idiag_uid) : std::nullopt;
}

bool is_closed_there(const Fd& diag, int protocol, const SocketEnd& local, const SocketEnd& remote) {
  const auto found = look_up(diag, protocol, local, remote);
  return found && is_closed(*found);
}

}  // namespace netperfd::workload
