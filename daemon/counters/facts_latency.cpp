// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "daemon/counters/machine_facts.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::counters {

void add_latency_facts(const JobSpec& spec, FactSheet& sheet) {
  constexpr const char* kGroup = "latency";
  const LatencySpec& latency = *spec.latency;
  for (const ProbeSpec& probe : latency.probes) {
    sheet.add(kGroup, "probe " + probe.name,
              fmt::format("{}, {} per second of {} bytes{}", probe.protocol, probe.rate, probe.length_bytes,
                          probe.dscp.empty() ? "" : ", dscp " + probe.dscp));
  }
  sheet.add(kGroup, "timeout", format_duration(latency.timeout));
  if (spec.workload.makes_traffic) {
    sheet.add(kGroup, "idle", format_duration(latency.idle));
    return;
  }
  if (latency.duration) sheet.add(kGroup, "duration", format_duration(*latency.duration));
  sheet.add(kGroup, "server", spec.test.path.server);
  if (spec.test.path.local) sheet.add(kGroup, "server is local", "true");
}

}  // namespace netperfd::counters
