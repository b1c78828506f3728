// SPDX-License-Identifier: GPL-2.0-or-later
// Makes calls of the lines of function_graph text, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/trace/recording/graph_text_line.hpp"
#include "daemon/trace/ring/symbols.hpp"

namespace netperfd::trace {

// Numbers that stand in for the functions' addresses, which the text lacks.
class TextFunctions {
 public:
  static constexpr std::uint64_t kOthers = 0;   // CallTracker's address for functions that find no room
  static constexpr std::uint64_t kUnknown = 1;  // of a closing brace without a matching call

  [[nodiscard]] std::uint64_t number_of(std::string_view name, std::string_view module);
  [[nodiscard]] analysis::FunctionName name_of(std::uint64_t number) const;

 private:
  static constexpr std::uint64_t kFirst = 2;
  static constexpr std::size_t kMost = 20'000;
  [[nodiscard]] std::string shown(std::string_view name) const;

  Symbols symbols_ = Symbols::parse("", Symbols::random_key());
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<analysis::FunctionName> names_;
};

class GraphTextReader {
 public:
  static constexpr std::uint32_t kMostCpus = 16'384;

  // `first_tasks`: the task that runs on each CPU at the beginning, if it is known. `arrows`: whether the
  // text marks the entries of interrupts.
  GraphTextReader(const std::map<std::uint32_t, std::int32_t>& first_tasks, bool arrows);

  // Takes what the head of the text says about its columns.
  void add_legend(std::string_view line) { legend_.read(line); }
  // What the line holds; absent if it cannot be read. What it holds is counted.
  [[nodiscard]] std::optional<TextLine> add(std::string_view text);
  // The line without counting it.
  [[nodiscard]] std::optional<TextLine> peek(std::string_view text) const;
  [[nodiscard]] bool has_records() const { return seen_.calls || !events_.empty(); }
  [[nodiscard]] ImportedFile finish();

 private:
  // The columns found so far, for the flags.
  struct Seen {
    bool calls = false, durations = false, cpus = false, tasks = false, stamps = false, switches = false;
    bool contexts = false;  // by flags or arrows
    bool flags = false;
    bool entry_code = false;  // of interrupts, outside of their arrows
  };
  // A call of an interrupt's entry code that is under way.
  struct EntryCode {
    std::uint32_t depth = 0;
    analysis::ContextRank rank = analysis::ContextRank::task;
  };
  struct Cpu {
    TraceCpu counts;
    std::optional<std::int32_t> pid;  // the running task, according to the changes of tasks
    std::uint32_t interrupts = 0;     // opening arrows minus closing arrows
    bool lost_uncounted = false;      // "[LOST EVENTS]" without a number
    std::vector<EntryCode> entry_code;
    std::int32_t entry_pid = 0;  // the task that it interrupted
  };

  [[nodiscard]] analysis::GraphEvent event_of(const TextLine& line, Cpu& cpu, std::uint32_t number);
  void add_call(const TextLine& line, Cpu& cpu, std::uint32_t number);
  [[nodiscard]] analysis::ContextRank entry_rank(const TextLine& line, std::int32_t pid, Cpu& cpu);
  void add_exit(const TextLine& line, analysis::GraphEvent event, std::uint32_t number);
  void add_event(const TextLine& line, Cpu& cpu, std::uint32_t number);
  void add_hit(const TextLine& line, Cpu& cpu, std::uint32_t number);
  void add_omission();
  void count(const std::string& name);
  [[nodiscard]] std::vector<std::uint64_t>& open_calls(std::int32_t pid, std::uint32_t cpu);
  [[nodiscard]] std::string words_about_what_is_missing() const;
  // The number of a task of this source: several have tasks of the same number.
  [[nodiscard]] std::int32_t task_of(std::string_view source, std::int32_t pid, std::uint32_t cpu);
  // Stands in for the task of a CPU if no line names it.
  [[nodiscard]] static std::int32_t unknown_task(std::uint32_t cpu);

  analysis::CallTracker tracker_;
  TextFunctions names_;
  TextLegend legend_;
  std::map<std::uint32_t, Cpu> cpus_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> open_;  // functions by depth, per task
  std::map<std::string, std::uint64_t> events_;
  std::map<std::tuple<std::string, std::int32_t, std::uint32_t>, std::int32_t> tasks_;  // of named sources
  std::uint64_t now_ = 0;
  std::uint64_t omissions_ = 0;
  Seen seen_;
  bool arrows_;
};

}  // namespace netperfd::trace
