// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

// The service manager's end of sd_notify(): stores what a daemon sends, one line per assignment.
//
// A separate thread reads, because a service manager always reads: the kernel queues only about ten messages,
// and the next sd_notify() would block the daemon while the test waits for something else.
class NotifySocket {
 public:
  explicit NotifySocket(std::string path);
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;
  ~NotifySocket();

  // NOTIFY_SOCKET=...
  [[nodiscard]] std::string environment() const { return "NOTIFY_SOCKET=" + path_; }
  // All lines so far, in order.
  [[nodiscard]] std::vector<std::string> lines();
  // How often `line` has been sent.
  [[nodiscard]] std::size_t count(std::string_view line);
  // Waits until `line` was sent at least `times` times in total; false if the deadline passes first, or if
  // `pidfd` shows that the sender ended without having sent it.
  [[nodiscard]] bool wait_for(std::string_view line, std::size_t times, int pidfd,
                              const Deadline& deadline = Deadline{});

 private:
  void read_on();  // body of the thread
  void receive();

  std::string path_;
  Fd socket_;
  Fd news_;  // an eventfd: something was sent since the last read
  Fd stop_;  // an eventfd: the thread must end
  std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
  std::thread reader_;
};

}  // namespace netperfd::system_test
