// SPDX-License-Identifier: GPL-2.0-or-later
// Reads an iperf3 document that a user imported; runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::workload {

// `file` is the output of `iperf3 -J` or --json-stream, of any version, perhaps with text around it. That of
// a server (-s) has what the server counted. The options come from the document itself; the interval is the
// length of the first one. invalid_argument in these cases: the file is not a measurement (with iperf3's own
// words if it has some); it has several runs, or no `start`, without which nobody knows what was measured; or
// it is a bidirectional test from before 3.11, whose JSON loses one direction.
[[nodiscard]] Result<ImportedFile> read_iperf3_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
