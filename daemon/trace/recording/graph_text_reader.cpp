// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "daemon/analysis/calls/call_task.hpp"
#include "daemon/trace/ring/trace_flags.hpp"

namespace netperfd::trace {
namespace {

using analysis::ContextRank;
using analysis::GraphEvent;
using analysis::GraphEventKind;
using analysis::TaskTable;

constexpr std::uint32_t kDeepest = 255;  // no kernel's return stack holds more calls
constexpr std::size_t kMostTasks = 20'000;
constexpr std::size_t kMostEventNames = 1'000;

// Assumed distance of lines without stamps: longer than any call, so that no call seems to reach back beyond
// the first line.
constexpr std::uint64_t kApart = 1'000'000'000;

analysis::CallSettings call_settings() {
  analysis::CallSettings settings;
  settings.sleep_in_recorded.reset();  // the text does not contain it
  return settings;
}

// Kernels mark only the function that handles an interrupt, such as arm64's gic_handle_irq(). What calls it,
// and the code before and after it, is outside of the arrows. The last part runs softirqs, unless the
// interrupt came over one.
ContextRank rank_of_entry_code(std::string_view function, ContextRank around) {
  if (function == "irq_enter_rcu" || function == "irq_enter" || function == "do_interrupt_handler")
    return ContextRank::hardirq;
  if (function == "irq_exit_rcu" || function == "irq_exit")
    return around == ContextRank::task ? ContextRank::softirq : ContextRank::hardirq;
  return ContextRank::task;
}

}  // namespace

std::uint64_t TextFunctions::number_of(std::string_view name, std::string_view module) {
  std::string key = fmt::format("{}\n{}", name, module);
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  if (names_.size() >= kMost) return kOthers;
  names_.push_back({shown(name), std::string(module), 0});
  const std::uint64_t number = kFirst + names_.size() - 1;
  numbers_.emplace(std::move(key), number);
  return number;
}
analysis::FunctionName TextFunctions::name_of(std::uint64_t number) const {
  if (number < kFirst) return {"others", "", 0};
  return names_[number - kFirst];
}

// The kernel writes an address if it knows no symbol.
std::string TextFunctions::shown(std::string_view name) const {
  constexpr int kHexadecimal = 16;
  if (!name.starts_with("0x")) return std::string(name);
  return symbols_.token(std::strtoull(std::string(name).c_str(), nullptr, kHexadecimal));
}

GraphTextReader::GraphTextReader(const std::map<std::uint32_t, std::int32_t>& first_tasks, bool arrows)
    : tracker_(call_settings()), arrows_(arrows) {
  for (const auto& [cpu, pid] : first_tasks) cpus_[cpu].pid = pid;
}

std::optional<TextLine> GraphTextReader::peek(std::string_view text) const {
  auto line = read_text_line(text, legend_);
  if (line && (line->depth > kDeepest || line->cpu.value_or(0) >= kMostCpus)) return std::nullopt;
  return line;
}

std::optional<TextLine> GraphTextReader::add(std::string_view text) {
  auto line = peek(text);
  if (!line || line->kind == TextLineKind::nothing) return line;
  if (line->kind == TextLineKind::omission) {
    add_omission();
    return line;
  }
  const std::uint32_t number = line->cpu.value_or(0);
  Cpu& cpu = cpus_[number];
  now_ = line->time_ns.value_or(seen_.stamps ? now_ : now_ + kApart);
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
      cpu.entry_code.clear();
      cpu.counts.lost_events += std::clamp<std::uint64_t>(line->lost, 1, kMost);
      if (line->lost == 0) cpu.lost_uncounted = true;
      GraphEvent event;
      event.time = now_;
      event.kind = GraphEventKind::lost;
      tracker_.add(number, event);
      break;
    }
    case TextLineKind::omission:
    case TextLineKind::nothing:
      break;
  }
  return line;
}

// Calls over the missing lines may be wrong, on every CPU.
void GraphTextReader::add_omission() {
  ++omissions_;
  GraphEvent event;
  event.time = now_;
  event.kind = GraphEventKind::lost;
  for (auto& [number, cpu] : cpus_) {
    cpu.interrupts = 0;
    cpu.entry_code.clear();
    tracker_.add(number, event);
  }
}

