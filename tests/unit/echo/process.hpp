// SPDX-License-Identifier: GPL-2.0-or-later
// The real program, and sockets to talk to it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::echo {

// By how much the memory of a server may grow that keeps nothing. AddressSanitizer's own stack frames take
// MBs.
#ifdef NETPERFD_SANITIZED
inline constexpr long kNoGrowthKib = 16384;
#else
inline constexpr long kNoGrowthKib = 256;
#endif

class Process {
 public:
  // `before`: a command that executes the program.
  explicit Process(std::vector<std::string> arguments, const std::vector<std::string>& before = {}) {
    auto pipe = make_pipe();
    EXPECT_TRUE(pipe);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe->write.get(), STDOUT_FILENO);
    arguments.insert(arguments.begin(), NETPERFD_ECHO);
    arguments.insert(arguments.begin(), before.begin(), before.end());
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    EXPECT_EQ(::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    output_ = std::move(pipe->read);
  }
  Process(Process&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        output_(std::move(other.output_)),
        rest_(std::move(other.rest_)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (pid_ > 0) {
      kill(SIGKILL);
      (void)wait();
    }
  }

  // Without its newline; empty at the end of the output.
  std::string line() {
    for (;;) {
      if (const auto end = rest_.find('\n'); end != std::string::npos) {
        std::string found = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        return found;
      }
      char buffer[4096];
      const ssize_t size = ::read(output_.get(), buffer, sizeof buffer);
      if (size <= 0) return {};
      rest_.append(buffer, static_cast<std::size_t>(size));
    }
  }
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (std::string one = line(); !one.empty(); one = line()) all.push_back(one);
    return all;
  }
  void kill(int signal) const { ::kill(pid_, signal); }
  // Returns once it stands still.
  void stop() const {
    kill(SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  // The exit code, or minus the signal.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Of its own data, not of the files that it maps.
  [[nodiscard]] long resident_kib() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string word; status >> word;) {
      long value = 0;
      if (word == "RssAnon:" && status >> value) return value;
    }
    return 0;
  }
  // CPU time in ticks of 10 ms.
  [[nodiscard]] long ticks() const {
    std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
    std::string word;
    long user = 0, system = 0;
    for (int i = 0; i < 13; ++i) stat >> word;
    stat >> user >> system;
    return user + system;
  }
  [[nodiscard]] std::size_t descriptors() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& each :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/fd"))
      ++count;
    return count;
  }

 private:
  pid_t pid_ = -1;
  Fd output_;
  std::string rest_;
};

// A server on a port that the kernel chose.
struct RunningServer {
  explicit RunningServer(const std::string& bind = "127.0.0.1", const std::vector<std::string>& command = {})
      : process({"serve", "--bind", bind, "--port", "0"}, command) {
    const std::string line = process.line();
    const std::string before = "Listening on " + bind + " port ";
    EXPECT_TRUE(line.starts_with(before)) << line;
    std::from_chars(line.data() + before.size(), line.data() + line.size(), port);
  }
  Process process;
  std::uint16_t port = 0;
};

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline std::uint16_t port_of(const Fd& socket) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.sin_port);
}

inline Fd bound_datagrams() {
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto address = loopback(0);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

inline Fd connected(int type, std::uint16_t port) {
  Fd socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const auto address = loopback(port);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

// What arrives within `milliseconds`; absent if nothing does.
inline std::optional<std::vector<std::byte>> receive_some(const Fd& socket, int milliseconds) {
  pollfd polled{.fd = socket.get(), .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, milliseconds) <= 0) return std::nullopt;
  std::vector<std::byte> bytes(65536);
  const ssize_t size = ::recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

// The number after "key": in a line.
inline double number_in(const std::string& line, const std::string& key) {
  const auto at = line.find('"' + key + "\":");
  double value = -1;
  if (at == std::string::npos) return value;
  const char* const begin = line.data() + at + key.size() + 3;
  std::from_chars(begin, line.data() + line.size(), value);
  return value;
}

}  // namespace netperfd::echo
