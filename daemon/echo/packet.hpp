// SPDX-License-Identifier: GPL-2.0-or-later
// The messages between prober and server, in network byte order:
//
//   0 magic, 4 version, 5 type, 6 length of the message, 8 session, 16 sequence, 20 arrival at the server (ns
//   of its wall clock), 28 time from there to its reply (ns); of a greeting also 32 boot id of the server and
//   48 DSCP
//
// What follows is filling. A reply is the request with its type and the server's times changed, so it is
// never longer than the request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "daemon/echo/stamps.hpp"

namespace netperfd::echo {

enum class Type : std::uint8_t { hello = 1, request = 2, hello_reply = 3, reply = 4 };

inline constexpr std::size_t kSessionAt = 8;
inline constexpr std::size_t kHeaderLength = 20;
inline constexpr std::size_t kShortest = 32;
inline constexpr std::size_t kLongest = 1400;
inline constexpr std::size_t kHelloLength = 52;

struct Header {
  Type type = Type::request;
  std::uint16_t length = 0;  // of the whole message
  std::uint64_t session = 0;
  std::uint32_t sequence = 0;

  bool operator==(const Header&) const = default;
};

// The sessions of one prober differ in their last three bits: it has at most eight probes.
[[nodiscard]] constexpr std::uint64_t first_session(std::uint64_t session) {
  return session & ~std::uint64_t{7};
}

using BootId = std::array<std::byte, 16>;

struct Reply {
  Header header;
  FarStamps far;

  bool operator==(const Reply&) const = default;
};

// A header at the begin of `bytes`; absent if they do not begin with a valid one. Only the header is looked
// at.
[[nodiscard]] std::optional<Header> decode_header(std::span<const std::byte> bytes);
// A whole message: the header's length must be that of `bytes`.
[[nodiscard]] std::optional<Header> decode(std::span<const std::byte> bytes);
// A whole message of the server. Others have no answer.
[[nodiscard]] std::optional<Reply> decode_reply(std::span<const std::byte> bytes);
// Of a reply to a greeting.
[[nodiscard]] BootId boot_id_of(std::span<const std::byte> hello_reply);
// Of a greeting.
[[nodiscard]] std::uint8_t dscp_of(std::span<const std::byte> hello);

// Where in `bytes`, a packet of any protocols, a request of this session is: the kernel returns what it sent
// together with the time. Absent if there is none.
[[nodiscard]] std::optional<Header> find_request(std::span<const std::byte> bytes, std::uint64_t session);

// Writes the header; the rest of `bytes`, whose size must be the header's length, stays.
void encode(const Header& header, std::span<std::byte> bytes);
void encode_dscp(std::uint8_t dscp, std::span<std::byte> hello);
// Bytes that no link can compress.
void fill(std::uint64_t seed, std::span<std::byte> bytes);

// Makes the reply of a request or greeting in place. False: it is neither, so nobody may be answered.
[[nodiscard]] bool make_reply(std::span<std::byte> bytes, const FarStamps& far, const BootId& boot_id);

}  // namespace netperfd::echo
