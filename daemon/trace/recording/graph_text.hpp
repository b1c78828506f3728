// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the contents of the ring buffers as the kernel's own text: the layout of function_graph.
//
// The layout is that of the file `trace` with the options funcgraph-abstime, -cpu, -proc, -duration,
// -overhead and -irqs, so that every line has time, CPU and task. Two things differ on purpose: lost events
// are reported as in trace_pipe ("CPU:1 [LOST 42 EVENTS]"), which `trace` never does, and no kernel address
// appears. Arguments and return values, which newer kernels print on request, are not written. If the calls
// come from the function tracer, or if there are none, the layout is the one of that tracer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/trace/ring/known_event.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/task_screen.hpp"

namespace netperfd::trace {

struct GraphTextOptions {
  bool tail = true;       // funcgraph-tail: a closing brace names its function
  bool overruns = false;  // funcgraph-overrun: untraceable calls, shown below each closing brace
  // Addresses of the kernel's interrupt entries, from __irqentry_text_start up to __irqentry_text_end: their
  // calls are put between arrows. If the range is empty there are no arrows, as on x86, whose entries cannot
  // be traced.
  std::pair<std::uint64_t, std::uint64_t> interrupt_code = {0, 0};
};

// The caller keeps the referenced objects alive.
struct GraphTextInput {
  const SubbufferLayout& layout;
  const std::vector<KnownEvent>& events;
  const Symbols& symbols;
  const std::map<std::int32_t, std::string>& task_names;
  GraphTextOptions options = {};
  TaskScreen screen = {};  // hides tasks
};

// `cpus` has the sub-buffers of each CPU in the order in which it wrote them, each of `subbuffer_bytes`; a
// CPU without any still counts for the width of the column. Passes the text to `sink` in pieces of whole
// lines, in order of time over all CPUs; memory does not grow with the recording. An event that is not among
// `events` is shown by its number, a damaged sub-buffer by a line that begins with "#". If the formats of
// function_graph are not as required, there are no calls.
void write_graph_text(const GraphTextInput& input,
                      const std::vector<std::pair<std::uint32_t, std::span<const std::byte>>>& cpus,
                      std::size_t subbuffer_bytes, const std::function<void(std::string_view)>& sink);

}  // namespace netperfd::trace
