// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/function_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "client/pages/budget_text.hpp"
#include "client/pages/function_tables.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

// Modules of the functions, an empty one for the kernel itself; in the order of their functions.
std::vector<std::string> modules_of(const ProfileDetails& details) {
  std::vector<std::string> modules;
  for (const FunctionStatsView& function : details.functions) {
    const std::string module = function.module.value_or("");
    if (std::ranges::find(modules, module) == modules.end()) modules.push_back(module);
  }
  return modules;
}

// "hsr", "hsr and the kernel"; empty where they are too many to name.
std::string module_words(const ProfileDetails& details) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> modules = modules_of(details);
  if (modules.empty() || modules.size() > kMost) return {};
  std::ranges::stable_partition(modules, [](const std::string& module) { return !module.empty(); });
  for (std::string& module : modules) {
    if (module.empty()) module = "the kernel";
  }
  const std::string last = std::exchange(modules.back(), "");
  modules.pop_back();
  return modules.empty() ? last : fmt::format("{} and {}", fmt::join(modules, ", "), last);
}

// Git's way: enough to tell two builds apart.
std::string short_id(const std::string& build_id) {
  constexpr std::size_t kDigits = 8;
  return build_id.substr(0, kDigits);
}

std::string build_words(const BuildView& build) {
  const std::string module = build.module.value_or("");
  std::string version;
  if (!build.build_id.value_or("").empty()) {
    version = fmt::format("build{}{}", kNoBreak, short_id(*build.build_id));
  } else if (!build.srcversion.value_or("").empty()) {
    version = fmt::format("srcversion{}{}", kNoBreak, *build.srcversion);
  }
  if (!module.empty()) return version.empty() ? "" : fmt::format("{}{}{}", module, kNoBreak, version);
  const std::string release = build.release.value_or("");
  if (release.empty() || version.empty()) return release + version;
  return fmt::format("{}{}({})", release, kNoBreak, version);
}

std::string cost_words(const ProfileView& profile) {
  if (profile.calibration_entry_ns && profile.calibration_callee_ns) {
    return fmt::format(
        "corrected for the tracer's own cost (+{} ns a call, +{} ns a traced callee); it includes what a "
        "function calls untraced",
        format_figure(*profile.calibration_entry_ns), format_figure(*profile.calibration_callee_ns));
  }
  const std::string reason = profile.not_calibrated.value_or("");
  return fmt::format(
      "not corrected for the tracer's own cost{}{}; it includes that and what a function calls untraced",
      reason.empty() ? "" : ": ", reason);
}

std::string packet_words(const ShowView& view) {
  const ProfileView& profile = view.functions->profile;
  if (!profile.packets) {
    return is_trace_only(view.details.run) ? "" : "not known: no device is known that counts them";
  }
  std::string text = fmt::format("{} of {}", profile.packet_direction.value_or("packets"),
                                 profile.packet_device.value_or("a device"));
  if (!profile.packet_netns.value_or("").empty()) text += " in " + *profile.packet_netns;
  text += ", " + format_count(*profile.packets);
  if (profile.packet_bytes && *profile.packets > 0) {
    const double each = static_cast<double>(*profile.packet_bytes) / static_cast<double>(*profile.packets);
    text += fmt::format(" of {} bytes in the mean", format_figure(each));
  }
  return text;
}

std::string goodput_words(const ShowView& view) {
  const ProfileView& profile = view.functions->profile;
  if (!profile.goodput_bytes) return {};
  std::string text = format_count(*profile.goodput_bytes) + " bytes received";
  if (view.details.run.omit_s.value_or(0) > 0) text += ", with the omitted part";
  if (profile.packets && *profile.goodput_bytes > 0) {
    const double share = static_cast<double>(*profile.packets) / static_cast<double>(*profile.goodput_bytes);
    text += fmt::format("; {} packets a megabyte", format_figure(share * 1e6));
  }
  return text;
}

