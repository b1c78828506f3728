// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/tcp_info.hpp"

#include <arpa/inet.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>

namespace netperfd::counters {
namespace {

constexpr std::uint32_t kEstablished = 1U << 1;  // TCP_ESTABLISHED of the kernel's net/tcp_states.h
constexpr std::uint32_t kAnyState = std::numeric_limits<std::uint32_t>::max();

struct Request {
  nlmsghdr header{};
  inet_diag_req_v2 body{};
};

Request make_request(std::uint8_t family) {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.body.sdiag_family = family;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  return request;
}

bool has_address(const TcpConnection& connection, const Address& wanted) {
  const std::size_t length = connection.family == AF_INET ? 4 : 16;
  return wanted.bytes.size() == length &&
         std::memcmp(wanted.bytes.data(), &connection.id.idiag_dst[0], length) == 0;
}

void read_info(std::span<const std::byte> value, TcpConnection& connection) {
  tcp_info info{};
  std::memcpy(&info, value.data(), std::min(value.size(), sizeof info));
  const auto has = [&](std::size_t offset, std::size_t size) { return offset + size <= value.size(); };
  TcpSample& sample = connection.sample;
  sample.snd_cwnd = info.tcpi_snd_cwnd;
  sample.rtt_us = info.tcpi_rtt;
  sample.rttvar_us = info.tcpi_rttvar;
  sample.retransmits = info.tcpi_total_retrans;
  // In bytes per second here. The delivery rate is 0 until the kernel has a measurement.
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kBits = 8;
  if (has(offsetof(tcp_info, tcpi_delivery_rate), sizeof info.tcpi_delivery_rate) &&
      info.tcpi_delivery_rate > 0) {
    sample.delivery_rate_bps = info.tcpi_delivery_rate * kBits;
  }
  // An unlimited rate is all ones, in 64 bits, or in 32 in kernels that stored 32.
  if (has(offsetof(tcp_info, tcpi_pacing_rate), sizeof info.tcpi_pacing_rate) && info.tcpi_pacing_rate > 0 &&
      info.tcpi_pacing_rate < kUnlimited / kBits &&
      info.tcpi_pacing_rate != std::numeric_limits<std::uint32_t>::max()) {
    sample.pacing_rate_bps = info.tcpi_pacing_rate * kBits;
  }
  connection.bytes_acked = info.tcpi_bytes_acked;
  connection.bytes_received = info.tcpi_bytes_received;
}

}  // namespace

bool TcpConnection::is(const TcpConnection& other) const {
  return family == other.family && id.idiag_sport == other.id.idiag_sport &&
         id.idiag_dport == other.id.idiag_dport && std::ranges::equal(id.idiag_src, other.id.idiag_src) &&
         std::ranges::equal(id.idiag_dst, other.id.idiag_dst) &&
         std::ranges::equal(id.idiag_cookie, other.id.idiag_cookie);
}

std::optional<TcpConnection> parse_connection(const nlmsghdr* message) {
  if (mnl_nlmsg_get_payload_len(message) < sizeof(inet_diag_msg)) return std::nullopt;
  const auto* head = static_cast<const inet_diag_msg*>(mnl_nlmsg_get_payload(message));
  TcpConnection connection;
  connection.family = head->idiag_family;
  connection.id = head->id;
  connection.sample.local_port = ntohs(head->id.idiag_sport);
  connection.sample.remote_port = ntohs(head->id.idiag_dport);
  constexpr std::size_t kLeast = offsetof(tcp_info, tcpi_total_retrans) + sizeof(std::uint32_t);
  bool known = false;
  for_each_attribute(message, sizeof *head, [&](const nlattr* attribute) {
    const std::size_t length = mnl_attr_get_payload_len(attribute);
    if (mnl_attr_get_type(attribute) != INET_DIAG_INFO || length < kLeast) return;
    read_info({static_cast<const std::byte*>(mnl_attr_get_payload(attribute)), length}, connection);
    known = true;
  });
  return known ? std::optional{connection} : std::nullopt;
}

Result<std::vector<TcpConnection>> find_connections(const Fd& diag, const TcpPeer& peer) {
  std::vector<TcpConnection> found;
  for (const int family : {AF_INET, AF_INET6}) {
    if (peer.address && (peer.address->bytes.size() == 4) != (family == AF_INET)) continue;
    Request request = make_request(static_cast<std::uint8_t>(family));
    request.body.idiag_states = kEstablished;
    request.body.id.idiag_dport = htons(peer.port);
    const auto asked = ask_kernel(diag, request.header, true, [&](const nlmsghdr* message) {
      auto connection = parse_connection(message);
      if (!connection || connection->sample.remote_port != peer.port) return;
      if (peer.address && !has_address(*connection, *peer.address)) return;
      found.push_back(*connection);
    });
    if (!asked) return std::unexpected(asked.error());
  }
  return found;
}

std::optional<TcpConnection> look_again(const Fd& diag, const TcpConnection& connection) {
  Request request = make_request(connection.family);
  request.body.idiag_states = kAnyState;
  request.body.id = connection.id;
  std::optional<TcpConnection> found;
  const auto asked = ask_kernel(diag, request.header, false,
                                [&](const nlmsghdr* message) { found = parse_connection(message); });
  return asked ? found : std::nullopt;
}

}  // namespace netperfd::counters
