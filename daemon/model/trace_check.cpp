// SPDX-License-Identifier: GPL-2.0-or-later
// tracefs files are small languages: a line break ends a command, a space ends a name, and a sign in front
// can change the meaning of a name. The rules allow only the part of each language that the job's keys stand
// for.
#include "daemon/model/trace_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/model/problems.hpp"
#include "daemon/model/text.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd {
namespace {

// MODULE_NAME_LEN on 64 bits, without the final NUL.
constexpr std::size_t kMaxModule = 55;
constexpr std::size_t kMaxFunction = 127;
constexpr std::size_t kMaxEventName = 127;
// A cpu_set_t has 1024 bits.

// Our own limits: how much one job may make the daemon and the kernel keep.
constexpr std::size_t kMaxFunctions = 512;
constexpr std::size_t kMaxEvents = 64;
constexpr std::size_t kMaxFilter = 1024;
constexpr std::uint64_t kMinBuffer = 64ULL << 10U;
constexpr std::uint64_t kMaxBuffer = 1ULL << 30U;
constexpr std::uint64_t kMinRaw = 1ULL << 20U;
constexpr std::uint64_t kMaxRaw = 256ULL << 20U;

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
  };
  return !text.empty() && std::ranges::all_of(text, fits);
}

// For messages: a name may be wrong because of its length or its bytes.
std::string shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  return fmt::format("{:?}{}", text.substr(0, kMaxShown), text.size() > kMaxShown ? "..." : "");
}

// A name or glob of set_ftrace_filter. There, ':' begins a command, '!' removes a name, '#' begins a comment,
// and a digit begins a line number of available_filter_functions.
bool is_function(std::string_view text) {
  const auto fits = [](char c) { return c > ' ' && c <= '~' && c != ':'; };
  return !text.empty() && text.size() <= kMaxFunction && std::ranges::all_of(text, fits) &&
         !std::string_view("!#0123456789").contains(text.front());
}

void check_functions(const std::string& key, const std::vector<std::string>& names, Problems& problems) {
  if (names.size() > kMaxFunctions) {
    problems.add(key, fmt::format("has {} names; at most {} are taken", names.size(), kMaxFunctions));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_function(names[i])) continue;
    problems.add(
        fmt::format("{}[{}]", key, i),
        fmt::format("{} is not the name of a function or a glob (at most {} characters, no space, no "
                    "':', and no '!', '#' or digit in front)",
                    shown(names[i]), kMaxFunction));
  }
}

void check_function_graph(const FunctionGraphSpec& graph, Problems& problems) {
  const std::string key = "trace.function_graph";
  if (graph.module.empty() && graph.functions.empty()) {
    problems.add(key, "names no function; give `module` or `functions`",
                 {"trace.function_graph.module", "trace.function_graph.functions"});
  }
  if (!graph.module.empty() && !graph.functions.empty()) {
    problems.add(key + ".functions", "stands beside `module`; a job has one of the two",
                 {"trace.function_graph.module"});
  }
  if (!graph.module.empty() && (graph.module.size() > kMaxModule || !is_name(graph.module))) {
    problems.add(key + ".module", fmt::format("{} is not the name of a kernel module, such as hsr (at most "
                                              "{} letters, digits, '_' and '-')",
                                              shown(graph.module), kMaxModule));
  }
  check_functions(key + ".functions", graph.functions, problems);
  check_functions(key + ".exclude", graph.exclude, problems);
  check_functions(key + ".only", graph.only, problems);
  if (graph.depth && *graph.depth == 0) {
    problems.add(key + ".depth", "0 is out of range; 1 records the functions without what they call");
  }
}

bool is_event_name(std::string_view text) {
  const auto colon = text.find(':');
  return text.size() <= kMaxEventName && colon != std::string_view::npos && is_name(text.substr(0, colon)) &&
         is_name(text.substr(colon + 1));
}

