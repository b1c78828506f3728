// SPDX-License-Identifier: GPL-2.0-or-later
// Reads what sockperf's client prints; runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/workload/tool_runs.hpp"

namespace netperfd::workload {

// The tests of a text, in their order. Of a test of latency (ping-pong, under-load) the figures are those of
// its valid duration, without the warm-up. invalid_argument with the line if a test failed, or has no result.
[[nodiscard]] Result<std::vector<ToolRun>> read_sockperf_text(std::string_view bytes);

[[nodiscard]] Result<ImportedFile> read_sockperf_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
