// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a trace record from function_graph text; runs in a process without privileges.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::trace {

// The file's calls as a trace, with flags for what the text does not contain. Calls are paired as in a
// recording, by task if the text has tasks, otherwise by CPU. Stamps, if there are any, are used to subtract
// sleep. invalid_argument with the number of the first line that is not from function_graph; an incomplete
// last line is left out instead. Memory does not grow with the file.
[[nodiscard]] Result<ImportedFile> record_of_graph_text(std::span<const std::byte> file);

}  // namespace netperfd::trace
