// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

// Watches the packets that arrive in a namespace from its creation on. It shows a test, without polling, that
// an iperf3 that prints nothing is in the middle of its measurement.
class TrafficTap {
 public:
  explicit TrafficTap(const std::string& netns);

  // Waits for a packet of a measurement (not of its control connection); throws if the deadline passes first.
  void wait_for_traffic(const Deadline& deadline = Deadline{});

 private:
  Fd socket_;
};

}  // namespace netperfd::system_test
