// SPDX-License-Identifier: GPL-2.0-or-later
// Reads an iperf3 document that a user imported; runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::workload {

// `file` is the output of `iperf3 -c ... -J` or --json-stream, of any version, perhaps with text around it.
// The options come from the document itself; the interval is the length of the first one. invalid_argument in
// three cases: the file is not a measurement (with iperf3's own words if it has some); it is a server's
// document, which knows only one side of the test; or it is a bidirectional test from before 3.11, whose JSON
// loses one direction.
[[nodiscard]] Result<ImportedFile> read_iperf3_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
