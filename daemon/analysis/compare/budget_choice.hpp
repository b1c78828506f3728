// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the functions of a trace by the share of CPU time that the tracer may take.
//
// All functions are traced for a moment. In that moment, the workload and the tracer kept the CPUs busy for
// B, of which H calls took H * c at the calibrated cost c. The rest, W = B - H * c, is work that does not
// depend on the tracer. Besides, netperfd took R to read the records, which competes with the workload for
// the CPUs. So a function with h calls costs h * (c + R / H) / W per unit of work, and a set whose costs add
// up to x takes the share x / (1 + x) of the CPU time of a run that traces it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/counters.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/rows/budget.hpp"

namespace netperfd::analysis {

// What was counted on one side of a job, or in a job without sides.
struct CallCount {
  std::map<std::string, std::uint64_t> calls;  // by name, of the functions that were called
  std::uint64_t uncalled = 0;                  // other functions that were traced
  std::uint64_t records = 0, lost = 0;         // of the ring buffers: calls are missing if some were lost
  double busy_ns = 0;                          // of all CPUs in the same time, without netperfd
  double reading_ns = 0;                       // CPU time of netperfd to read the records
  double call_ns = 0;                          // cost of a traced call
  double window_s = 0;                         // the length of that time
  double work_factor = 1;                      // by which the work differs from W, as a second count showed
};

struct BudgetChoice {
  std::vector<rows::BudgetFunction> functions;  // those left out first, then the most calls first
  double predicted = 0;                         // share of the tracer, 0 to 1
};

// The largest set whose predicted share is at most `share`. A function's cost is that on the side where it
// costs more: all sides trace the same set. If no function fits and none was uncalled, the cheapest one is
// traced, because a trace needs one. The clones of a function (source_name()) are chosen together.
[[nodiscard]] BudgetChoice choose_functions(const std::vector<CallCount>& sides, double share);

// Corrects the sides by a second count of the last one of them, which traced fewer functions. W of the second
// count has a smaller error: less of the calibrated cost was subtracted. And while many functions are
// counted, netperfd may fall behind and read much of them after the window, so that each record seems to cost
// less.
void correct(std::vector<CallCount>& sides, const CallCount& second);

// The share of a run's CPU time that tracing its calls and reading their records took. Absent: the cost of a
// call or the CPU time is not known.
[[nodiscard]] std::optional<double> tracer_share(const TraceRecord& trace,
                                                 const std::vector<CounterDelta>& counters);

}  // namespace netperfd::analysis