GraphEvent GraphTextReader::event_of(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  GraphEvent event;
  event.time = now_;
  event.depth = static_cast<std::uint16_t>(line.depth);
  if (line.pid) {
    event.pid = task_of(line.source, *line.pid, number);
  } else {
    event.pid = cpu.pid.value_or(unknown_task(number));
  }
  event.context = line.context.value_or(cpu.interrupts > 0 ? ContextRank::hardirq : ContextRank::task);
  return event;
}

// The rank that the entry code of interrupts around the call gives it, or its own name.
ContextRank GraphTextReader::entry_rank(const TextLine& line, std::int32_t pid, Cpu& cpu) {
  std::vector<EntryCode>& code = cpu.entry_code;
  if (cpu.entry_pid != pid) code.clear();
  cpu.entry_pid = pid;
  const bool is_exit = line.kind == TextLineKind::exit;
  while (!code.empty() && (code.back().depth > line.depth || (code.back().depth == line.depth && !is_exit))) {
    code.pop_back();
  }
  const ContextRank around = code.empty() ? ContextRank::task : code.back().rank;
  if (is_exit) {
    if (!code.empty() && code.back().depth == line.depth) code.pop_back();
    return around;
  }
  const ContextRank own = rank_of_entry_code(line.function, around);
  seen_.entry_code = seen_.entry_code || (own != ContextRank::task && cpu.interrupts == 0);
  const ContextRank rank = std::max(around, own);
  if (line.kind == TextLineKind::entry && rank > around) code.push_back({line.depth, rank});
  return rank;
}

void GraphTextReader::add_call(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  seen_.calls = true;
  seen_.cpus = seen_.cpus || line.cpu;
  seen_.tasks = seen_.tasks || line.pid;
  seen_.stamps = seen_.stamps || line.time_ns;
  seen_.contexts = seen_.contexts || line.context;
  seen_.flags = seen_.flags || line.context;
  seen_.durations = seen_.durations || line.has_duration_column;
  GraphEvent event = event_of(line, cpu, number);
  // Flags tell more.
  if (arrows_ && !line.context) event.context = std::max(event.context, entry_rank(line, event.pid, cpu));
  cpu.counts.records += line.kind == TextLineKind::leaf ? 2 : 1;
  if (line.kind != TextLineKind::entry) count("ftrace:funcgraph_exit");
  if (line.kind != TextLineKind::exit) {
    count("ftrace:funcgraph_entry");
    event.function = names_.number_of(line.function, line.module);
    // Without durations, only the number of calls is meaningful.
    event.kind = line.has_duration_column ? GraphEventKind::entry : GraphEventKind::hit;
    tracker_.add(number, event);
    std::vector<std::uint64_t>& open = open_calls(event.pid, number);
    open.resize(line.depth + 1, TextFunctions::kUnknown);
    open[line.depth] = event.function;
  }
  if (line.kind != TextLineKind::entry && line.has_duration_column) add_exit(line, event, number);
}

// A leaf's exit has no stamp of its own. As in the kernel's text it gets that of its entry, so that it
// precedes everything that follows.
void GraphTextReader::add_exit(const TextLine& line, GraphEvent event, std::uint32_t number) {
  event.kind = GraphEventKind::exit;
  std::vector<std::uint64_t>& open = open_calls(event.pid, number);
  if (line.kind == TextLineKind::exit) {
    event.function = line.depth < open.size() ? open[line.depth] : TextFunctions::kUnknown;
    if (!line.function.empty()) event.function = names_.number_of(line.function, line.module);
  }
  open.resize(std::min<std::size_t>(open.size(), line.depth), TextFunctions::kUnknown);
  const std::uint64_t start = line.time_ns ? analysis::kDurationAndStamp : analysis::kOnlyDuration;
  if (line.duration_ns) {
    event.start = start;
    event.end = start + *line.duration_ns;
  } else if (!line.time_ns || line.kind == TextLineKind::leaf) {
    event.start = analysis::kDurationAndStamp;  // an end before the start: its duration is unknown
    event.end = event.start - 1;
  }
  tracker_.add(number, event);
}

