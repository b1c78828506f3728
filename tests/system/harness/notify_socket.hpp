#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

// The service manager's end of sd_notify(): keeps what a daemon says, a line an assignment.
class NotifySocket {
 public:
  explicit NotifySocket(std::string path);

  // NOTIFY_SOCKET=...
  [[nodiscard]] std::string environment() const { return "NOTIFY_SOCKET=" + path_; }
  // All lines so far, in order.
  [[nodiscard]] const std::vector<std::string>& lines();
  // How often `line` was said so far.
  [[nodiscard]] std::size_t count(std::string_view line);
  // Until `line` was said at least `times` in all; false where the deadline passes first or `pidfd` (-1:
  // none) shows that the speaker has ended without having said it.
  [[nodiscard]] bool wait_for(std::string_view line, std::size_t times, int pidfd,
                              const Deadline& deadline = Deadline{});

 private:
  void receive();

  std::string path_;
  Fd socket_;
  std::vector<std::string> lines_;
};

}  // namespace netperfd::system_test
