// Counts what the ring buffers hold while they are read, in bounded memory: whatever the rate and the length
// of a run, it keeps numbers by event, time slice, drop reason and stack, and a few records whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/analysis/call_tracker.hpp"
#include "daemon/core/trace_ports.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/trace/graph_format.hpp"
#include "daemon/trace/known_event.hpp"
#include "daemon/trace/subbuffer.hpp"
#include "daemon/trace/symbols.hpp"

namespace netperfd::trace {

struct TallySettings {
  SubbufferLayout layout;
  std::vector<KnownEvent> events;  // every event that may stand in the buffers, with ftrace's print and
                                   // kernel_stack, which count as themselves only where they are no mark or
                                   // stack of another; one that is not here counts as "unknown:ID"
  std::size_t samples_first = 16;  // kept whole of each event's name
  std::size_t samples_last = 16;
  std::size_t stacks = 2'000;  // kinds kept apart
  std::size_t drops = 2'000;   // pairs of reason and location kept apart; the rest count as "others"
  std::size_t slices = 600;    // at most; then two become one
  // Bytes that wait to be decoded, where calls are paired.
  std::size_t most_held_bytes = std::size_t{80} << 20;
  // Of the records of function calls and task switches; absent: they are events like any other.
  std::optional<GraphFormat> graph;
  analysis::CallSettings calls;  // what of them is paired to calls, and how
  std::vector<std::string>
      hidden;  // names of events that nobody asked for: their records count, but not as events
  analysis::FunctionNamer function;  // of the busiest ones in a progress; empty: none are told
};

class Tally {
 public:
  explicit Tally(TallySettings settings);
  Tally(Tally&&) noexcept;
  Tally& operator=(Tally&&) noexcept;
  ~Tally();

  // One sub-buffer of one CPU, in the order in which that CPU's were read. If calls are paired, its records
  // wait until those of other CPUs that came before them are read.
  void add(std::uint32_t cpu, std::vector<std::byte>&& subbuffer);
  void add(std::uint32_t cpu, std::span<const std::byte> subbuffer) {
    add(cpu, std::vector<std::byte>(subbuffer.begin(), subbuffer.end()));
  }

  // Whether decoding may take more of the CPU now.
  using Question = std::function<bool()>;

  // Every CPU was read. `behind`: those whose ring may still hold what was written before this turn began.
  // Decodes what waits and is complete, as long as `may_go_on` says so.
  void end_turn(std::span<const std::uint32_t> behind, const Question& may_go_on);
  // Decodes more of what the last turn completed.
  void decode(const Question& may_go_on);
  // Of sub-buffers that wait to be decoded.
  [[nodiscard]] std::size_t held_bytes() const;
  // Nothing more will be added: decodes the rest. Whether that is done.
  [[nodiscard]] bool end(const Question& may_go_on);

  // Counts of what was decoded since the previous call. `seconds` passed since then; where decoding lags
  // behind, what the progress covers is another time, and the progress says which.
  [[nodiscard]] core::TraceProgress take_progress(double seconds);

  // To be called once, when all is added. A slice is exact for what was added after the mark of
  // kReleaseMark; what was added before it, of CPUs that were read earlier, may be off by a millisecond, or
  // by half of a 1024th of that time where it was long. An event's ordinal is its place by time over all
  // CPUs among those decoded. The first 1,000 marks are kept, and the release.
  //
  // Everything but skipped, broken, clock, buffer_bytes, functions, missing_functions, workload_only and the
  // kernel's own statistics (overrun, commit_overrun, dropped_events) of each CPU. `task_names` are the lines
  // of saved_cmdlines. `function` names those of the profile; empty: by `symbols`. Without a mark of
  // kReleaseMark the first event is time 0.
  [[nodiscard]] TraceRecord finish(const Symbols& symbols, const std::string& task_names,
                                   const analysis::FunctionNamer& function = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How netperfd writes a mark into trace_marker, and how the tally reads it back: what does not look so is
// somebody else's line, and counts as an event only.
[[nodiscard]] std::string mark_line(const std::string& text, bool user);

}  // namespace netperfd::trace
