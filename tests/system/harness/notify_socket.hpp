#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

// The service manager's end of sd_notify(): keeps what a daemon says, a line an assignment.
//
// A thread of its own reads, as a service manager always does: the kernel queues some ten messages only, and
// the next sd_notify() would hold up the daemon while the test waits for something else.
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
  // How often `line` was said so far.
  [[nodiscard]] std::size_t count(std::string_view line);
  // Until `line` was said at least `times` in all; false where the deadline passes first or `pidfd` shows
  // that the speaker has ended without having said it.
  [[nodiscard]] bool wait_for(std::string_view line, std::size_t times, int pidfd,
                              const Deadline& deadline = Deadline{});

 private:
  void read_on();  // the thread
  void receive();

  std::string path_;
  Fd socket_;
  Fd news_;  // an eventfd: something was said since it was read
  Fd stop_;  // an eventfd: the thread is to end
  std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
  std::thread reader_;
};

}  // namespace netperfd::system_test
