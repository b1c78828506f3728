// SPDX-License-Identifier: GPL-2.0-or-later
// The facts that iperf3's document tells of its test. Only for the files that read JSON, since it includes
// nlohmann/json.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"

namespace netperfd::workload {

// Every key of `start` and its `test_start`, also one that this version does not know, but those that may
// differ, and those that the import reads into the options of the test: core::fingerprint_of_document() makes
// facts of these. The key of a fact is the place in the document, "test_start.tos", or an option's name, such
// as "window", if runs of netperfd have the same fact. `end` adds the receiver's congestion control. What an
// `iperf3 -s` may have kept of an earlier test is left out.
[[nodiscard]] std::vector<Fact> document_facts(const nlohmann::json& start, const nlohmann::json& end);

// Why "start.cookie" may differ between two runs of one test. Empty for a key that may not.
[[nodiscard]] std::string_view why_may_differ(std::string_view place);

}  // namespace netperfd::workload
