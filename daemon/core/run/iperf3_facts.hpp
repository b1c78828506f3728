// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of the group iperf3: its version and the options of the job.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

// For a job's own run, unordered: every option that its client is given. The ports and the address of a local
// server's socket are left out: the next job may need others.
[[nodiscard]] std::vector<Fact> iperf3_facts(const TestSpec& spec, std::string_view version);

// For an imported document: everything that it tells of its test, and the kernel of the client's host. What
// an own run has too goes by the same name. An option that was not given according to the document has the
// value kAbsentValue; everything else is unknown.
[[nodiscard]] Fingerprint fingerprint_of_document(const ImportedWorkload& document);

}  // namespace netperfd::core
