// What a run's trace session saw, as the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "daemon/bus/wire.hpp"
#include "daemon/core/trace_ports.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// The answer of GetTrace.
struct WireTrace {
  dbus::Row trace;
  dbus::Rows cpus, events, drops, marks;
};

// Always fits into one message: of what does not, the rarest is left out and counted in `trace`.
[[nodiscard]] WireTrace wire_trace(const TraceRecord& record);

[[nodiscard]] WireRow sample_row(const EventSample& sample);
[[nodiscard]] WireRow stack_row(const StackCount& stack);

// TraceProgress' `events`, those that a message has room for.
[[nodiscard]] std::map<std::string, std::uint64_t> progress_counts(const core::TraceProgress& progress);

}  // namespace netperfd::bus
