// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of the latency workload, alone and beside iperf3.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "daemon/config/schema.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::config {

// Values filled in by the keys.
struct LatencyDraft {
  LatencySpec spec;
  ProbeSpec probe;  // the probe being read
  TestSpec place;   // of latency alone: the keys that say where it is measured
  LocalServer local;
  std::optional<std::chrono::milliseconds> server_wait;
};

// `workload.latency` and `with.latency`.
[[nodiscard]] std::vector<Key> keys_of_latency(LatencyDraft& draft);

// With the probes' defaults: a probe without a name is called like its protocol, and without any probe there
// is one.
[[nodiscard]] LatencySpec latency_of(LatencyDraft draft);

}  // namespace netperfd::config
