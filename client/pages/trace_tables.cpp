// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of a trace: drops and stacks in short and in full, and what `show` lists where it is asked to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/pages/trace_text.hpp"
#include "client/rows/trace_rows.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

// Seconds since the release, to the microsecond.
std::string moment(const std::optional<double>& time_s) {
  return or_dash(time_s, [](double seconds) { return fmt::format("{:.6f}", seconds); });
}

// `text` in lines that begin after `indent` columns, the first of them where the cursor stands already.
std::string hanging(const Screen& screen, std::string_view text, std::size_t indent) {
  const std::size_t room = prose_width(screen) - std::min(prose_width(screen) - 1, indent);
  return fmt::format("{}\n", fmt::join(wrap(text, room), "\n" + std::string(indent, ' ')));
}

// "tcp_v4_rcv" of "tcp_v4_rcv+0x1c [module]": enough where frames stand in a row.
std::string_view symbol_of(std::string_view frame) {
  return frame.substr(0, frame.find_first_of("+ "));
}

std::vector<std::string> symbols_of(const StackView& stack) {
  std::vector<std::string> symbols;
  for (const std::string& frame : stack.frames.value_or(std::vector<std::string>{})) {
    symbols.emplace_back(symbol_of(frame));
  }
  return symbols;
}

// How many of the innermost frames all stacks of this event have in common; one at least is left of each.
std::size_t common_frames(const std::vector<StackView>& stacks, const std::optional<std::string>& event) {
  std::optional<std::vector<std::string>> common;
  std::size_t shortest = 0;
  std::size_t count = 0;
  for (const StackView& stack : stacks) {
    if (stack.event != event) continue;
    const std::vector<std::string> symbols = symbols_of(stack);
    shortest = count++ == 0 ? symbols.size() : std::min(shortest, symbols.size());
    if (!common) common = symbols;
    common->erase(std::ranges::mismatch(*common, symbols).in1, common->end());
  }
  // Of one stack alone nothing tells which frames say nothing.
  if (count < 2 || shortest == 0) return 0;
  return std::min(common->size(), shortest - 1);
}

std::string short_stack(const Screen& screen, const StackView& stack, std::size_t left_out) {
  constexpr std::size_t kFrames = 4;
  const std::vector<std::string> all = symbols_of(stack);
  const auto frames = std::span{all}.subspan(std::min(left_out, all.size()));
  const auto symbols = frames.first(std::min(kFrames, frames.size()));
  std::string text = fmt::format("{}", fmt::join(symbols, " < "));
  if (frames.size() > kFrames) text += screen.glyphs ? " < …" : " < ...";
  return text;
}

std::string full_stack(const StackView& stack) {
  std::string text = fmt::format("{} x {}\n", or_dash(stack.count, format_count), stack.event.value_or("-"));
  for (const std::string& frame : stack.frames.value_or(std::vector<std::string>{})) {
    text += fmt::format("    {}\n", frame);
  }
  return text;
}

// A line a stack; what looks the same after the cut is one.
std::vector<Cells> short_stacks(const Screen& screen, const std::vector<StackView>& stacks) {
  struct Line {
    std::string event, text;
    std::optional<std::uint64_t> count;
  };
  std::vector<Line> lines;
  for (const StackView& stack : stacks) {
    Line line{stack.event.value_or("-"), short_stack(screen, stack, common_frames(stacks, stack.event)),
              stack.count};
    const auto same = std::ranges::find_if(lines, [&line](const Line& other) {
      return other.event == line.event && other.text == line.text && other.count && line.count;
    });
    if (same == lines.end()) {
      lines.push_back(std::move(line));
    } else {
      *same->count += *line.count;
    }
  }
  std::ranges::stable_sort(lines, std::greater{}, &Line::count);
  std::vector<Cells> rows;
  for (const Line& line : lines)
    rows.push_back({{or_dash(line.count, format_count)}, {line.event}, {line.text}});
  return rows;
}

// "iperf3-812"; the kernel forgets names, and then it is "<...>-812" here as there.
std::string task_words(const SampleView& sample) {
  if (!sample.pid) return sample.task.value_or("-");
  const bool named = sample.task && !sample.task->empty();
  return fmt::format("{}-{}", named ? *sample.task : "<...>", *sample.pid);
}

