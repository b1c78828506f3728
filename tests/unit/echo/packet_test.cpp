// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/packet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "daemon/echo/ping.hpp"
#include "daemon/echo/stream.hpp"

namespace netperfd::echo {
namespace {

using Bytes = std::vector<std::byte>;

constexpr BootId kBoot{std::byte{1}, std::byte{2}, std::byte{3}};

Bytes message(Type type, std::size_t length, std::uint32_t sequence = 0x01020304) {
  Bytes bytes(length);
  encode({.type = type,
          .length = static_cast<std::uint16_t>(length),
          .session = 0x1122334455667788,
          .sequence = sequence},
         bytes);
  return bytes;
}

TEST(EchoPacket, has_the_layout_that_other_versions_rely_on) {
  Bytes bytes = message(Type::request, 32);
  ASSERT_TRUE(make_reply(bytes, {.arrival = 0x0a0b0c0d, .sent = 0x0a0b0c0d + 0x100}, kBoot));
  const std::vector<int> expected{'N',  'P',  'E',  'C',  1,    4,    0, 32, 0x11, 0x22, 0x33,
                                  0x44, 0x55, 0x66, 0x77, 0x88, 1,    2, 3,  4,    0,    0,
                                  0,    0,    0x0a, 0x0b, 0x0c, 0x0d, 0, 0,  1,    0};
  std::vector<int> actual;
  for (const std::byte byte : bytes) actual.push_back(std::to_integer<int>(byte));
  EXPECT_EQ(actual, expected);
}

TEST(EchoPacket, a_reply_has_the_length_session_and_sequence_of_its_request) {
  for (const std::size_t length : {kShortest, std::size_t{100}, kLongest}) {
    Bytes bytes = message(Type::request, length);
    ASSERT_TRUE(make_reply(bytes, {.arrival = 5 * kSecond, .sent = 5 * kSecond + 7}, kBoot));
    const auto reply = decode_reply(bytes);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->header, (Header{.type = Type::reply,
                                     .length = static_cast<std::uint16_t>(length),
                                     .session = 0x1122334455667788,
                                     .sequence = 0x01020304}));
    EXPECT_EQ(reply->far, (FarStamps{.arrival = 5 * kSecond, .sent = 5 * kSecond + 7}));
  }
}

TEST(EchoPacket, the_reply_to_a_greeting_tells_the_boot) {
  Bytes bytes = message(Type::hello, kHelloLength);
  encode_dscp(46, bytes);
  EXPECT_EQ(dscp_of(bytes), 46);
  ASSERT_TRUE(make_reply(bytes, {}, kBoot));
  EXPECT_EQ(decode_reply(bytes)->header.type, Type::hello_reply);
  EXPECT_EQ(boot_id_of(bytes), kBoot);
  EXPECT_EQ(dscp_of(bytes), 46);
}

TEST(EchoPacket, replies_are_never_answered_so_two_servers_cannot_loop) {
  for (const Type type : {Type::reply, Type::hello_reply}) {
    Bytes bytes = message(type, 64);
    const Bytes before = bytes;
    EXPECT_FALSE(make_reply(bytes, {}, kBoot));
    EXPECT_EQ(bytes, before);
  }
  Bytes bytes = message(Type::request, 64);
  EXPECT_TRUE(make_reply(bytes, {}, kBoot));
  EXPECT_FALSE(make_reply(bytes, {}, kBoot));
}

TEST(EchoPacket, what_is_damaged_is_not_decoded) {
  const Bytes good = message(Type::request, 64);
  ASSERT_TRUE(decode(good));
  for (const std::size_t at : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {  // magic, version, type, length
    Bytes bad = good;
    bad[at] ^= std::byte{0x80};
    EXPECT_FALSE(decode(bad)) << at;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode(std::span(good).first(size))) << size;
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer));
  EXPECT_FALSE(decode(message(Type::request, kShortest - 1)));
  EXPECT_FALSE(decode(message(Type::request, kLongest + 1)));
  EXPECT_FALSE(decode(message(Type::hello, kHelloLength - 1))) << "its reply would not fit";
  EXPECT_FALSE(decode_reply(good));
}

