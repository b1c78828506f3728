// How the running kernel lays out its records of functions, and what they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "daemon/analysis/graph_event.hpp"
#include "daemon/base/error.hpp"
#include "daemon/trace/known_event.hpp"

namespace netperfd::trace {

class GraphFormat {
 public:
  // From the formats of ftrace:funcgraph_entry, ftrace:funcgraph_exit, ftrace:function and sched:sched_switch
  // among `events`, those that are there; of the graph's two, either both or none. invalid_argument with the
  // event and field where one is not as it must be.
  [[nodiscard]] static Result<GraphFormat> make(const std::vector<KnownEvent>& events);

  // Whether records of this common_type are for read().
  [[nodiscard]] bool knows(std::uint16_t type) const;
  // False where the record is too short for what its format says; `event` is whole otherwise.
  [[nodiscard]] bool read(std::uint64_t time, std::span<const std::byte> record,
                          analysis::GraphEvent& event) const;

 private:
  GraphFormat() = default;
};

}  // namespace netperfd::trace
