// SPDX-License-Identifier: GPL-2.0-or-later
// Which table of a run is its CSV: it has one, the first that was asked for.
#pragma once

#include "client/pages/render.hpp"

namespace netperfctl {

enum class CsvTable {
  streams,
  events,
  drops,
  sampled_functions,
  sampled_stacks,
  stacks,
  marks,
  cpus,
  counters,
  tcp,
  queues,
  latency,
  figures,
  environment,
  tree,
  callers,
  functions_over_time,
  functions,
  events_over_time,
  intervals
};
[[nodiscard]] CsvTable csv_table(const ShowView& view);

}  // namespace netperfctl
