// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/refused_others.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace netperfd::workload::test {
namespace {

SocketEnd from(const char* address, std::uint16_t port = 40'000) {
  SocketEnd end;
  end.family = AF_INET;
  end.port = port;
  EXPECT_EQ(::inet_pton(AF_INET, address, &end.address), 1);
  return end;
}

TEST(RefusedOthers, are_not_the_connections_that_the_client_lacked_when_it_ended) {
  RefusedOthers others;
  others.note_left("connection", from("10.0.0.1", 40'000));
  others.note_left("connection", from("10.0.0.1", 40'001));
  others.settle("connection", 2);
  EXPECT_EQ(others.text(), "");
}

TEST(RefusedOthers, are_those_who_left_beyond_what_the_client_lacked) {
  RefusedOthers others;
  others.note_left("connection", from("10.0.0.1", 40'000));
  others.note_left("connection", from("10.0.0.2", 40'001));
  others.note_left("connection", from("10.0.0.3", 40'002));
  others.settle("connection", 1);
  EXPECT_EQ(others.text(), "1 connection from 10.0.0.2, 1 connection from 10.0.0.3");
}

TEST(RefusedOthers, are_all_who_left_if_the_client_lacked_nothing) {
  RefusedOthers others;
  others.note_left("connection", from("10.0.0.1", 40'000));
  others.note_left("connection", from("10.0.0.1", 40'001));
  others.settle("connection", 0);
  EXPECT_EQ(others.text(), "2 connections from 10.0.0.1");
}

TEST(RefusedOthers, that_lack_as_connections_are_not_datagrams) {
  RefusedOthers others;
  others.note_left("connection", from("10.0.0.1"));
  others.note_left("datagram", from("10.0.0.1"));
  others.settle("connection", 5);
  others.settle("datagram", 0);
  EXPECT_EQ(others.text(), "1 datagram from 10.0.0.1");
}

TEST(RefusedOthers, who_stayed_are_told_whatever_the_client_lacked) {
  RefusedOthers others;
  others.note("connection", from("10.0.0.2"), 4711);
  others.settle("connection", 3);
  EXPECT_EQ(others.text(), "1 connection of uid 4711 from 10.0.0.2");
}

TEST(RefusedOthers, who_left_are_counted_without_a_limit_of_memory) {
  RefusedOthers others;
  for (std::uint16_t port = 1; port <= 2'000; ++port) others.note_left("connection", from("10.0.0.1", port));
  others.settle("connection", 1);
  EXPECT_EQ(others.text(), "1999 connections from 10.0.0.1");
}

}  // namespace
}  // namespace netperfd::workload::test