// "0.001234  cpu 1  iperf3-812  skb:kfree_skb  reason=NO_SOCKET location=tcp_v4_rcv"
std::string sample_line(const Screen& screen, const SampleView& sample) {
  std::string fields;
  for (const SampleFieldView& of : sample.fields.value_or(std::vector<SampleFieldView>{})) {
    fields += fmt::format(" {}={}", of.name, shown_value(of));
  }
  const std::string line =
      fmt::format("{:>12}  cpu {:<3}{} {}{}", moment(sample.time_s),
                  or_dash(sample.cpu, [](std::uint32_t cpu) { return fmt::format("{}", cpu); }),
                  task_words(sample), sample.event, fields);
  constexpr std::size_t kHead = 14;
  if (!screen.width) return line + "\n";
  const std::string head = line.substr(0, kHead);
  return head + hanging(screen, std::string_view{line}.substr(std::min(kHead, line.size())), kHead);
}

// An event by its name and number, and how many of its name before it are not here.
using Gaps = std::map<std::pair<std::string, std::uint64_t>, std::uint64_t>;

Gaps gaps_of(const std::vector<SampleView>& samples) {
  // Not by time: between CPUs the order of time and that of numbers may differ.
  std::map<std::string, std::vector<std::uint64_t>> ordinals;
  for (const SampleView& sample : samples) {
    if (sample.ordinal) ordinals[sample.event].push_back(*sample.ordinal);
  }
  Gaps gaps;
  for (auto& [event, numbers] : ordinals) {
    std::ranges::sort(numbers);
    std::uint64_t before = 0;
    for (const std::uint64_t number : numbers) {
      if (number > before + 1) gaps[{event, number}] = number - before - 1;
      before = number;
    }
  }
  return gaps;
}

std::string samples_list(const Screen& screen, const ShowView& view) {
  if (view.samples.empty()) return "No events are kept.\n";
  std::string text =
      paint(screen, Style::strong, "     SECONDS  the first and the last few of each event, whole") + "\n";
  const Gaps gaps = gaps_of(view.samples);
  for (const SampleView& sample : view.samples) {
    const auto gap = gaps.find({sample.event, sample.ordinal.value_or(0)});
    if (gap != gaps.end()) {
      text += fmt::format("{:>12}  {} of {} not kept\n", screen.glyphs ? "…" : "...",
                          format_count(gap->second), sample.event);
    }
    text += sample_line(screen, sample);
  }
  return text;
}

std::string marks_table(const Screen& screen, const TraceDetails& details) {
  std::vector<Cells> rows;
  for (const MarkView& mark : details.marks) {
    rows.push_back({{moment(mark.time_s)},
                    {or_dash(mark.user, [](bool user) { return user ? "user" : "netperfd"; })},
                    {mark.text.value_or("-")}});
  }
  if (rows.empty()) return "No marks are known.\n";
  return render_table(screen, {{.title = "SECONDS", .right = true}, {.title = "BY"}, {.title = "MARK"}},
                      std::move(rows));
}

std::string cpus_table(const Screen& screen, const ShowView& view) {
  const TraceDetails& details = *view.trace;
  std::vector<Cells> rows;
  for (const TraceCpuView& cpu : details.cpus) {
    rows.push_back({{or_dash(cpu.cpu, [](std::uint32_t number) { return fmt::format("{}", number); })},
                    {or_dash(cpu.records, format_count)},
                    {or_dash(cpu.bytes, format_bytes)},
                    {(is_uncounted(cpu, view.details.flags) ? "at least " : "") +
                     or_dash(cpu.lost_events, format_count)},
                    {or_dash(cpu.overrun, format_count)},
                    {or_dash(cpu.commit_overrun, format_count)},
                    {or_dash(cpu.dropped_events, format_count)},
                    {or_dash(cpu.damaged, format_count)}});
  }
  if (rows.empty()) return "No CPUs are known.\n";
  std::string text = render_table(screen,
                                  {{.title = "CPU", .right = true},
                                   {.title = "RECORDS", .right = true},
                                   {.title = "BYTES", .right = true},
                                   {.title = "LOST", .right = true},
                                   {.title = "OVERRUN", .right = true},
                                   {.title = "COMMIT", .right = true, .optional = true},
                                   {.title = "DROPPED", .right = true},
                                   {.title = "DAMAGED", .right = true}},
                                  std::move(rows));
  if (details.trace.buffer_bytes)
    text += fmt::format("The buffer of each holds {}.\n", format_bytes(*details.trace.buffer_bytes));
  return text;
}

