#pragma once

#include <string>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

// Sees what arrives in a namespace from the moment it is made: how a test knows, without looking again and
// again, that an iperf3 which says nothing while it runs is in the middle of its measurement.
class TrafficTap {
 public:
  explicit TrafficTap(const std::string& netns);

  // Until a packet of a measurement (not of its control connection) came; an exception where the deadline
  // passes first.
  void wait_for_traffic(const Deadline& deadline = Deadline{});

 private:
  Fd socket_;
};

}  // namespace netperfd::system_test
