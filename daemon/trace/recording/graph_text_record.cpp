// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_text_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/call_task.hpp"
#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/model/wording.hpp"
#include "daemon/trace/recording/graph_text_line.hpp"
#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/trace_flags.hpp"

namespace netperfd::trace {
namespace {

using analysis::ContextRank;
using analysis::GraphEvent;
using analysis::GraphEventKind;
using analysis::TaskTable;

constexpr std::size_t kLongestLine = 16'384;
constexpr std::uint32_t kMostCpus = 16'384;
constexpr std::uint32_t kDeepest = 255;  // no kernel's return stack holds more calls
constexpr std::size_t kMostTasks = 20'000;
constexpr std::size_t kMostNames = 20'000;
constexpr std::size_t kMostEventNames = 1'000;
constexpr std::uint64_t kOthers = 0;   // CallTracker's address for functions that find no room
constexpr std::uint64_t kUnknown = 1;  // for a closing brace without a matching call
constexpr std::uint64_t kFirstName = 2;

// Assumed distance of lines without stamps: longer than any call, so that no call seems to reach back beyond
// the first line.
constexpr std::uint64_t kApart = 1'000'000'000;

// Numbers that stand in for the functions' addresses, which the text lacks.
class Names {
 public:
  std::uint64_t number_of(std::string_view name, std::string_view module) {
    std::string key = fmt::format("{}\n{}", name, module);
    if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
    if (names_.size() >= kMostNames) return kOthers;
    names_.push_back({shown(name), std::string(module), 0});
    const std::uint64_t number = kFirstName + names_.size() - 1;
    numbers_.emplace(std::move(key), number);
    return number;
  }
  [[nodiscard]] analysis::FunctionName name_of(std::uint64_t number) const {
    if (number < kFirstName) return {"others", "", 0};
    return names_[number - kFirstName];
  }

 private:
  // The kernel writes an address if it knows no symbol.
  [[nodiscard]] std::string shown(std::string_view name) const {
    constexpr int kHexadecimal = 16;
    if (!name.starts_with("0x")) return std::string(name);
    return symbols_.token(std::strtoull(std::string(name).c_str(), nullptr, kHexadecimal));
  }

  Symbols symbols_ = Symbols::parse("", Symbols::random_key());
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<analysis::FunctionName> names_;
};

analysis::CallSettings call_settings() {
  analysis::CallSettings settings;
  settings.sleep_in_recorded.reset();  // the text does not contain it
  return settings;
}

// The columns found so far, for the flags.
struct Seen {
  bool calls = false, durations = false, cpus = false, tasks = false, stamps = false, switches = false;
  bool contexts = false;
};

class Reader {
 public:
  explicit Reader(const std::map<std::uint32_t, std::int32_t>& first_tasks) : tracker_(call_settings()) {
    for (const auto& [cpu, pid] : first_tasks) cpus_[cpu].pid = pid;
  }

  // False if it is not a line of function_graph.
  [[nodiscard]] bool add(std::string_view text);
  [[nodiscard]] bool has_calls() const { return seen_.calls; }
  [[nodiscard]] ImportedFile finish();

 private:
  struct Cpu {
    TraceCpu counts;
    std::optional<std::int32_t> pid;  // the running task, according to the changes of tasks
    std::uint32_t interrupts = 0;     // opening arrows minus closing arrows
  };

  [[nodiscard]] GraphEvent event_of(const TextLine& line, Cpu& cpu, std::uint32_t number);
  void add_call(const TextLine& line, Cpu& cpu, std::uint32_t number);
  void add_exit(const TextLine& line, GraphEvent event, std::uint32_t number);
  void add_event(const TextLine& line, Cpu& cpu, std::uint32_t number);
  void count(const std::string& name);
  [[nodiscard]] std::vector<std::uint64_t>& open_calls(std::int32_t pid, std::uint32_t cpu);
  [[nodiscard]] std::string words_about_what_is_missing() const;
  // Stands in for the task of a CPU if no line names it.
  [[nodiscard]] static std::int32_t unknown_task(std::uint32_t cpu) {
    return std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(cpu);
  }

