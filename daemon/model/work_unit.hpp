// SPDX-License-Identifier: GPL-2.0-or-later
// What CPU time is divided by. Workloads tell how much of it there was by the units of their figures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/model/named_figure.hpp"

namespace netperfd {

enum class WorkUnit {
  byte,         // of goodput
  packet,       // that the workload reports, or that the client's device counted
  transaction,  // that the workload reports
  second        // of the run, where nothing else is known
};
[[nodiscard]] std::string_view to_string(WorkUnit unit);

// What a figure in some unit counts.
struct CountedWork {
  WorkUnit unit = WorkUnit::byte;
  bool per_second = false;  // otherwise of the whole run
  double each = 1;          // 1/8 of a figure in bits

  bool operator==(const CountedWork&) const = default;
};
// "bits/s", "packets/s", "transactions", "requests/s"; absent for a unit that counts no work, such as "ns".
// Requests, messages, operations, queries and connections are transactions by other names.
[[nodiscard]] std::optional<CountedWork> work_in(std::string_view unit);

// The work of a run of `seconds` by its own figures, and the one that tells it. Absent if none tells it, or
// if several do, of which nobody knows the one that is meant.
struct OwnWork {
  double amount = 0;
  std::string figure;
};
[[nodiscard]] std::optional<OwnWork> own_work(std::span<const NamedFigure> figures, WorkUnit unit,
                                              std::optional<double> seconds);

}  // namespace netperfd
