// SPDX-License-Identifier: GPL-2.0-or-later
// The real server against hostile clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>

#include "daemon/echo/packet.hpp"
#include "daemon/echo/server.hpp"
#include "daemon/model/echo_session.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/echo/process.hpp"

namespace netperfd::echo {
namespace {

using Bytes = std::vector<std::byte>;

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
    const auto bytes = receive_some(socket, kTestPatienceMs);
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

// From 127.0.0.HOST.
Fd connected_from(std::uint32_t host, std::uint16_t port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in from = loopback(0);
  from.sin_addr.s_addr = htonl((127U << 24U) + host);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
  const sockaddr_in to = loopback(port);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return socket;
}

bool is_answered(const Fd& socket) {
  int others = 0;
  return answers(socket, 1, others);
}

// Whether the server closes it, sooner or later.
bool is_closed(const Fd& socket) {
  const auto bytes = receive_some(socket, kTestPatienceMs);
  return bytes && bytes->empty();
}

TEST(EchoServer, silent_connections_keep_nobody_out) {
  RunningServer server;
  std::vector<Fd> silent;
  for (std::uint32_t i = 0; i < 200; ++i) silent.push_back(connected_from(1 + i % 7, server.port));
  EXPECT_TRUE(is_answered(connected_from(1, server.port)));
  EXPECT_TRUE(is_answered(connected_from(9, server.port)));
  EXPECT_EQ(Process({"probe", "--to", "127.0.0.1", "--port", std::to_string(server.port), "--duration",
                     "100ms", "--probe", "protocol=tcp,rate=100"})
                .wait(),
            0);
  EXPECT_TRUE(is_closed(silent.front())) << "the oldest made room";
}

TEST(EchoServer, a_connection_that_says_nothing_whole_is_closed_within_seconds) {
  RunningServer server;
  const Fd silent = connected(SOCK_STREAM, server.port), slow = connected(SOCK_STREAM, server.port),
           speaking = connected(SOCK_STREAM, server.port);
  ASSERT_TRUE(is_answered(speaking));
  send_bytes(slow, message(Type::request, 64, 1));
  ASSERT_TRUE(receive_some(slow, kTestPatienceMs));
  const Fd partial = connected(SOCK_STREAM, server.port);
  const Bytes unfinished = message(Type::request, 64, 1);
  send_bytes(partial, std::span(unfinished).first(63));
  EXPECT_TRUE(is_closed(silent));
  EXPECT_TRUE(is_closed(partial));
  EXPECT_TRUE(is_answered(speaking)) << "one that has spoken may pause";
}

TEST(EchoServer, one_source_has_sixteen_connections_that_speak) {
  RunningServer server;
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < kMostOfSource; ++i) {
    sockets.push_back(connected_from(1, server.port));
    ASSERT_TRUE(is_answered(sockets.back()));
  }
  EXPECT_FALSE(is_answered(connected_from(1, server.port)));
  EXPECT_TRUE(is_answered(connected_from(2, server.port)));
  EXPECT_TRUE(is_answered(sockets.front()));
}

TEST(EchoServer, sources_that_took_all_places_make_room_for_one_with_fewer) {
  RunningServer server;
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < kMostConnections; ++i) {
    sockets.push_back(connected_from(1 + static_cast<std::uint32_t>(i / kMostOfSource), server.port));
    ASSERT_TRUE(is_answered(sockets.back()));
  }
  const std::size_t descriptors = server.process.descriptors();
  std::vector<Fd> others;
  std::vector<bool> answered;
  for (std::uint32_t i = 0; i < 40; ++i) {
    others.push_back(connected_from(100 + i % 2, server.port));
    answered.push_back(is_answered(others.back()));
  }
  // Six sources share the places.
  EXPECT_TRUE(std::ranges::all_of(answered.begin(), answered.begin() + 18, std::identity{}));
  EXPECT_TRUE(std::ranges::none_of(answered.begin() + 22, answered.end(), std::identity{}));
  EXPECT_LE(server.process.descriptors(), descriptors + 1);
  EXPECT_TRUE(is_answered(others.front()));
}

TEST(EchoServer, of_one_run_serves_the_prober_of_that_run_alone) {
  const std::vector<std::string> with_session{"/usr/bin/env",
                                              std::string(kEchoSessionVariable) + "=0123456789abcdef"};
  RunningServer server("127.0.0.1", with_session);
  const Fd datagrams = connected(SOCK_DGRAM, server.port);
  for (int i = 0; i < 10'000; ++i) send_bytes(datagrams, message(Type::request, 1400, 1));
  EXPECT_FALSE(receive_some(datagrams, 100)) << "somebody else's session";
  EXPECT_FALSE(is_answered(connected(SOCK_STREAM, server.port)));
  for (const char* const protocol : {"protocol=tcp,rate=100", "protocol=udp,rate=100"}) {
    EXPECT_EQ(Process({"probe", "--to", "127.0.0.1", "--port", std::to_string(server.port), "--duration",
                       "100ms", "--probe", protocol},
                      with_session)
                  .wait(),
              0);
  }
}

TEST(EchoServer, closes_a_connection_that_sends_something_else) {
  RunningServer server;
  for (const Bytes& bad :
       {Bytes(20, std::byte{'G'}), message(Type::reply, 64, 1), message(Type::hello_reply, 64, 1)}) {
    const Fd socket = connected(SOCK_STREAM, server.port);
    send_bytes(socket, bad);
    const auto bytes = receive_some(socket, kTestPatienceMs);
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
  const auto bytes = receive_some(socket, kTestPatienceMs);
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