std::string slices_table(const Screen& screen, const TraceDetails& details) {
  // Of a slice of milliseconds a rate a second would be a guess; its count is not.
  constexpr double kFine = 0.1;
  std::vector<Cells> rows;
  for (const SliceView& slice : slices_of(details)) {
    // A call is counted when it returns.
    const bool is_call = is_call_event(slice.event);
    if (is_call && slice.event != "ftrace:funcgraph_exit") continue;
    const double rate = slice.seconds > 0 ? static_cast<double>(slice.count) / slice.seconds : 0;
    rows.push_back({{fmt::format("{:.{}f}-{:.{}f}", slice.start_s, slice.seconds < kFine ? 3 : 2,
                                 slice.start_s + slice.seconds, slice.seconds < kFine ? 3 : 2)},
                    {is_call ? "calls" : slice.event},
                    {format_count(slice.count)},
                    {slice.seconds >= 1 ? format_short(rate) : "-"}});
  }
  if (rows.empty()) return "No event came after the release.\n";
  return render_table(screen,
                      {{.title = "SECONDS", .right = true},
                       {.title = "EVENT"},
                       {.title = "COUNT", .right = true},
                       {.title = "PER SECOND", .right = true, .optional = true}},
                      std::move(rows));
}

}  // namespace

std::string drops_table(const Screen& screen, const ShowView& view) {
  constexpr std::size_t kMost = 5;
  const std::vector<DropView>& drops = view.trace->drops;
  const std::size_t shown = view.trace_lists.drops ? drops.size() : std::min(kMost, drops.size());
  std::vector<Cells> rows;
  for (const DropView& drop : std::span{drops}.first(shown)) {
    rows.push_back(
        {{drop.reason.value_or("-")}, {or_dash(drop.count, format_count)}, {drop.location.value_or("-")}});
  }
  if (rows.empty()) return "No drops are known; the event skb:kfree_skb tells of them.\n";
  std::string text = render_table(
      screen,
      {{.title = "DROPPED BECAUSE", .shrink_to = 20}, {.title = "COUNT", .right = true}, {.title = "WHERE"}},
      std::move(rows));
  if (shown < drops.size()) text += fmt::format("...{} more: --drops\n", format_count(drops.size() - shown));
  return text;
}

std::string stacks_list(const Screen& screen, const ShowView& view) {
  const std::vector<StackView>& stacks = view.stacks.stacks;
  if (stacks.empty()) return "No stacks are known; `stacktrace: true` beside an event asks for them.\n";
  std::string text;
  if (view.trace_lists.stacks) {
    for (const StackView& stack : stacks) text += full_stack(stack);
  } else {
    text = render_table(screen,
                        {{.title = "TIMES", .right = true},
                         {.title = "EVENT"},
                         {.title = "WHERE < CALLED FROM", .shrink_to = 20}},
                        short_stacks(screen, stacks));
    if (view.stacks.more) text += "...more, and all frames: --stacks\n";
  }
  if (view.trace && view.trace->trace.stacks_left_out.value_or(0) > 0) {
    text += fmt::format("{} events had stacks of too many kinds to keep apart.\n",
                        format_count(*view.trace->trace.stacks_left_out));
  }
  return text;
}

std::string trace_tables(const Screen& screen, const ShowView& view) {
  const TraceLists& lists = view.trace_lists;
  const bool traced = view.trace && view.trace->trace.skipped.value_or("").empty();
  if (!traced) {
    const bool stacks = lists.stacks && !view.sampled;  // of the samples instead
    const bool asked = lists.events || lists.drops || stacks || lists.marks || lists.cpus || lists.over_time;
    return asked ? "\nThis run has no trace: there is nothing of it to list.\n" : "";
  }
  std::string text;
  const Screen beside = narrower(screen, kIndent);
  if (lists.drops && view.trace->drops.empty()) text += "\n" + drops_table(beside, view);
  if (lists.stacks && view.stacks.stacks.empty()) text += "\n" + stacks_list(beside, view);
  if (lists.marks) text += "\n" + marks_table(beside, *view.trace);
  if (lists.cpus) text += "\n" + cpus_table(beside, view);
  if (lists.over_time) text += "\n" + slices_table(beside, *view.trace);
  if (lists.events) text += "\n" + samples_list(beside, view);
  return indented(text, kIndent);
}

}  // namespace netperfctl::show
