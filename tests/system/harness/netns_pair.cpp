// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/netns_pair.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"
#include "tests/system/harness/process.hpp"

namespace netperfd::system_test {
namespace {

constexpr std::string_view kPrefix = "netperfd-test-";

void ip(std::initializer_list<std::string> words) {
  std::vector<std::string> argv{"ip"};
  argv.insert(argv.end(), words.begin(), words.end());
  must_run(std::move(argv));
}

// The process that a namespace of ours is named after: netperfd-test-PID-left.
std::optional<pid_t> maker_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc{} || end == name.data() + name.size() || *end != '-') return std::nullopt;
  return pid;
}

void remove_leftovers() {
  std::error_code none;  // /run/netns does not exist before the first namespace
  for (const auto& entry : std::filesystem::directory_iterator("/run/netns", none)) {
    const std::string name = entry.path().filename();
    const auto maker = maker_of(name);
    if (maker && ::kill(*maker, 0) != 0) ip({"netns", "delete", name});
  }
}

void set_up_end(const std::string& netns, const char* address) {
  ip({"-n", netns, "address", "add", fmt::format("{}/24", address), "dev", NetnsPair::kInterface});
  ip({"-n", netns, "link", "set", NetnsPair::kInterface, "up"});
  ip({"-n", netns, "link", "set", "lo", "up"});
}

// Calls `act` in the namespace: in a separate thread, since setns() moves the thread that calls it.
void in_netns(const std::string& netns, const std::function<void()>& act) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      const Fd there{::open(("/run/netns/" + netns).c_str(), O_RDONLY | O_CLOEXEC)};
      if (::setns(there.get(), CLONE_NEWNET) != 0) {
        throw std::system_error(errno, std::generic_category(), "setns");
      }
      act();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

// Readable once an IPv6 address has come, gone or changed.
Fd changes_of_ipv6(const std::string& netns) {
  Fd changes;
  in_netns(netns, [&] {
    changes.reset(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
    sockaddr_nl addresses{};
    addresses.nl_family = AF_NETLINK;
    addresses.nl_groups = RTMGRP_IPV6_IFADDR;
    if (::bind(changes.get(), reinterpret_cast<const sockaddr*>(&addresses), sizeof addresses) != 0) {
      throw std::system_error(errno, std::generic_category(), "netlink socket in " + netns);
    }
  });
  return changes;
}

// The kernel gives an end its IPv6 address when both are up and nobody else has it, up to two seconds later.
// Until then, its packets are among those of a run.
void wait_for_ipv6(const std::string& netns) {
  const Deadline deadline;
  const Fd changes = changes_of_ipv6(netns);
  while (std::filesystem::exists("/proc/net/if_inet6")) {
    const Outcome shown =
        run({.argv = {"ip", "-n", netns, "-6", "address", "show", "dev", NetnsPair::kInterface, "-tentative"},
             .environment = {},
             .user = {},
             .netns = {},
             .stderr_file = {}});
    if (shown.out.find("inet6") != std::string::npos) return;
    pollfd watched{changes.get(), POLLIN, 0};
    if (::poll(&watched, 1, deadline.poll_timeout()) == 0) {
      throw std::runtime_error(netns + " has no IPv6 address: " + shown.err);
    }
    std::array<char, 4096> told{};
    while (::recv(changes.get(), told.data(), told.size(), 0) > 0) {
    }
  }
}

}  // namespace

NetnsPair::NetnsPair()
    : left_(fmt::format("{}{}-left", kPrefix, ::getpid())),
      right_(fmt::format("{}{}-right", kPrefix, ::getpid())) {
  remove_leftovers();
  ip({"netns", "add", left_});
  ip({"netns", "add", right_});
  ip({"link", "add", kInterface, "netns", left_, "type", "veth", "peer", "name", kInterface, "netns",
      right_});
  set_up_end(left_, kLeftAddress);
  set_up_end(right_, kRightAddress);
  for (const std::string& end : {left_, right_}) wait_for_ipv6(end);
}

NetnsPair::~NetnsPair() {
  for (const std::string& name : {left_, right_}) {
    (void)run({.argv = {"ip", "netns", "delete", name},
               .environment = {},
               .user = {},
               .netns = {},
               .stderr_file = {}});
  }
}

void NetnsPair::set_link(bool up) const {
  ip({"-n", right_, "link", "set", kInterface, up ? "up" : "down"});
}

void NetnsPair::take_ipv6() const {
  ip({"-n", right_, "-6", "address", "flush", "dev", kInterface, "scope", "link"});
}

void NetnsPair::give_ipv6() const {
  for (const bool up : {false, true}) set_link(up);
  wait_for_ipv6(right_);
}

void NetnsPair::send_datagrams(std::uint16_t port, int count) const {
  in_netns(left_, [&] {
    // Not connected, since the port's ICMP answers would make sending fail.
    const Fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    ::inet_pton(AF_INET, kRightAddress, &to.sin_addr);
    for (int i = 0; i < count; ++i) {
      if (::sendto(socket.get(), "test", 4, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0) {
        throw std::system_error(errno, std::generic_category(), "sendto");
      }
    }
  });
}

}  // namespace netperfd::system_test
