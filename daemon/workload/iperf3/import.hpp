// SPDX-License-Identifier: GPL-2.0-or-later
// Reads an iperf3 document or text that a user imported; runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::workload {

// `file` is the output of `iperf3 -J` or --json-stream, of any version, perhaps with text around it. That of
// a server (-s) has what the server counted. The options come from the document itself; the interval is the
// median length of its intervals where it does not tell it. invalid_argument in these cases: the file is not
// a measurement (with iperf3's own words if it has some); it has several runs, one of which is none, or no
// `start`, without which nobody knows what was measured; or it is a bidirectional test from before 3.11,
// whose JSON loses one direction.
[[nodiscard]] Result<ImportedFile> read_iperf3_file(std::span<const std::byte> file);

// The same for what iperf3 prints for people. Its rounded figures and the options that it does not tell are
// flagged.
[[nodiscard]] Result<ImportedFile> read_iperf3_text(std::span<const std::byte> file);

}  // namespace netperfd::workload
