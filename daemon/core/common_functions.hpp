// SPDX-License-Identifier: GPL-2.0-or-later
// Limits the traced functions of a design to those that both sides have. The tracer's cost for a function
// that only one side has would burden only that side, which can flip the sign of a small difference.
#pragma once

#include <string>
#include <vector>

#include "daemon/core/ports/tracer.hpp"
#include "daemon/core/sides.hpp"

namespace netperfd::core {

// The names, sorted, that a comparison could not match with one of the other list (function_match.hpp).
[[nodiscard]] std::vector<std::string> functions_of_one_side(const std::vector<std::string>& a,
                                                             const std::vector<std::string>& b);

// Switches to both sides and fills FunctionGraphSpec::left_out. All arguments must outlive the object.
class CommonFunctions {
 public:
  CommonFunctions(Sides& sides, Tracer& tracer, TraceSpec& spec)
      : sides_(sides), tracer_(tracer), spec_(spec) {}
  CommonFunctions(const CommonFunctions&) = delete;
  CommonFunctions& operator=(const CommonFunctions&) = delete;

  // Ends on the side and the build of `last`. `done` is called once, never inside this call, and may destroy
  // this object. If the functions of a side cannot be listed, nothing is left out: the run then reports the
  // reason.
  void find(const Arm& last, Sides::Done done);

 private:
  Sides& sides_;
  Tracer& tracer_;
  TraceSpec& spec_;
  std::vector<std::string> first_;
  Sides::Done done_;
};

}  // namespace netperfd::core
