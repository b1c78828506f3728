// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/trace_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "client/pages/function_text.hpp"
#include "client/pages/over_time_text.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/timeline.hpp"
#include "client/rows/trace_rows.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

// Columns before what belongs to a section of the page.

std::string events_words(std::uint64_t count) {
  return format_count(count) + (count == 1 ? " event" : " events");
}

std::string records_words(std::uint64_t count) {
  return format_count(count) + (count == 1 ? " record" : " records");
}

// "2 events watched: 1,204 skb:kfree_skb, 17 tcp:tcp_retransmit_skb; 0 lost"
std::string totals_words(const ShowView& view) {
  const TraceDetails& details = *view.trace;
  const TraceView& trace = details.trace;
  std::vector<TraceEventView> events = details.events;
  if (view.functions) std::erase_if(events, [](const auto& event) { return is_call_event(event.event); });
  std::string text;
  if (!view.functions && trace.functions.value_or(0) > 0) text = plural(*trace.functions, "function");
  if (!events.empty()) text += (text.empty() ? "" : " and ") + plural(events.size(), "event");
  text = text.empty() ? "no event came" : text + " watched";
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const TraceEventView& event : events) {
    if (names.size() == kMost) break;
    names.push_back(fmt::format("{}{}{}", or_dash(event.count, format_count), kNoBreak, event.event));
  }
  if (!names.empty()) text += fmt::format(": {}", fmt::join(names, ", "));
  if (events.size() > kMost) text += fmt::format(" and {} other names", format_count(events.size() - kMost));
  if (view.functions) text = functions_words(view) + (events.empty() ? "" : "; " + text);
  if (trace.events && (view.functions || events.size() > kMost)) {
    text += fmt::format("{}{}{}", view.functions ? "; " : ", ", events_words(*trace.events),
                        events.empty() ? "" : " in all");
  }
  // iperf3's figures leave it out, so that retransmits here and there differ.
  if (view.details.run.omit_s.value_or(0) > 0 && !details.events.empty()) text += ", with the omitted part";
  return text + (trace.lost
                     ? fmt::format("; {}{}{}lost", has_uncounted(view.details.flags) ? "at least " : "",
                                   format_count(*trace.lost), kNoBreak)
                     : "; losses are not known");
}

// A CPU's losses; empty where it has none.
std::string loss_words(const TraceCpuView& cpu, const std::vector<FlagView>& flags) {
  const std::string name = cpu.cpu ? fmt::format("cpu {}", *cpu.cpu) : "a cpu";
  std::string text;
  if (const std::uint64_t lost = lost_of(cpu); lost > 0) {
    const std::uint64_t all = lost + cpu.records.value_or(0);
    const bool uncounted = is_uncounted(cpu, flags);
    text = fmt::format("{} lost {}{}", name, uncounted ? "at least " : "", records_words(lost));
    if (cpu.records && !uncounted) {
      text = fmt::format("{} lost {} of {} ({})", name, format_count(lost), records_words(all),
                         format_percent(100 * static_cast<double>(lost) / static_cast<double>(all)));
    }
  }
  if (const std::uint64_t damaged = cpu.damaged.value_or(0); damaged > 0) {
    text += fmt::format("{}{} could not be decoded", text.empty() ? name + ": " : ", and ",
                        plural(damaged, "damaged sub-buffer"));
  }
  return text;
}

std::string losses(const Screen& screen, const ShowView& view) {
  const TraceDetails& details = *view.trace;
  std::vector<TraceCpuView> cpus = details.cpus;
  const std::vector<FlagView>& flags = view.details.flags;
  std::erase_if(cpus, [&](const TraceCpuView& cpu) { return loss_words(cpu, flags).empty(); });
  std::ranges::stable_sort(cpus, std::greater{}, lost_of);
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, cpus.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : "\n", loss_words(cpus[i], flags));
  }
  if (cpus.size() > kMost)
    text += fmt::format("\n...{} more CPUs: --cpus", format_count(cpus.size() - kMost));
  if (text.empty() && details.trace.lost.value_or(0) == 0) return {};
  if (text.empty()) text = fmt::format("{} lost", records_words(*details.trace.lost));
  text += cpus.size() > 1 ? "\nThe" : ": the";
  text += " counts below are of what was read. ";
  text += view.functions ? "A larger `buffer` or fewer functions lose less."
                         : "A larger `buffer`, a filter or fewer events lose less.";
  return field(screen, "lost", text, Style::bad);
}

// "0, 2-5"
std::string cpu_ranges(std::vector<std::uint32_t> cpus) {
  std::ranges::sort(cpus);
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] <= cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", cpus[i]);
    if (cpus[last] > cpus[i]) text += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return text;
}

