// SPDX-License-Identifier: GPL-2.0-or-later
// Prints a recorded document of a client as iperf3 itself would have printed the same test for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace netperfd::workload::test {

// `verbose`: with the lines of -V.
[[nodiscard]] std::string text_for_people(const nlohmann::json& document, bool verbose);

}  // namespace netperfd::workload::test
