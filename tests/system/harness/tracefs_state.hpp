// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace netperfd::system_test {

// All settings of tracefs as text: the top instance's files, each event's enable, filter and trigger, and the
// names of the instances. If two texts are equal, so was the state of tracefs.
[[nodiscard]] std::string tracefs_state();

[[nodiscard]] bool tracefs_allows_function_graph();

// Traces this event in the top instance, like a user who writes into tracefs by hand.
class ForeignTracer {
 public:
  explicit ForeignTracer(const std::string& event);  // "sched:sched_switch"
  ForeignTracer(const ForeignTracer&) = delete;
  ForeignTracer& operator=(const ForeignTracer&) = delete;
  ~ForeignTracer();

 private:
  std::string switch_;
};

}  // namespace netperfd::system_test
