// The facts of the group iperf3: its version and what was asked of it.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

// Of a job's own run, in no order. The server's port is left out: the next job may need another.
[[nodiscard]] std::vector<Fact> iperf3_facts(const Iperf3Spec& spec, std::string_view version);

// Of an imported document: those of the same facts that it tells. An option that it tells nobody gave has the
// value kAbsentValue; all else is unknown.
[[nodiscard]] Fingerprint fingerprint_of_document(const Iperf3Spec& asked, std::string_view version);

}  // namespace netperfd::core