// What a reader must know of how the calls were followed.
std::string limit_words(const ProfileView& profile) {
  std::vector<std::string> parts;
  if (profile.depth) {
    parts.push_back(fmt::format("{} of calls; deeper ones are in the self time of what called them",
                                plural(*profile.depth, "level")));
  }
  if (profile.off_cpu_known == false)
    parts.emplace_back("time asleep and preempted is in all times, since it could not be told apart");
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What is no whole call, where there is such.
std::string damage_words(const ProfileView& profile) {
  std::vector<std::string> parts;
  const auto add = [&parts](const std::optional<std::uint64_t>& count, const char* one, const char* many) {
    if (count.value_or(0) > 0)
      parts.push_back(fmt::format("{} {}", format_count(*count), *count == 1 ? one : many));
  };
  add(profile.open_at_start, "call began before the trace", "calls began before the trace");
  add(profile.open_at_end, "call had not ended with the trace", "calls had not ended with the trace");
  add(profile.unmatched_exits, "exit without an entry", "exits without an entry");
  add(profile.unmatched_entries, "entry without an exit", "entries without an exit");
  add(profile.over_losses, "call over a loss, perhaps without a callee",
      "calls over losses, perhaps without callees");
  add(profile.depth_overruns, "call too deep for the kernel", "calls too deep for the kernel");
  add(profile.clipped, "time below 0 taken for 0", "times below 0 taken for 0");
  add(profile.out_of_order, "record that came after later ones of its task",
      "records that came after later ones of their task");
  add(profile.tree_overflow, "call found no room in the tree", "calls found no room in the tree");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string damage_part(const Screen& screen, const ProfileView& profile) {
  const std::string damage = damage_words(profile);
  return damage.empty() ? "" : field(screen, "not whole", damage, Style::active);
}

std::vector<double> tracer_share_of(const RunView& run) {
  return run.tracer_share ? std::vector{*run.tracer_share} : std::vector<double>{};
}

std::string notes(const Screen& screen, const ShowView& view) {
  const ProfileView& profile = view.functions->profile;
  std::string text;
  if (profile.timed == false) {
    text +=
        field(screen, "times", "not known: the function tracer recorded calls, and nothing of their ends");
  } else {
    text += field(screen, "self time", cost_words(profile));
    text += view.function_lists.functions
                ? field(screen, "times",
                        "total, min, percentiles and max are of whole calls, with their callees and the "
                        "tracer's own cost")
                : field(screen, "p99", "of whole calls, with their callees and the tracer's own cost");
  }
  if (view.budget)
    text += field(screen, "budget", budget_words(*view.budget, tracer_share_of(view.details.run)));
  if (const std::string packets = packet_words(view); !packets.empty())
    text += field(screen, "packets", packets);
  if (const std::string goodput = goodput_words(view); !goodput.empty())
    text += field(screen, "bytes", goodput);
  if (const std::string limits = limit_words(profile); !limits.empty()) text += field(screen, "only", limits);
  return text + damage_part(screen, profile);
}

}  // namespace

FunctionNames::FunctionNames(const Screen& screen, const ProfileDetails& details, std::size_t columns)
    : screen_(screen), columns_(columns), with_module_(modules_of(details).size() > 1) {}

std::string FunctionNames::operator()(std::string_view function, const std::optional<std::string>& module,
                                      const std::optional<std::uint32_t>& duplicate) const {
  std::string suffix;
  if (with_module_ && !module.value_or("").empty()) suffix += fmt::format(" [{}]", *module);
  if (duplicate.value_or(0) > 0) suffix += fmt::format(" #{}", *duplicate);
  if (!screen_.width) return std::string{function} + suffix;
  // What tells two of one name apart stays.
  return cut(screen_, function, columns_ - std::min(columns_ - 1, display_width(suffix))) + suffix;
}

std::string functions_words(const ShowView& view) {
  const ProfileDetails& details = *view.functions;
  const std::uint32_t traced = view.trace ? view.trace->trace.functions.value_or(0) : 0;
  const std::uint64_t called = details.profile.functions.value_or(details.functions.size());
  // Calls may have begun all the same.
  if (called == 0 && traced == 0) return "no whole call of a function";
  if (called == 0) return plural(traced, "function") + " traced, no whole call of them";
  const std::string modules = module_words(details);
  if (traced == 0) {
    return plural(called, "function") + (modules.empty() ? "" : " of " + modules) + " called";
  }
  const std::string of = modules.empty() ? "them" : modules;
  return fmt::format("{} traced, {} of {} called", plural(traced, "function"), format_count(called), of);
}

std::string builds_part(const Screen& screen, const ProfileDetails& details) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> parts;
  for (const BuildView& build : details.builds) {
    if (std::string words = build_words(build); !words.empty()) parts.push_back(std::move(words));
  }
  if (parts.empty()) return {};
  const std::size_t more = parts.size() - std::min(kMost, parts.size());
  parts.resize(parts.size() - more);
  if (more > 0) parts.push_back(fmt::format("and {} more", plural(more, "module")));
  return field(screen, "kernel", fmt::format("{}", fmt::join(parts, "   ")));
}

std::string functions_part(const Screen& screen, const ShowView& view) {
  if (!view.functions) return {};
  if (view.functions->functions.empty())
    return "\n" + field(screen, "functions", "no call ended within the trace") +
           damage_part(screen, view.functions->profile);
  const Screen beside = narrower(screen, kIndent);
  const std::string table = view.function_lists.functions ? all_functions(beside, *view.functions)
                                                          : top_functions(beside, *view.functions);
  const std::string counted = view.budget && view.function_lists.functions
                                  ? indented(budget_table(beside, *view.budget), kIndent)
                                  : "";
  return "\n" + indented(table, kIndent) + "\n" + notes(screen, view) +
         (counted.empty() ? "" : "\n" + counted);
}

std::string function_tables(const Screen& screen, const ShowView& view) {
  const FunctionLists& lists = view.function_lists;
  if (!view.functions) {
    const bool asked = lists.functions || lists.tree || lists.callers;
    return asked ? "\nNo functions were traced in this run: a job with `trace: {function_graph: ...}` asks "
                   "for them.\n"
                 : "";
  }
  std::string text;
  const Screen beside = narrower(screen, kIndent);
  if (lists.tree) text += "\n" + call_tree(beside, *view.functions);
  if (lists.callers) text += "\n" + callers_table(beside, *view.functions);
  return indented(text, kIndent);
}

}  // namespace netperfctl::show
