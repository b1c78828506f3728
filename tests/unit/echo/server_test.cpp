// SPDX-License-Identifier: GPL-2.0-or-later
// The real server against hostile clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "daemon/echo/packet.hpp"
#include "daemon/echo/server.hpp"
#include "tests/unit/echo/process.hpp"

namespace netperfd::echo {
namespace {

using Bytes = std::vector<std::byte>;
constexpr int kLong = 20'000;  // ms; only a failure takes it

Bytes message(Type type, std::size_t length, std::uint32_t sequence) {
  Bytes bytes(length);
  encode({.type = type, .length = static_cast<std::uint16_t>(length), .session = 42, .sequence = sequence},
         bytes);
  return bytes;
}

void send_bytes(const Fd& socket, std::span<const std::byte> bytes) {
  EXPECT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

// Whether the server answers a request with this sequence; other answers before it are counted. A request is
// repeated, since a full buffer loses datagrams.
bool answers(const Fd& socket, std::uint32_t sequence, int& others) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    send_bytes(socket, message(Type::request, 64, sequence));
    while (const auto bytes = receive_some(socket, 200)) {
      const auto reply = decode_reply(*bytes);
      if (reply && reply->header.sequence == sequence && bytes->size() == 64) return true;
      if (bytes->empty()) return false;  // a connection that was closed
      ++others;
    }
  }
  return false;
}

TEST(EchoServer, answers_requests_over_udp_and_tcp_with_its_times_and_ends_at_sigterm) {
  RunningServer server;
  for (const int type : {SOCK_DGRAM, SOCK_STREAM}) {
    const Fd socket = connected(type, server.port);
    const Ns before = read_clocks().wall;
    send_bytes(socket, message(Type::request, 1400, 7));
    const auto bytes = receive_some(socket, kLong);
    ASSERT_TRUE(bytes);
    const auto reply = decode_reply(*bytes);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->header.sequence, 7U);
    EXPECT_GE(reply->far.arrival, before);
    EXPECT_GE(reply->far.sent, reply->far.arrival);
    EXPECT_LE(reply->far.sent, read_clocks().wall);
  }
  server.process.kill(SIGTERM);
  EXPECT_EQ(server.process.wait(), 0);
}

TEST(EchoServer, never_answers_a_reply_so_two_servers_do_not_loop) {
  RunningServer server;
  const Fd socket = connected(SOCK_DGRAM, server.port);
  for (const Type type : {Type::reply, Type::hello_reply}) send_bytes(socket, message(type, 64, 1));
  int others = 0;
  EXPECT_TRUE(answers(socket, 2, others));
  EXPECT_EQ(others, 0);
}

struct Flood {
  std::size_t answerable = 0, answers = 0, sent_bytes = 0, received_bytes = 0;
};

// A thousand datagrams: whole and damaged messages of any type and length, and random bytes.
Flood flood(const Fd& socket, unsigned seed) {
  std::mt19937 random(seed);
  Flood told;
  Bytes bytes;
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) {
      bytes = message(static_cast<Type>(i % 5), 20 + random() % 1400, 9);
      if (i % 4 == 0) bytes[random() % 20] ^= static_cast<std::byte>(random());
      if (i % 8 == 0) bytes.resize(random() % 2000);
    } else {
      bytes.resize(random() % 3000);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    }
    told.sent_bytes += bytes.size();
    Bytes copy = bytes;
    if (make_reply(copy, {}, {})) ++told.answerable;
    send_bytes(socket, bytes);
    while (const auto reply = receive_some(socket, 0)) {
      told.received_bytes += reply->size();
      ++told.answers;
    }
  }
  return told;
}

TEST(EchoServer, a_thousand_hostile_datagrams_leave_it_answering_with_the_memory_it_had) {
  RunningServer server;
  const Fd socket = connected(SOCK_DGRAM, server.port);
  (void)flood(socket, 3);  // touches what it needs
  int others = 0;
  ASSERT_TRUE(answers(socket, 1, others));
  const long before = server.process.resident_kib();
  others = 0;
  Flood told;
  for (unsigned seed = 4; seed < 9; ++seed) {
    const Flood one = flood(socket, seed);
    told.answerable += one.answerable;
    told.answers += one.answers;
    told.sent_bytes += one.sent_bytes;
    told.received_bytes += one.received_bytes;
  }
  EXPECT_TRUE(answers(socket, 3, others));
  EXPECT_GT(told.answerable, 100U);
  EXPECT_LE(told.answers + static_cast<std::size_t>(others), told.answerable);
  EXPECT_LE(told.received_bytes, told.sent_bytes);
  EXPECT_LT(server.process.resident_kib() - before, kNoGrowthKib)
      << "of " << told.sent_bytes / 1024 << " KiB";
}

