// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/samples_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/show_parts.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

constexpr std::size_t kNarrowestName = 16;
// Below that, a function has too few samples for a share that says anything; JSON and CSV have it.
constexpr std::uint64_t kFewest = 2;

std::string count_words(const std::optional<std::uint64_t>& count) {
  return or_dash(count, format_count);
}

std::string busy_words(const SampleProfileView& profile) {
  return fmt::format("{}; {} were idle", count_words(profile.busy), count_words(profile.idle));
}

std::string resolution_words(const SampleProfileView& profile) {
  return fmt::format("two such profiles tell a share of 1 % from another one if they differ by {} or more",
                     or_dash(profile.resolution, format_share));
}

std::string head_part(const Screen& screen, const SampleProfileView& profile) {
  if (profile.skipped) return field(screen, "samples", "none: " + *profile.skipped, Style::bad);
  std::string text = field(screen, "samples", taken_words(profile));
  text += field(screen, "busy", busy_words(profile));
  text += field(screen, "resolution", resolution_words(profile));
  for (const std::string& words : missing_words(profile)) text += field(screen, "missing", words, Style::bad);
  if (!profile.sees_interrupts_off.value_or(true)) {
    text += field(screen, "note",
                  "A timer takes the samples. In code with interrupts off, it waits: functions with * switch "
                  "them on and have the samples of the code before.");
  }
  return text;
}

std::string share_words(const std::optional<double>& share) {
  return or_dash(share, format_share);
}

std::string interval_words(const SampledFunctionView& function) {
  if (!function.self_share_low || !function.self_share_high) return "-";
  return fmt::format("{} to {}", format_share(*function.self_share_low),
                     format_share(*function.self_share_high));
}

// Of each sample, in ns per unit of the run's work; absent: not known.
std::optional<double> cost_of_one(const SampleProfileView& profile) {
  if (!profile.ns_per_sample || profile.work_amount.value_or(0) <= 0) return std::nullopt;
  return *profile.ns_per_sample / *profile.work_amount;
}

std::string cost_words(const std::optional<std::uint64_t>& samples, std::optional<double> each) {
  return samples && each ? format_figure(static_cast<double>(*samples) * *each) : "-";
}

// "ns/byte"
std::string cost_title(const SampleProfileView& profile) {
  return fmt::format("ns/{}", profile.work.value_or("byte"));
}

std::string function_table(const Screen& screen, const SampleProfileView& profile,
                           const std::vector<SampledFunctionView>& functions) {
  const std::optional<double> each = cost_of_one(profile);
  std::vector<Cells> rows;
  std::size_t left_out = 0;
  for (const SampledFunctionView& function : functions) {
    if (function.total.value_or(0) < kFewest) {
      ++left_out;
      continue;
    }
    std::string name = function.name;
    if (function.duplicate) name += fmt::format("#{}", *function.duplicate);
    if (function.after_interrupts_off.value_or(false)) name += " *";
    rows.push_back({{std::move(name), Style::strong},
                    {function.module.value_or("")},
                    {count_words(function.self)},
                    {share_words(function.self_share)},
                    {interval_words(function)},
                    {cost_words(function.self, each)},
                    {share_words(function.total_share)},
                    {count_words(function.workload)}});
  }
  if (rows.empty()) return "No function has two samples.\n";
  std::string text = render_table(screen,
                                  {{.title = "FUNCTION", .shrink_to = kNarrowestName},
                                   {.title = "MODULE", .shrink_to = kNarrowestName / 2, .optional = true},
                                   {.title = "SELF", .right = true},
                                   {.title = "SHARE", .right = true},
                                   {.title = "INTERVAL", .right = true, .leaves = 1},
                                   {.title = cost_title(profile), .right = true, .optional = true},
                                   {.title = "TOTAL", .right = true},
                                   {.title = "WORKLOAD", .right = true, .leaves = 2}},
                                  std::move(rows));
  if (left_out > 0)
    text +=
        fmt::format("Functions with a single sample, which are not listed: {}.\n", format_count(left_out));
  return text;
}

std::string stack_text(const SampledStackView& stack) {
  std::string text = fmt::format("{} samples, {}, {}\n", count_words(stack.samples), share_words(stack.share),
                                 stack.program.value_or("others"));
  for (const std::string& frame : stack.frames.value_or(std::vector<std::string>{})) {
    text += fmt::format("    {}\n", frame);
  }
  return text;
}

}  // namespace

std::string taken_words(const SampleProfileView& profile) {
  return fmt::format("{} of {} on {} CPUs in {}, {} per second and CPU asked", count_words(profile.samples),
                     profile.event.value_or("-"), profile.cpus.value_or(0),
                     or_dash(profile.duration_s, format_seconds), profile.rate.value_or(0));
}

std::vector<std::string> missing_words(const SampleProfileView& profile) {
  std::vector<std::string> words;
  const auto add = [&words](const std::optional<std::uint64_t>& count, std::string_view what) {
    if (count.value_or(0) > 0) words.push_back(fmt::format("{} {}", format_count(*count), what));
  };
  add(profile.lost, "samples lost, for which the kernel had no room");
  // Below that it is the ticks at both ends.
  if (profile.missed.value_or(0) > profile.due.value_or(0) / 100)
    add(profile.missed, fmt::format("samples of {} that were due did not come", count_words(profile.due)));
  add(profile.throttled, "times the kernel paused sampling");
  add(profile.unknown, "samples with code that has no symbol");
  add(profile.cut, "samples whose stack found no room: only their innermost function is known");
  add(profile.damaged, "stretches of records that made no sense");
  return words;
}

std::string samples_part(const Screen& screen, const ShowView& view) {
  const bool stacks = view.trace_lists.stacks && view.sampled;
  if (!view.list_samples && !stacks) return {};
  if (!view.sampled) return "\nThis run was not sampled.\n";
  std::string text = "\n" + head_part(screen, view.sampled->profile);
  if (view.sampled->profile.skipped) return text;
  const Screen beside = narrower(screen, kIndent);
  if (view.list_samples)
    text += "\n" + indented(function_table(beside, view.sampled->profile, view.sampled->functions), kIndent);
  if (!stacks) return text;
  for (const SampledStackView& stack : view.sampled->stacks)
    text += "\n" + indented(stack_text(stack), kIndent);
  return text;
}

}  // namespace netperfctl::show