void check_events(const std::vector<EventSpec>& events, Problems& problems) {
  if (events.size() > kMaxEvents) {
    problems.add("trace.events",
                 fmt::format("has {} events; at most {} are traced", events.size(), kMaxEvents));
    return;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventSpec& event = events[i];
    const std::string key = fmt::format("trace.events[{}]", i);
    if (!is_event_name(event.name)) {
      problems.add(key + ".name",
                   fmt::format("{} is not the name of an event (SYSTEM:EVENT, such as skb:kfree_skb)",
                               shown(event.name)));
    } else if (!seen.insert(event.name).second) {
      problems.add(key + ".name", fmt::format("{} is in the list a second time", event.name));
    }
    if (auto why = not_printable(event.filter); !why.empty()) problems.add(key + ".filter", std::move(why));
    if (event.filter.size() > kMaxFilter) {
      problems.add(key + ".filter",
                   fmt::format("has {} bytes; at most {} are taken", event.filter.size(), kMaxFilter));
    }
  }
}

void check_cpus(const std::vector<std::uint32_t>& cpus, Problems& problems) {
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const std::string key = fmt::format("trace.cpus[{}]", i);
    if (cpus[i] > kMaxCpu) {
      problems.add(key, fmt::format("{} is out of range (0 to {})", cpus[i], kMaxCpu));
    } else if (!seen.insert(cpus[i]).second) {
      problems.add(key, fmt::format("{} is in the list a second time", cpus[i]));
    }
  }
}

}  // namespace

std::vector<JobProblem> check_trace(const TraceSpec& spec) {
  Problems problems;
  if (!spec.function_graph && spec.events.empty()) {
    problems.add("trace", "asks for nothing; give `events`, `function_graph` or both",
                 {"trace.events", "trace.function_graph"});
  }
  if (spec.function_graph) check_function_graph(*spec.function_graph, problems);
  check_events(spec.events, problems);
  check_cpus(spec.cpus, problems);
  if (spec.buffer_bytes && (*spec.buffer_bytes < kMinBuffer || *spec.buffer_bytes > kMaxBuffer)) {
    problems.add("trace.buffer",
                 fmt::format("{} bytes is out of range (64K to 1G, of each CPU)", *spec.buffer_bytes));
  }
  if (spec.keep_raw_bytes && (*spec.keep_raw_bytes < kMinRaw || *spec.keep_raw_bytes > kMaxRaw)) {
    problems.add("trace.keep_raw",
                 fmt::format("{} bytes is out of range (1M to 256M, of all CPUs)", *spec.keep_raw_bytes));
  }
  return problems.take();
}

std::vector<JobProblem> check_budget(const JobSpec& spec) {
  Problems problems;
  const std::string key = "trace.budget";
  if (!spec.trace || !spec.trace->budget) return problems.take();
  const double percent = 100 * *spec.trace->budget;
  if (percent <= 0 || percent > 100) {
    problems.add(key, fmt::format("{} % is out of range (above 0 % and up to 100 %, or none)",
                                  rows::plain_number(percent, 6)));
  }
  if (!spec.trace->function_graph) {
    problems.add(key, "is for the functions of `function_graph`, which the job does not have",
                 {"trace.function_graph"});
  }
  if (!spec.workload.runs_processes) {
    problems.add(
        key,
        fmt::format("needs calls to count before the job, and workload {} makes no traffic; only none "
                    "is possible",
                    spec.workload.name),
        {"workload"});
  }
  if (spec.design && spec.design->reboots) {
    problems.add(
        key,
        "needs a count of calls on both sides before the job, which would take reboots of its own; only "
        "none is possible with `level: boot`",
        {"design.level"});
  }
  return problems.take();
}

std::vector<JobProblem> check_sample(const JobSpec& spec) {
  Problems problems;
  if (!spec.sample || !spec.sample->asked) return {};
  const std::uint32_t rate = spec.sample->rate;
  if (rate < 1 || rate > kMostSampleRate) {
    problems.add("sample",
                 fmt::format("{} samples a second are out of range (1 to {})", rate, kMostSampleRate));
  }
  if (!has_plain_runs(spec))
    problems.add("sample", "samples plain runs only, and all runs of this job are traced", {"trace"});
  return problems.take();
}

}  // namespace netperfd