TEST(EchoServer, more_connections_than_it_keeps_are_closed_and_leave_room_when_others_end) {
  RunningServer server;
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < kMostConnections; ++i) {
    sockets.push_back(connected(SOCK_STREAM, server.port));
    int others = 0;
    ASSERT_TRUE(answers(sockets.back(), static_cast<std::uint32_t>(i), others));
  }
  const std::size_t descriptors = server.process.descriptors();
  for (int i = 0; i < 100; ++i) {
    const Fd refused = connected(SOCK_STREAM, server.port);
    const auto bytes = receive_some(refused, kLong);
    EXPECT_TRUE(bytes && bytes->empty());
  }
  EXPECT_EQ(server.process.descriptors(), descriptors);
  int others = 0;
  EXPECT_TRUE(answers(sockets.front(), 5, others));
  sockets.pop_back();
  // Its end may be seen after the next connection.
  bool accepted = false;
  for (int attempt = 0; attempt < 1000 && !accepted; ++attempt) {
    const Fd next = connected(SOCK_STREAM, server.port);
    const Bytes request = message(Type::request, 64, 1);
    (void)::send(next.get(), request.data(), request.size(), MSG_NOSIGNAL);
    const auto bytes = receive_some(next, kLong);
    accepted = bytes && !bytes->empty();
  }
  EXPECT_TRUE(accepted);
}

TEST(EchoServer, closes_a_connection_that_sends_something_else) {
  RunningServer server;
  for (const Bytes& bad :
       {Bytes(20, std::byte{'G'}), message(Type::reply, 64, 1), message(Type::hello_reply, 64, 1)}) {
    const Fd socket = connected(SOCK_STREAM, server.port);
    send_bytes(socket, bad);
    const auto bytes = receive_some(socket, kLong);
    EXPECT_TRUE(!bytes || bytes->empty()) << "closed or reset";
  }
  int others = 0;
  EXPECT_TRUE(answers(connected(SOCK_STREAM, server.port), 1, others));
}

TEST(EchoServer, a_client_that_reads_nothing_is_not_read_either_and_others_are_served) {
  RunningServer server;
  for (int i = 0; i < 20; ++i) {  // touches what it needs
    int others = 0;
    ASSERT_TRUE(answers(connected(SOCK_STREAM, server.port), 1, others));
    ASSERT_TRUE(answers(connected(SOCK_DGRAM, server.port), 1, others));
  }
  const Fd greedy = connected(SOCK_STREAM, server.port);
  const long before = server.process.resident_kib();
  const Bytes request = message(Type::request, 1400, 1);
  // Until both sockets are full. A partial write ends it too: what follows would not be a message.
  std::size_t sent = 0;
  for (int quiet = 0; quiet < 3;) {
    const ssize_t size = ::send(greedy.get(), request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size == static_cast<ssize_t>(request.size())) {
      ++sent;
      quiet = 0;
      continue;
    }
    if (size > 0) break;
    int others = 0;  // so that the server had its turn
    EXPECT_TRUE(answers(connected(SOCK_STREAM, server.port), 1, others));
    ++quiet;
  }
  EXPECT_GT(sent, 100U);
  // It waits, and does not ask again and again.
  const long ticks = server.process.ticks();
  ::poll(nullptr, 0, 500);
  EXPECT_LT(server.process.ticks() - ticks, 10);
  int others = 0;
  EXPECT_TRUE(answers(connected(SOCK_STREAM, server.port), 1, others));
  EXPECT_TRUE(answers(connected(SOCK_DGRAM, server.port), 1, others));
  EXPECT_LT(server.process.resident_kib() - before, kNoGrowthKib) << "of " << sent << " requests";
}

TEST(EchoServer, assembles_a_request_that_comes_byte_by_byte) {
  RunningServer server;
  const Fd socket = connected(SOCK_STREAM, server.port);
  const Bytes request = message(Type::request, 40, 6);
  for (const std::byte& byte : request) send_bytes(socket, std::span(&byte, 1));
  const auto bytes = receive_some(socket, kLong);
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(decode_reply(*bytes));
}

TEST(EchoServer, says_when_its_port_is_taken) {
  RunningServer server;
  Process second({"serve", "--bind", "127.0.0.1", "--port", std::to_string(server.port)});
  EXPECT_EQ(second.line(), "");
  EXPECT_EQ(second.wait(), 1);
}

}  // namespace
}  // namespace netperfd::echo