TEST(EchoPacket, times_of_the_server_are_limited_so_no_sum_overflows) {
  for (const Ns arrival : {std::numeric_limits<Ns>::min(), std::numeric_limits<Ns>::max()}) {
    Bytes bytes = message(Type::request, 64);
    ASSERT_TRUE(make_reply(bytes, {.arrival = arrival, .sent = arrival}, kBoot));
    const auto reply = decode_reply(bytes);
    EXPECT_GE(reply->far.arrival, 0);
    EXPECT_LE(reply->far.sent, std::numeric_limits<Ns>::max() / 2);
  }
  Bytes bytes = message(Type::request, 64);
  ASSERT_TRUE(make_reply(bytes, {.arrival = 1'000'000 * kSecond, .sent = 0}, kBoot));
  EXPECT_EQ(decode_reply(bytes)->far.sent, 1'000'000 * kSecond) << "a clock that was set back";
}

TEST(EchoPacket, a_request_is_found_in_a_packet_that_comes_back_with_its_headers) {
  Bytes packet(42, std::byte{0x11});
  packet.push_back(std::byte{0x11});  // the session begins with it, too
  const Bytes request = message(Type::request, 64, 77);
  packet.insert(packet.end(), request.begin(), request.end());
  packet.insert(packet.end(), 6, std::byte{0});  // a trailer
  EXPECT_EQ(find_request(packet, 0x1122334455667788)->sequence, 77U);
  EXPECT_FALSE(find_request(packet, 0x1122334455667789));
  EXPECT_FALSE(find_request(std::span(packet).first(43 + 19), 0x1122334455667788)) << "a cut header";
  EXPECT_FALSE(find_request({}, 1));
}

TEST(EchoPing, has_a_header_of_its_family_and_only_replies_have_a_payload) {
  const Bytes request = message(Type::request, 64);
  for (const bool six : {false, true}) {
    Bytes room(kPingHeader + kLongest, std::byte{0xff});
    const auto made = make_ping(request, six, 0x10203, room);
    ASSERT_EQ(made.size(), 72U);
    EXPECT_EQ(made[0], six ? std::byte{128} : std::byte{8});
    EXPECT_EQ(made[6], std::byte{2});
    EXPECT_EQ(made[7], std::byte{3});
    Bytes reply(made.begin(), made.end());
    EXPECT_TRUE(ping_payload(reply, six).empty());
    reply[0] = six ? std::byte{129} : std::byte{0};
    EXPECT_TRUE(decode(ping_payload(reply, six)));
    EXPECT_TRUE(ping_payload(std::span(reply).first(7), six).empty());
    EXPECT_TRUE(ping_payload(reply, !six).empty());
  }
}

// Feeds bytes as a socket would, `most` at a time. The sequences of the whole messages; 0 for what is bad.
std::vector<std::uint32_t> read_stream(std::span<const std::byte> bytes, std::size_t most) {
  MessageStream stream;
  std::vector<std::uint32_t> sequences;
  while (!bytes.empty()) {
    const auto wanted = stream.wanted();
    const auto some = bytes.first(std::min({wanted.size(), bytes.size(), most}));
    std::ranges::copy(some, wanted.begin());
    bytes = bytes.subspan(some.size());
    const auto state = stream.took(some.size());
    if (state == MessageStream::State::partial) continue;
    const auto header = decode(stream.message());
    if (state == MessageStream::State::bad || !header) {
      sequences.push_back(0);
      return sequences;
    }
    sequences.push_back(header->sequence);
    stream.next();
  }
  return sequences;
}

TEST(EchoStream, splits_messages_however_their_bytes_arrive) {
  Bytes bytes;
  for (const std::uint32_t sequence : {1U, 2U, 3U}) {
    const Bytes one = message(Type::request, std::size_t{32} * sequence, sequence);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  for (std::size_t most = 1; most < 100; ++most)
    EXPECT_THAT(read_stream(bytes, most), testing::ElementsAre(1, 2, 3));
  bytes.insert(bytes.begin() + 32, std::byte{0});
  for (std::size_t most = 1; most < 100; ++most)
    EXPECT_THAT(read_stream(bytes, most), testing::ElementsAre(1, 0));
}

TEST(EchoStream, keeps_what_a_socket_had_no_room_for) {
  const Bytes bytes = message(Type::request, 100);
  PendingBytes pending;
  EXPECT_TRUE(pending.empty());
  pending.keep(bytes, 100);
  EXPECT_TRUE(pending.empty());
  pending.keep(bytes, 30);
  EXPECT_TRUE(std::ranges::equal(pending.rest(), std::span(bytes).subspan(30)));
  pending.wrote(69);
  ASSERT_EQ(pending.rest().size(), 1U);
  EXPECT_EQ(pending.rest()[0], bytes[99]);
  pending.wrote(1);
  EXPECT_TRUE(pending.empty());
}

}  // namespace
}  // namespace netperfd::echo
