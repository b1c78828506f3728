// What a process without privileges makes of a trace.dat. All take the whole file, mapped or in memory, and
// give invalid_argument with what is wrong with it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::trace {

// As a run's own: events, samples, stacks, drops, marks, function profile. What the file does not say has its
// default: buffer_bytes, functions, the calibration. Where netperfd's own mark of the release is in it, it is
// time 0, else the first event is. Memory does not grow with the file.
[[nodiscard]] Result<TraceRecord> record_of_trace_dat(std::span<const std::byte> file);

// The same, with what a reader must know of it as flags.
[[nodiscard]] Result<ImportedFile> file_of_trace_dat(std::span<const std::byte> file);

// As function_graph text, in pieces of whole lines. For netperfd's own recordings: files with compressed
// sub-buffers are refused.
[[nodiscard]] Status text_of_trace_dat(std::span<const std::byte> file,
                                       const std::function<void(std::string_view)>& sink);

}  // namespace netperfd::trace
