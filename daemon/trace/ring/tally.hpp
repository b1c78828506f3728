// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the contents of the ring buffers while they are read, in bounded memory: whatever the rate and the
// length of a run, it keeps numbers by event, time slice, drop reason and stack, and a few complete records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "daemon/trace/ring/known_event.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/task_screen.hpp"

namespace netperfd::trace {

struct TallySettings {
  SubbufferLayout layout;
  std::vector<KnownEvent> events;  // every event that may be in the buffers, including ftrace's print and
                                   // kernel_stack, which count as themselves only if they are not a mark or
                                   // another event's stack; any other counts as "unknown:ID"
  std::size_t samples_first = 16;  // kept for each event name
  std::size_t samples_last = 16;
  std::size_t stacks = 2'000;  // maximum number of different ones kept
  std::size_t drops = 2'000;   // maximum number of pairs of reason and location; the rest count as "others"
  std::size_t slices = kMostSlices;
  // Limit for bytes waiting to be decoded, if calls are paired.
  std::size_t most_held_bytes = std::size_t{80} << 20;
  // For records of function calls and task switches; absent: they are events like any other.
  std::optional<GraphFormat> graph;
  analysis::CallSettings calls;  // how calls are paired
  std::vector<std::string>
      hidden;  // names of events that the job did not ask for: their records count, but not as events
  analysis::FunctionNamer function;  // names the busiest ones in a progress report; empty: none are reported
};

class Tally {
 public:
  explicit Tally(TallySettings settings);
  Tally(Tally&&) noexcept;
  Tally& operator=(Tally&&) noexcept;
  ~Tally();

  // Adds one sub-buffer; those of one CPU must come in the order in which they were read. If calls are
  // paired, its records wait until earlier records of other CPUs are read.
  void add(std::uint32_t cpu, std::vector<std::byte>&& subbuffer);
  void add(std::uint32_t cpu, std::span<const std::byte> subbuffer) {
    add(cpu, std::vector<std::byte>(subbuffer.begin(), subbuffer.end()));
  }

  // Returns whether decoding may take more CPU time now.
  using Question = std::function<bool()>;

  // Call it when every CPU was read. `behind`: those whose ring may still hold records written before this
  // turn began. Decodes waiting records that are complete, as long as `may_go_on` returns true.
  void end_turn(std::span<const std::uint32_t> behind, const Question& may_go_on);
  // Decodes more of the records that the last turn completed.
  void decode(const Question& may_go_on);
  // Bytes of sub-buffers waiting to be decoded.
  [[nodiscard]] std::size_t held_bytes() const;
  // Nothing more will be added: decodes the rest. Returns whether that is done.
  [[nodiscard]] bool end(const Question& may_go_on);

  // Counts of the records decoded since the previous call. `seconds` have passed since then; if decoding lags
  // behind, the progress covers another period, which it states.
  [[nodiscard]] TraceProgress take_progress(double seconds);

  // Call it once, after everything is added. A slice is exact for records added after the mark of
  // kReleaseMark. Records added before it, from CPUs that were read earlier, may be off by a millisecond, or
  // by half of a 1024th of that time if it was long. An event's ordinal is its position by time over all CPUs
  // among the decoded ones. The first 1,000 marks are kept, and the release.
  //
  // The result has everything but skipped, broken, clock, buffer_bytes, functions, missing_functions,
  // workload_only and the kernel's own statistics (overrun, commit_overrun, dropped_events) of each CPU.
  // `task_names` are the lines of saved_cmdlines. `function` names the functions of the profile; if empty,
  // `symbols` do. `tasks` hides tasks in the samples. Without a mark of kReleaseMark the first event is time
  // 0.
  [[nodiscard]] TraceRecord finish(const Symbols& symbols, const std::string& task_names,
                                   const analysis::FunctionNamer& function = {},
                                   const TaskScreen& tasks = {});
  // CPUs of which a sub-buffer says that records before it were lost, and not how many.
  [[nodiscard]] std::set<std::uint32_t> uncounted_losses() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The text that netperfd writes into trace_marker for a mark, by which the tally recognizes it. Any other
// line is somebody else's, and counts only as an event.
[[nodiscard]] std::string mark_line(const std::string& text, bool user);

}  // namespace netperfd::trace
