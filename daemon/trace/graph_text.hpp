// What the ring buffers hold as the text that the kernel itself makes of it: function_graph's own layout.
//
// It is that of the file `trace` with the options funcgraph-abstime, -cpu, -proc, -duration, -overhead and
// -irqs, so that every line says when, where and for whom. Two things differ on purpose: lost events are told
// as trace_pipe tells them ("CPU:1 [LOST 42 EVENTS]"), which `trace` never does, and no kernel address
// appears. Arguments and return values, which newer kernels print if asked to, are not written. Where the
// calls are the function tracer's, or there are none, the layout is the one of that tracer.
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

#include "daemon/trace/known_event.hpp"
#include "daemon/trace/subbuffer.hpp"
#include "daemon/trace/symbols.hpp"

namespace netperfd::trace {

struct GraphTextOptions {
  bool tail = true;       // funcgraph-tail: a closing brace says whose
  bool overruns = false;  // funcgraph-overrun: calls that could not be followed, below each closing brace
  // Addresses of the kernel's interrupt entries, from __irqentry_text_start up to __irqentry_text_end: their
  // calls stand between arrows. Where it is empty there are no arrows, as on x86, whose entries cannot be
  // traced.
  std::pair<std::uint64_t, std::uint64_t> interrupt_code = {0, 0};
};

// Whoever makes one keeps what it refers to.
struct GraphTextInput {
  const SubbufferLayout& layout;
  const std::vector<KnownEvent>& events;
  const Symbols& symbols;
  const std::map<std::int32_t, std::string>& task_names;
  GraphTextOptions options = {};
};

// `cpus` has the sub-buffers of each CPU in the order in which it wrote them, one behind the other, each of
// `subbuffer_bytes`; a CPU without any still counts for the width of the column. Gives the text to `sink` in
// pieces of whole lines, in order of time over all CPUs; what it holds meanwhile does not grow with the
// recording. An event that is not among `events` is shown by its number, a sub-buffer that is damaged by a
// line that begins with "#". Where the formats of function_graph are not as they must be there are no calls.
void write_graph_text(const GraphTextInput& input,
                      const std::vector<std::pair<std::uint32_t, std::span<const std::byte>>>& cpus,
                      std::size_t subbuffer_bytes, const std::function<void(std::string_view)>& sink);

}  // namespace netperfd::trace
