// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a run's trace to the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// The answer of GetTrace.
struct WireTrace {
  Row trace;
  Rows cpus, events, drops, marks;
};

// Always fits into one message: the rarest excess rows are left out and counted in `trace`.
[[nodiscard]] WireTrace wire_trace(const TraceRecord& record);

[[nodiscard]] Row sample_row(const EventSample& sample);
[[nodiscard]] Row stack_row(const StackCount& stack);

// Maximum bytes of TraceProgress' lists in its message.
inline constexpr std::size_t kProgressFunctionsBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kProgressEventsBytes = kRowsBudgetBytes - kProgressFunctionsBytes;

// One of the lists by name, as much as fits into `limit_bytes`. Entries with the same name are added up.
[[nodiscard]] std::map<std::string, std::uint64_t> progress_counts(
    const std::vector<std::pair<std::string, std::uint64_t>>& counts, std::size_t limit_bytes);

}  // namespace netperfd::bus
