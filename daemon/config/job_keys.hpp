// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a job: the schema, and what a manual says of each.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "daemon/config/design_keys.hpp"
#include "daemon/config/schema.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::config {

// Values filled in by the keys; the rest of the JobSpec follows from them.
struct JobDraft {
  JobSpec spec;
  LocalServer local;
  bool until_stop = false;
  FunctionGraphSpec graph;
  TraceSpec trace;
  EventSpec event;  // the event being read
  DesignDraft design;
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> server_wait;
};

[[nodiscard]] std::vector<Key> keys_of(JobDraft& draft);

}  // namespace netperfd::config
