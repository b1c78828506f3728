// SPDX-License-Identifier: GPL-2.0-or-later
// Counters of this kernel around real connections between two namespaces, sampled when the test says so.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/counters/readings.hpp"
#include "daemon/counters/run_counters.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/counters/manual_clock.hpp"
#include "tests/unit/counters/namespace_pair.hpp"

namespace netperfd::counters {

inline constexpr std::uint16_t kPort = 5201;

inline sockaddr_in address_of(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  ::inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

class RunCountersHere : public NamespacePair {
 protected:
  void SetUp() override {
    NamespacePair::SetUp();
    // Without ARP nobody answers, so nobody accepts the packets.
    for (const Namespace* each : {&client_, &server_}) each->ip({"link", "set", "wire", "arp", "on"});
    send_refused(1);
  }

  // Datagrams to a port without a listener. Returns once they have arrived.
  void send_refused(int count) {
    sent_ += static_cast<std::uint64_t>(count);
    client_.send_datagrams("10.78.0.2", count);
    wait_until([this] { return refused() >= sent_; });
  }
  [[nodiscard]] std::uint64_t refused() const {
    const auto text = read_file(fmt::format("/proc/{}/net/snmp", server_.pid()), std::size_t{1} << 20U);
    for (const Reading& reading : parse_snmp(text.value())) {
      if (reading.name == "UdpNoPorts") return reading.value;
    }
    return 0;
  }

  void listen_at_the_server() {
    server_.run([this] {
      listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const sockaddr_in address = address_of("10.78.0.2");
      if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
          ::listen(listener_.get(), 8) != 0) {
        fail_system("listen");
      }
    });
  }

  struct Connection {
    Fd client, server;
    std::uint16_t port = 0;  // the client's
  };
  Connection connect() {
    Connection connection;
    client_.run([&] {
      connection.client.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const sockaddr_in address = address_of("10.78.0.2");
      if (::connect(connection.client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
          0)
        fail_system("connect");
    });
    sockaddr_in own{};
    socklen_t length = sizeof own;
    ::getsockname(connection.client.get(), reinterpret_cast<sockaddr*>(&own), &length);
    connection.port = ntohs(own.sin_port);
    connection.server.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return connection;
  }

  static void send_and_receive(const Connection& connection, std::size_t bytes) {
    std::string data(bytes, 'x');
    if (::send(connection.client.get(), data.data(), bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes) ||
        ::recv(connection.server.get(), data.data(), bytes, MSG_WAITALL) != static_cast<ssize_t>(bytes)) {
      fail_system("send and receive");
    }
  }

  [[nodiscard]] JobSpec spec() const {
    JobSpec spec;
    spec.workload = workload::traits_of("iperf3");
    spec.test.path.server = "10.78.0.2";
    spec.test.path.netns = "left";
    spec.test.path.local = LocalServer{.netns = "right", .bind = "10.78.0.2"};
    return spec;
  }
  std::unique_ptr<core::ActiveCounters> open() {
    return source_.open(spec(), {client_.pid(), server_.pid()});
  }

  ManualClock clock_;
  RunCounters source_{clock_};
  Fd listener_;
  std::uint64_t sent_ = 0;  // that are refused
};

}  // namespace netperfd::counters