void GraphTextReader::add_event(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  ++cpu.counts.records;
  if (line.event == "function") {
    add_hit(line, cpu, number);
    return;
  }
  count(line.event.empty() ? "ftrace:print" : std::string(line.event));
  if (!line.previous_pid || !line.next_pid || !line.time_ns) return;
  seen_.switches = true;
  GraphEvent event;
  event.time = now_;
  event.kind = GraphEventKind::task_switch;
  event.pid = task_of(line.source, *line.previous_pid, number);
  event.next_pid = task_of(line.source, *line.next_pid, number);
  tracker_.add(number, event);
}

// Of the function tracer, in a report: "function:             ip_rcv <-- deliver".
void GraphTextReader::add_hit(const TextLine& line, Cpu& cpu, std::uint32_t number) {
  count("ftrace:function");
  seen_.calls = true;
  seen_.contexts = seen_.contexts || line.context;
  seen_.cpus = true;
  GraphEvent event = event_of(line, cpu, number);
  event.kind = GraphEventKind::hit;
  event.function = names_.number_of(line.function, line.module);
  tracker_.add(number, event);
}

std::int32_t GraphTextReader::task_of(std::string_view source, std::int32_t pid, std::uint32_t cpu) {
  if (source.empty()) return pid;
  if (tasks_.size() >= kMostTasks) tasks_.clear();
  const auto first = static_cast<std::int32_t>(0x4000'0000 + tasks_.size());
  return tasks_.try_emplace({std::string(source), pid, pid == 0 ? cpu : 0}, first).first->second;
}

std::int32_t GraphTextReader::unknown_task(std::uint32_t cpu) {
  return std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(cpu);
}

void GraphTextReader::count(const std::string& name) {
  if (events_.size() < kMostEventNames || events_.contains(name)) {
    ++events_[name];
  } else {
    ++events_["others"];
  }
}

std::vector<std::uint64_t>& GraphTextReader::open_calls(std::int32_t pid, std::uint32_t cpu) {
  const std::uint64_t key = TaskTable::key_of(pid, cpu);
  if (open_.size() >= kMostTasks && !open_.contains(key)) open_.clear();
  return open_[key];
}

std::string GraphTextReader::words_about_what_is_missing() const {
  if (!seen_.calls) {
    return "read from text, which has events and no call of a function; it does not tell, if it is the file "
           "trace, what was lost";
  }
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
  if (seen_.durations && seen_.entry_code && !seen_.flags) {
    words +=
        "; arrows mark only a part of each interrupt: irq_enter, irq_exit and do_interrupt_handler count to "
        "it too, and other calls outside of the arrows to what it came over";
  }
  if (seen_.durations && !seen_.switches) words += "; sleep may be in the times";
  if (!seen_.cpus) words += "; without the column of CPUs all calls count as those of CPU 0";
  return words;
}

ImportedFile GraphTextReader::finish() {
  ImportedFile file;
  TraceRecord& record = file.trace.emplace();
  std::set<std::uint32_t> uncounted;
  for (auto& [number, cpu] : cpus_) {
    cpu.counts.cpu = number;
    record.cpus.push_back(cpu.counts);
    if (cpu.lost_uncounted) uncounted.insert(number);
  }
  for (const auto& [name, count] : events_) record.events.push_back({name, "", count, {}});
  std::ranges::stable_sort(record.events, std::ranges::greater{}, &EventCount::count);
  if (seen_.calls) {
    record.profile = tracker_.finish([this](std::uint64_t number) { return names_.name_of(number); });
    record.profile->off_cpu_known = seen_.switches;
    record.profile->not_calibrated = "the trace is text, which does not tell what the tracer added";
  }
  file.flags.push_back({"trace-text", words_about_what_is_missing()});
  if (omissions_ > 0) {
    file.flags.push_back(
        {"lines-left-out",
         fmt::format("somebody left lines out of the text, at {} place(s) marked as \"[...]\": "
                     "their calls are not counted, and calls around them may be wrong",
                     omissions_)});
  }
  std::ranges::move(trace_flags(record, {}, {}, uncounted), std::back_inserter(file.flags));
  return file;
}

}  // namespace netperfd::trace
