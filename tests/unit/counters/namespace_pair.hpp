// SPDX-License-Identifier: GPL-2.0-or-later
// Network namespaces, also in pairs joined by a veth pair.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::counters {

[[noreturn]] inline void fail_system(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// What packets do: the kernel may leave them to ksoftirqd, which waits for a CPU, and the first one waits for
// ARP.
inline void wait_until(const std::function<bool()>& fact) {
  const auto end = std::chrono::steady_clock::now() + kTestPatience;
  while (!fact()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("packets do not arrive");
    std::this_thread::yield();
  }
}

// A network namespace that lives as long as an idle process in it.
class Namespace {
 public:
  Namespace() {
    Pipe entered = make_pipe().value();
    pid_ = ::fork();
    if (pid_ < 0) fail_system("fork");
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool done = ::unshare(CLONE_NEWNET) == 0 && ::write(entered.write.get(), "x", 1) == 1;
      while (done) ::pause();
      ::_exit(1);
    }
    entered.write.reset();
    char byte = 0;
    if (::read(entered.read.get(), &byte, 1) != 1) fail_system("unshare");
  }
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;
  ~Namespace() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  // In a separate thread, since setns() moves the thread that calls it.
  void run(const std::function<void()>& inside) const {
    std::exception_ptr failure;
    std::thread([&] {
      try {
        const Fd net{::open(fmt::format("/proc/{}/ns/net", pid_).c_str(), O_RDONLY | O_CLOEXEC)};
        if (::setns(net.get(), CLONE_NEWNET) != 0) fail_system("setns");
        inside();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
  }

  void ip(std::vector<std::string> words) const { command("ip", std::move(words)); }
  void tc(std::vector<std::string> words) const { command("tc", std::move(words)); }
  void command(const char* program, std::vector<std::string> words) const {
    words.insert(words.begin(), program);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    run([&] {
      pid_t child = 0;
      errno = ::posix_spawnp(&child, program, nullptr, nullptr, argv.data(), environ);
      if (errno != 0) fail_system(program);
      int status = 0;
      ::waitpid(child, &status, 0);
      if (status != 0) throw std::runtime_error(fmt::format("{} {}: {}", program, argv[1], status));
    });
  }

  // The datagrams have 100 bytes, which a device counts as 142.
  void send_datagrams(const char* to, int count) const {
    run([&] {
      const Fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(9);
      ::inet_pton(AF_INET, to, &address.sin_addr);
      const std::string datagram(100, 'x');
      for (int i = 0; i < count; ++i) {
        if (::sendto(socket.get(), datagram.data(), datagram.size(), 0, reinterpret_cast<sockaddr*>(&address),
                     sizeof address) < 0) {
          fail_system("sendto");
        }
      }
    });
  }

 private:
  pid_t pid_ = -1;
};

// Devices that are made there later have no address and no traffic of their own.
inline void keep_quiet(const Namespace& netns) {
  netns.run([] { std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << "1"; });
}

// Two namespaces joined by a veth pair that carries no traffic of its own.
class NamespacePair : public testing::Test {
 protected:
  void SetUp() override {
    for (const Namespace* each : {&client_, &server_}) keep_quiet(*each);
    client_.ip({"link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns",
                fmt::format("{}", server_.pid())});
    client_.ip({"address", "add", "10.78.0.1/24", "dev", "wire"});
    server_.ip({"address", "add", "10.78.0.2/24", "dev", "wire"});
    for (const Namespace* each : {&client_, &server_}) {
      each->ip({"link", "set", "wire", "arp", "off"});
      each->ip({"link", "set", "wire", "up"});
      each->ip({"link", "set", "lo", "up"});
    }
    for (const Namespace* each : {&client_, &server_}) each->run(await_carrier);
  }

  // The kernel drops packets until its work queue has seen the carrier; who asks for the link makes it look.
  static void await_carrier() { await_carrier_of("wire"); }
  static void await_carrier_of(std::string_view device) {
    const Fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    ethtool_value link{};
    link.cmd = ETHTOOL_GLINK;
    ifreq request{};
    device.copy(request.ifr_name, sizeof request.ifr_name - 1);
    request.ifr_data = reinterpret_cast<char*>(&link);
    if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) fail_system("ETHTOOL_GLINK");
  }

  Namespace client_, server_;
};

}  // namespace netperfd::counters
