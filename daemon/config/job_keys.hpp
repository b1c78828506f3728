// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a job: the schema, and what a manual says of each.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/config/design_keys.hpp"
#include "daemon/config/latency_keys.hpp"
#include "daemon/config/schema.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::config {

// The key `sample`; without one, a design is sampled at the default rate.
struct SampleWish {
  bool none = false;
  std::optional<std::uint32_t> rate;
};

// The key `trace.budget`; without one, a design has the default budget.
struct BudgetWish {
  bool none = false;
  std::optional<double> share;
};

// Values filled in by the keys; the rest of the JobSpec follows from them.
struct JobDraft {
  JobSpec spec;
  LocalServer local;
  LatencyDraft latency;
  bool until_stop = false;
  FunctionGraphSpec graph;
  TraceSpec trace;
  BudgetWish budget;
  SampleWish sample;
  EventSpec event;      // the event being read
  FigureChoice figure;  // the figure being read
  DesignDraft design;
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> server_wait;
};

[[nodiscard]] std::vector<Key> keys_of(JobDraft& draft);

}  // namespace netperfd::config
