// SPDX-License-Identifier: GPL-2.0-or-later
// A run with a server of its own, and other users who connect to it.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/socket.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/support/patience.hpp"
#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload::test {

inline constexpr uid_t kStranger = 4711;
// As iperf3's cookies are.
inline constexpr std::string_view kPlausible{"abcdefghijklmnopqrstuvwxyz234567abcd", 37};

inline sockaddr_in server_address() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(5201);
  ::inet_pton(AF_INET, NamespacePair::kRightAddress, &address.sin_addr);
  return address;
}

// Of a thread of its own, which this turns into another user in a namespace.
inline void become_stranger(const std::string& netns) {
  const Fd file{::open(("/run/netns/" + netns).c_str(), O_RDONLY | O_CLOEXEC)};
  if (::setns(file.get(), CLONE_NEWNET) != 0) throw std::runtime_error("setns " + netns);
  ::setfsuid(kStranger);
}

// A connection that says `words`; without a descriptor if it is not taken.
inline Fd connect_as_stranger(const std::string& netns, std::string_view words,
                              std::chrono::microseconds patience = kTestPatience) {
  Fd connection;
  std::thread([&] {
    become_stranger(netns);
    Fd tried{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const timeval limit{.tv_sec = patience / std::chrono::seconds{1},
                        .tv_usec = (patience % std::chrono::seconds{1}).count()};
    (void)::setsockopt(tried.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const sockaddr_in address = server_address();
    if (::connect(tried.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    if (!words.empty()) (void)::send(tried.get(), words.data(), words.size(), MSG_NOSIGNAL);
    connection = std::move(tried);
  }).join();
  return connection;
}

class ServerGuardTest : public Iperf3WorkloadTest {
 protected:
  // Of the flag with this code; empty if there is none.
  [[nodiscard]] std::string flag(std::string_view code) const {
    for (const QualityFlag& each : listener.result->flags) {
      if (each.code == code) return each.message;
    }
    return {};
  }
  // One run, after others or not.
  void measure(const JobSpec& job) {
    listener.prepared = listener.stopped = 0;
    listener.result.reset();
    listener.intervals.clear();
    prepare_and_release(job);
    wait_for_end();
  }
  void expect_measured() const {
    ASSERT_TRUE(listener.result);
    EXPECT_EQ(error(), "");
    ASSERT_FALSE(listener.result->report.sums.empty());
    EXPECT_GT(listener.result->report.sums[0].received_bytes.value_or(0), 0U);
    EXPECT_EQ(flag("server-unguarded"), "");
  }
};

}  // namespace netperfd::workload::test