  analysis::CallTracker tracker_;
  Names names_;
  std::map<std::uint32_t, Cpu> cpus_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> open_;  // functions by depth, per task
  std::map<std::string, std::uint64_t> events_;
  std::uint64_t now_ = 0;
  Seen seen_;
};

bool Reader::add(std::string_view text) {
  const auto line = read_text_line(text);
  if (!line || line->depth > kDeepest) return false;
  if (line->kind == TextLineKind::nothing) return true;
  const std::uint32_t number = line->cpu.value_or(0);
  if (number >= kMostCpus) return false;
  Cpu& cpu = cpus_[number];
  now_ = line->time_ns.value_or(now_ + kApart);
  switch (line->kind) {
    case TextLineKind::entry:
    case TextLineKind::exit:
    case TextLineKind::leaf:
      add_call(*line, cpu, number);
      break;
    case TextLineKind::event:
      add_event(*line, cpu, number);
      break;
    case TextLineKind::change:
      cpu.pid = line->next_pid;
      break;
    case TextLineKind::interrupt_begin:
      ++cpu.interrupts;
      seen_.contexts = true;
      break;
    case TextLineKind::interrupt_end:
      if (cpu.interrupts > 0) --cpu.interrupts;
      break;
    case TextLineKind::lost: {
      constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;  // keeps sums within the range of a count
      cpu.interrupts = 0;                                       // the lost lines may contain their ends
      cpu.counts.lost_events += std::clamp<std::uint64_t>(line->lost, 1, kMost);
      GraphEvent event;
      event.time = now_;
      event.kind = GraphEventKind::lost;
      tracker_.add(number, event);
      break;
    }
    case TextLineKind::nothing:
      break;
  }
  return true;
}

GraphEvent Reader::event_of(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  GraphEvent event;
  event.time = now_;
  event.depth = static_cast<std::uint16_t>(line.depth);
  if (line.pid) {
    event.pid = *line.pid;
  } else {
    event.pid = cpu.pid.value_or(unknown_task(number));
  }
  event.context = line.context.value_or(cpu.interrupts > 0 ? ContextRank::hardirq : ContextRank::task);
  return event;
}

void Reader::add_call(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  seen_.calls = true;
  seen_.cpus = seen_.cpus || line.cpu;
  seen_.tasks = seen_.tasks || line.pid;
  seen_.stamps = seen_.stamps || line.time_ns;
  seen_.contexts = seen_.contexts || line.context;
  seen_.durations = seen_.durations || line.has_duration_column;
  GraphEvent event = event_of(line, cpu, number);
  cpu.counts.records += line.kind == TextLineKind::leaf ? 2 : 1;
  if (line.kind != TextLineKind::entry) count("ftrace:funcgraph_exit");
  if (line.kind != TextLineKind::exit) {
    count("ftrace:funcgraph_entry");
    event.function = names_.number_of(line.function, line.module);
    // Without durations, only the number of calls is meaningful.
    event.kind = line.has_duration_column ? GraphEventKind::entry : GraphEventKind::hit;
    tracker_.add(number, event);
    std::vector<std::uint64_t>& open = open_calls(event.pid, number);
    open.resize(line.depth + 1, kUnknown);
    open[line.depth] = event.function;
  }
  if (line.kind != TextLineKind::entry && line.has_duration_column) add_exit(line, event, number);
}

// A leaf's exit has no stamp of its own. As in the kernel's text it gets that of its entry, so that it
// precedes everything that follows.
void Reader::add_exit(const TextLine& line, GraphEvent event, std::uint32_t number) {
  event.kind = GraphEventKind::exit;
  std::vector<std::uint64_t>& open = open_calls(event.pid, number);
  if (line.kind == TextLineKind::exit) {
    event.function = line.depth < open.size() ? open[line.depth] : kUnknown;
    if (!line.function.empty()) event.function = names_.number_of(line.function, line.module);
  }
  open.resize(std::min<std::size_t>(open.size(), line.depth), kUnknown);
  if (line.duration_ns) {
    constexpr std::uint64_t kAnyStart = 1;  // 0 would mean that the kernel does not record times
    event.start = kAnyStart;
    event.end = kAnyStart + *line.duration_ns;
  } else if (!line.time_ns) {
    event.function = kUnknown;  // its duration is unknown
  }
  tracker_.add(number, event);
}

void Reader::add_event(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  ++cpu.counts.records;
  count(line.event.empty() ? "ftrace:print" : std::string(line.event));
  if (!line.previous_pid || !line.next_pid || !line.time_ns) return;
  seen_.switches = true;
  GraphEvent event;
  event.time = now_;
  event.kind = GraphEventKind::task_switch;
  event.pid = *line.previous_pid;
  event.next_pid = *line.next_pid;
  tracker_.add(number, event);
}

void Reader::count(const std::string& name) {
  if (events_.size() < kMostEventNames || events_.contains(name)) {
    ++events_[name];
  } else {
    ++events_["others"];
  }
}

std::vector<std::uint64_t>& Reader::open_calls(std::int32_t pid, std::uint32_t cpu) {
  const std::uint64_t key = TaskTable::key_of(pid, cpu);
  if (open_.size() >= kMostTasks && !open_.contains(key)) open_.clear();
  return open_[key];
}

std::string Reader::words_about_what_is_missing() const {
  std::string words =
      "read from text, which tells neither what the tracer itself added to each call nor, if it is the file "
      "trace, what was lost";
  if (!seen_.durations) {
    words += "; without the column of durations there are only numbers of calls";
  } else {
    words += "; its durations have seven digits and are cut off: below 10 ms after 0.001 us";
  }
  if (seen_.durations && !seen_.contexts)
    words += "; calls of interrupts count as those of what they came over";
  if (seen_.durations && !seen_.switches) words += "; sleep may be in the times";
  if (!seen_.cpus) words += "; without the column of CPUs all calls count as those of CPU 0";
  return words;
}

ImportedFile Reader::finish() {
  ImportedFile file;
  TraceRecord& record = file.trace.emplace();
  for (auto& [number, cpu] : cpus_) {
    cpu.counts.cpu = number;
    record.cpus.push_back(cpu.counts);
  }
  for (const auto& [name, count] : events_) record.events.push_back({name, "", count, {}});
  std::ranges::stable_sort(record.events, std::ranges::greater{}, &EventCount::count);
  record.profile = tracker_.finish([this](std::uint64_t number) { return names_.name_of(number); });
  record.profile->off_cpu_known = seen_.switches;
  record.profile->not_calibrated = "the trace is text, which does not tell what the tracer added";
  file.flags.push_back({"trace-text", words_about_what_is_missing()});
  std::ranges::move(trace_flags(record, {}, {}), std::back_inserter(file.flags));
  return file;
}

// The task that runs on each CPU at the beginning, known only from the CPU's first change of tasks.
std::map<std::uint32_t, std::int32_t> first_tasks(std::string_view text) {
  std::map<std::uint32_t, std::int32_t> tasks;
  for (std::size_t at = text.find(" => "); at != std::string_view::npos; at = text.find(" => ", at)) {
    const std::size_t begin = text.substr(0, at).rfind('\n') + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    at = end;
    if (end - begin > kLongestLine) continue;
    const auto line = read_text_line(text.substr(begin, end - begin));
    if (line && line->kind == TextLineKind::change && *line->cpu < kMostCpus)
      tasks.emplace(*line->cpu, *line->pid);
  }
  return tasks;
}

std::unexpected<Error> refuse(std::size_t number, std::string_view line) {
  constexpr std::size_t kShown = 80;
  return fail(ErrorKind::invalid_argument,
              fmt::format("line {} is {}; {}", number, in_quotes(line.substr(0, kShown)), kExpectedTextLine));
}

// "# tracer: function".
std::optional<std::string_view> other_tracer(std::string_view line) {
  constexpr std::string_view kTracer = "# tracer: ";
  if (!line.starts_with(kTracer)) return std::nullopt;
  line.remove_prefix(kTracer.size());
  if (line == "function_graph" || line == "nop") return std::nullopt;
  return line;
}

}  // namespace

Result<ImportedFile> record_of_graph_text(std::span<const std::byte> file) {
  std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
  Reader reader(first_tasks(rest));
  bool cut_off = false;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.substr(0, kLongestLine + 1).find('\n');
    if (end == std::string_view::npos && rest.size() > kLongestLine) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("line {} is longer than {} bytes, as no line of function_graph is", number,
                              kLongestLine));
    }
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const auto tracer = other_tracer(line)) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("line {}: this is text of the tracer {}; only that of function_graph is read",
                              number, in_quotes(tracer->substr(0, 40))));
    }
    if (reader.add(line)) continue;
    if (end != std::string_view::npos) return refuse(number, line);
    cut_off = true;
  }
  if (!reader.has_calls()) {
    return fail(ErrorKind::invalid_argument, fmt::format("there is no call in it; {}", kExpectedTextLine));
  }
  ImportedFile imported = reader.finish();
  if (cut_off)
    imported.flags.push_back(
        {"trace-cut-off", "the last line of the text ends in the middle and was left out"});
  return imported;
}

}  // namespace netperfd::trace
