// What a process without privileges makes of function_graph text.
#pragma once

#include <cstddef>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::trace {

// The file's calls as a trace, and what its text did not tell as flags. Calls are paired as those of a
// recording are, by task where the text tells tasks and else by CPU; stamps, where there are any, serve to
// take sleep off. invalid_argument with the number of the first line that is none of function_graph's; a last
// line without its end is left out instead. Memory does not grow with the file.
[[nodiscard]] Result<ImportedFile> record_of_graph_text(std::span<const std::byte> file);

}  // namespace netperfd::trace
