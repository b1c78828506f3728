// SPDX-License-Identifier: GPL-2.0-or-later
// Rings of functions recorded by kernels (tests/data/trace-functions), and those kernels' own text of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/ring/known_event.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/ring/symbols.hpp"

namespace netperfd::trace::test {

struct GraphRecording {
  SubbufferLayout layout;  // with this case's sub-buffer size
  std::vector<KnownEvent> events;
  Symbols symbols = Symbols::parse("", 1);
  std::map<std::int32_t, std::string> task_names;
  std::map<std::uint32_t, std::vector<std::byte>> cpus;
  std::map<std::uint32_t, std::uint64_t> overruns;  // from the statistics of those CPUs
  std::string text;                                 // the file `trace`
  std::string options;  // words of the file `trace_options`: " funcgraph-tail nofuncgraph-overrun "

  [[nodiscard]] std::vector<std::span<const std::byte>> subbuffers(std::uint32_t cpu) const;
};

struct GraphCase {
  std::string kernel;  // "6.12"
  std::string name;    // "module"
};

// All recordings that exist.
[[nodiscard]] std::vector<GraphCase> graph_cases();
[[nodiscard]] GraphRecording graph_recording(const GraphCase& which);

// The name of a parameterized test: "k6_12_module".
[[nodiscard]] std::string test_name(const GraphCase& which);
inline void PrintTo(const GraphCase& which, std::ostream* stream) {
  *stream << test_name(which);
}

}  // namespace netperfd::trace::test
