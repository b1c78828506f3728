// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of the group iperf3: its version and the options of the job.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

// For a job's own run, unordered. The server's port is left out: the next job may need another.
[[nodiscard]] std::vector<Fact> iperf3_facts(const TestSpec& spec, std::string_view version);

// For an imported document: those of the same facts that it contains, and the kernel of the client's host. An
// option that was not given according to the document has the value kAbsentValue; everything else is unknown.
[[nodiscard]] Fingerprint fingerprint_of_document(const ImportedWorkload& document);

}  // namespace netperfd::core
