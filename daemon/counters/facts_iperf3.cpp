// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/iperf3_facts.hpp"
#include "daemon/counters/machine_facts.hpp"

namespace netperfd::counters {

void add_iperf3_facts(const TestSpec& spec, std::string_view version, FactSheet& sheet) {
  for (const Fact& fact : core::iperf3_facts(spec, version)) sheet.add(fact.group, fact.key, fact.value);
}

}  // namespace netperfd::counters