// The requested restrictions of the trace, if any.
std::string watched_words(const TraceDetails& details) {
  std::vector<std::string> parts;
  constexpr std::size_t kMost = 6;
  std::vector<std::string> filtered;
  for (const TraceEventView& event : details.events) {
    if (event.filter.value_or("").empty()) continue;
    filtered.push_back(fmt::format("{} where {}", event.event, *event.filter));
  }
  const std::size_t more = filtered.size() - std::min(kMost, filtered.size());
  filtered.resize(filtered.size() - more);
  if (more > 0) filtered.push_back(fmt::format("{} more with filters", format_count(more)));
  if (!filtered.empty()) parts.push_back(fmt::format("{}", fmt::join(filtered, ", ")));
  const std::vector<std::uint32_t> cpus = details.trace.only_cpus.value_or(std::vector<std::uint32_t>{});
  if (!cpus.empty()) parts.push_back("CPUs " + cpu_ranges(cpus));
  if (details.trace.workload_only.value_or(false))
    parts.emplace_back("the workload's own tasks: what softirqs did for it is not seen");
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What a reader must know of how it was watched.
std::string limits(const Screen& screen, const TraceDetails& details) {
  const TraceView& trace = details.trace;
  std::string text;
  if (const std::string only = watched_words(details); !only.empty()) text += field(screen, "only", only);
  if (trace.missing_functions && !trace.missing_functions->empty()) {
    text += field(screen, "left out",
                  fmt::format("not traceable: {}", fmt::join(*trace.missing_functions, ", ")), Style::active);
  }
  return text;
}

// The size of the daemon's answer is limited; rows that it left out did happen.
std::string left_out(const Screen& screen, const TraceView& trace) {
  std::vector<std::string> parts;
  const auto add = [&parts](const std::optional<std::uint64_t>& count, const char* what) {
    if (count.value_or(0) > 0) parts.push_back(fmt::format("{} {}", format_count(*count), what));
  };
  add(trace.events_left_out, "events by name");
  add(trace.slices_left_out, "events over time");
  add(trace.drops_left_out, "kinds of drops");
  add(trace.marks_left_out, "marks");
  add(trace.cpus_left_out, "CPUs");
  if (parts.empty()) return {};
  return field(screen, "not shown",
               fmt::format("{}: too many for one answer of netperfd", fmt::join(parts, ", ")), Style::active);
}

std::string user_marks(const Screen& screen, const TraceDetails& details) {
  constexpr std::size_t kMost = 8;
  std::size_t index = 0;
  std::string lines;
  for (const MarkView& mark : details.marks) {
    if (!mark.user.value_or(false)) continue;
    if (index++ >= kMost) continue;
    lines += fmt::format("{}{}  {}  {}", lines.empty() ? "" : "\n", mark_letter(index - 1),
                         or_dash(mark.time_s, [](double s) { return fmt::format("{:.3f} s", s); }),
                         mark.text.value_or(""));
  }
  if (index > kMost) lines += fmt::format("\n...{} more: --marks", format_count(index - kMost));
  return lines.empty() ? "" : "\n" + field(screen, "marks", lines);
}

}  // namespace

bool has_uncounted(const std::vector<FlagView>& flags) {
  return std::ranges::any_of(flags, [](const FlagView& flag) { return flag.code == "losses-uncounted"; });
}

// The flag has no key for the CPUs that it names, so the number of each CPU is taken as the least that it can
// be. If the trace does not count them, the kernel's own statistics may.
bool is_uncounted(const TraceCpuView& cpu, const std::vector<FlagView>& flags) {
  return has_uncounted(flags) && cpu.lost_events.value_or(0) > cpu.overrun.value_or(0);
}

std::string trace_words(const RunView& run, const std::vector<FlagView>& flags) {
  if (run.trace_skipped && !run.trace_skipped->empty()) return "not traced";
  if (!run.trace_events) return {};
  return events_words(*run.trace_events) +
         (run.trace_lost ? fmt::format(", {}{} lost", has_uncounted(flags) ? "at least " : "",
                                       format_count(*run.trace_lost))
                         : "");
}

std::string trace_part(const Screen& screen, const ShowView& view) {
  if (!view.trace) return {};
  const TraceDetails& details = *view.trace;
  if (details.trace.skipped && !details.trace.skipped->empty()) {
    return "\n" + field(screen, "tracing", "not traced: " + *details.trace.skipped, Style::active);
  }
  std::string text = "\n" + field(screen, "tracing", totals_words(view));
  text += limits(screen, details);
  if (details.trace.broken && !details.trace.broken->empty()) {
    text += field(screen, "broken", *details.trace.broken, Style::bad);
  }
  text += losses(screen, view) + left_out(screen, details.trace);
  if (view.functions) text += builds_part(screen, *view.functions) + functions_part(screen, view);
  text += over_time(screen, view) + user_marks(screen, details);
  const Screen beside = narrower(screen, kIndent);
  if (!details.drops.empty()) text += "\n" + indented(drops_table(beside, view), kIndent);
  if (!view.stacks.stacks.empty()) text += "\n" + indented(stacks_list(beside, view), kIndent);
  return text;
}

std::string requested_parts(const Screen& screen, const ShowView& view) {
  const TraceLists& lists = view.trace_lists;
  std::string text;
  if (view.functions && view.function_lists.functions) text += functions_part(screen, view);
  if (!view.trace || !view.trace->trace.skipped.value_or("").empty()) return text;
  if (lists.over_time) text += over_time(screen, view);
  const Screen beside = narrower(screen, kIndent);
  if (lists.drops && !view.trace->drops.empty()) text += "\n" + indented(drops_table(beside, view), kIndent);
  if (lists.stacks && !view.stacks.stacks.empty())
    text += "\n" + indented(stacks_list(beside, view), kIndent);
  return text;
}

}  // namespace netperfctl::show
