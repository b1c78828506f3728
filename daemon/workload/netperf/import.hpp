// SPDX-License-Identifier: GPL-2.0-or-later
// Reads what netperf prints; runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/workload/tool_runs.hpp"

namespace netperfd::workload {

// The tests of a text, in their order: the tables of TCP_STREAM, TCP_MAERTS, UDP_STREAM, TCP_RR, TCP_CRR and
// UDP_RR, with and without CPU use (-c -C), and the keys (-k) or columns (-o) of the omni tests.
// invalid_argument with the line if a test failed, or has no result that can be read.
[[nodiscard]] Result<std::vector<ToolRun>> read_netperf_text(std::string_view bytes);

[[nodiscard]] Result<ImportedFile> read_netperf_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
