// What a process without privileges makes of an iperf3 document that a user brought along.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::workload {

// `file` is what `iperf3 -c ... -J` or --json-stream printed, of any version, perhaps with text around it.
// What was asked is what the document itself tells of that; the interval is the first one's length.
// invalid_argument where it is no measurement, with iperf3's own words where it has some, for a server's
// document, which knows only one side of the test, and for one of both directions from before 3.11, in which
// JSON loses one of them.
[[nodiscard]] Result<ImportedFile> read_iperf3_file(std::span<const std::byte> file);

}  // namespace netperfd::workload
