// SPDX-License-Identifier: GPL-2.0-or-later
// Makes trace records from a trace.dat, in a process without privileges. All functions take the whole file,
// mapped or in memory, and return invalid_argument with what is wrong with it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::trace {

// Like the record of a run: events, samples, stacks, drops, marks, function profile. Values that the file
// lacks have their defaults: buffer_bytes, functions, the calibration. If the file has netperfd's own mark of
// the release, that is time 0, otherwise the first event is. Memory does not grow with the file.
[[nodiscard]] Result<TraceRecord> record_of_trace_dat(std::span<const std::byte> file);

// The same, with flags for what a reader must know about it.
[[nodiscard]] Result<ImportedFile> file_of_trace_dat(std::span<const std::byte> file);

enum class TextReader {
  root,   // sees all tasks
  owner,  // sees the tasks that a recording of an unprivileged user lists, and of any other recording none
};

// Converts to function_graph text, in pieces of whole lines. For netperfd's own recordings: files with
// compressed sub-buffers are refused.
[[nodiscard]] Status text_of_trace_dat(std::span<const std::byte> file, TextReader reader,
                                       const std::function<void(std::string_view)>& sink);

}  // namespace netperfd::trace
