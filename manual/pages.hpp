// SPDX-License-Identifier: GPL-2.0-or-later
// The manual pages, from what the programs themselves use.
#pragma once

#include <string>
#include <vector>

#include "manual/roff.hpp"

namespace netperfd::manual {

// netperfctl(1) and one page for each verb.
[[nodiscard]] std::vector<Page> client_pages();
// netperfd(8), netperfd.yaml(5), whose defaults come from the text of the shipped file, and
// netperfd-scenario(5).
[[nodiscard]] std::vector<Page> daemon_pages(const std::string& shipped_configuration);
// netperfd-echo(1).
[[nodiscard]] Page echo_page();
// org.netperfd1(5), from the texts of the interfaces' XML files.
[[nodiscard]] Page bus_page(const std::vector<std::string>& interfaces);

}  // namespace netperfd::manual
