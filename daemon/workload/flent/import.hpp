// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the data files of flent (NAME.flent, NAME.flent.gz): series of rates and of round trips that several
// tools measured side by side. Runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/workload/tool_runs.hpp"

namespace netperfd::workload {

// Of each series in Mbit/s its mean, as its tool told it or else that of its points; of each one in ms the
// median and, of 1,000 values or more, the 99th percentile of what its tool printed (raw_values), and the
// mean. Rates come before times, and sums and averages of several series before each one. Series in other
// units are left out, as those of sockets and queues are. invalid_argument if it is no such file or has no
// series.
[[nodiscard]] Result<ToolRun> read_flent_text(std::string_view bytes);

[[nodiscard]] Result<ImportedFile> read_flent_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
