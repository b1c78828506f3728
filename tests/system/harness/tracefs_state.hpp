#pragma once

#include <string>

namespace netperfd::system_test {

// Every setting of tracefs as text: the top instance's files, each event's enable, filter and trigger, the
// names of the instances. Equal texts, equal tracefs.
[[nodiscard]] std::string tracefs_state();

[[nodiscard]] bool tracefs_allows_function_graph();

// Somebody who traces this event in the top instance, as a person would who writes into tracefs by hand.
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
