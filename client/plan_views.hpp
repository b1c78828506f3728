// How many runs a difference needs, as plain data like the rest of client/views.hpp. docs/netperfctl.md says
// what the figures mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfctl {

// The answer of PlanRuns.
struct PlanView {
  std::optional<std::string> pairing;    // what is planned: blocks, or runs a side
  std::optional<std::uint32_t> samples;  // of the runs it was planned from
  std::optional<double> sd;              // of their logarithms
  std::optional<double> effect, power;   // shares
  std::optional<std::uint32_t> needed;   // absent beyond a million
  std::optional<double> seconds;         // that these take
  // Of `repeat`, where that was asked: the ratio above 1 that so many find, and what they take.
  std::optional<double> detectable, repeat_seconds;
};

struct PlanRequest {
  std::string runs;  // of which the spread is to be known
  std::optional<double> effect, power;
  std::optional<std::uint32_t> repeat;
};

// All of a `plan` page.
struct PlanPageView {
  std::string scenario;                 // or the job's file, as the caller named it
  std::string runs;                     // what was planned from, as `compare` selects it
  std::optional<std::uint64_t> job;     // the pilot, where there was one
  PlanView plan;                        // of the effect that was asked for
  std::vector<PlanView> effects;        // the smallest first
  std::optional<std::uint32_t> repeat;  // what plan.detectable is of: how the scenario was last started
  std::string again;                    // the command that starts so many runs
};

}  // namespace netperfctl
