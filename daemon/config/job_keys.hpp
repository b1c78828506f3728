// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a job: the schema, and what a manual says of each.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/config/design_keys.hpp"
#include "daemon/keys/schema.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/workload/job/part.hpp"

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

[[nodiscard]] std::vector<std::unique_ptr<workload::JobKeys>> keys_of_workloads();

// Values filled in by the keys; the rest of the JobSpec follows from them.
struct JobDraft {
  JobSpec spec;
  std::vector<std::unique_ptr<workload::JobKeys>> workloads = keys_of_workloads();  // of all
  FunctionGraphSpec graph;
  TraceSpec trace;
  BudgetWish budget;
  SampleWish sample;
  EventSpec event;      // the event being read
  FigureChoice figure;  // the figure being read
  DesignDraft design;
  std::uint32_t until_most = 0;  // of `until`, if the text has that
  std::optional<std::chrono::milliseconds> timeout;
};

[[nodiscard]] std::vector<keys::Key> keys_of(JobDraft& draft);

}  // namespace netperfd::config
