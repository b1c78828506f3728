// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers shared by the tests of this module.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::command::test {

inline EventLoop make_loop() {
  auto loop = EventLoop::create();
  if (!loop) throw std::runtime_error(loop.error().message);
  return std::move(*loop);
}

// Runs the loop until `fact` holds; false if it does not within `deadline`.
inline bool turn_until(EventLoop& loop, const std::function<bool()>& fact,
                       std::chrono::seconds deadline = kTestPatience) {
  bool late = false;
  const auto timer = loop.after(deadline, [&late] { late = true; });
  while (!fact() && !late) {
    if (sd_event_run(loop.raw(), UINT64_MAX) < 0) return false;
  }
  return fact();
}

// A directory used only by this test.
class Scratch {
 public:
  Scratch() {
    std::string path = std::filesystem::temp_directory_path() / "netperfd-command-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp " + path);
    path_ = path;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string path(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Lets a command report to the test: a line written to this file.
class Fifo {
 public:
  explicit Fifo(std::string path) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo " + path_);
    fd_.reset(::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  // The next number; -1 if none comes.
  [[nodiscard]] int number(EventLoop& loop) const {
    std::string text;
    const auto source = loop.on_readable(fd_.get(), [&] {
      std::array<char, 64> chunk{};
      const ssize_t got = ::read(fd_.get(), chunk.data(), chunk.size());
      if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    });
    return turn_until(loop, [&text] { return text.ends_with('\n'); }) ? std::stoi(text) : -1;
  }

 private:
  std::string path_;
  Fd fd_;
};

// True once the process (of any parent) has ended.
inline bool turn_until_gone(EventLoop& loop, pid_t pid) {
  const Fd pidfd{::pidfd_open(pid, 0)};
  if (!pidfd) return errno == ESRCH;
  bool gone = false;
  const auto source = loop.on_readable(pidfd.get(), [&gone] { gone = true; });
  return turn_until(loop, [&gone] { return gone; });
}

inline std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

}  // namespace netperfd::command::test
