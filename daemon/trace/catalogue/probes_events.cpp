// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/probes_events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <initializer_list>
#include <set>
#include <sstream>
#include <utility>

namespace netperfd::trace {
namespace {

// A rare networking event if available, otherwise the first one: "skb/kfree_skb".
std::string event_to_try(Tracefs& tracefs) {
  if (tracefs.exists("events/skb/kfree_skb")) return "skb/kfree_skb";
  const auto events = tracefs.read("available_events");
  if (!events) return "";
  std::string event = events->substr(0, events->find('\n'));
  if (const auto colon = event.find(':'); colon != std::string::npos) event[colon] = '/';
  return event;
}

// Sets it and reverts it; the removal of the instance reverts the rest.
Status set_and_take_back(ProbeSite& site, const std::string& file, const std::string& text,
                         const std::string& back) {
  const std::string path = site.instance.path(file);
  if (Status set = site.tracefs.append(path, text); !set) return set;
  return site.tracefs.append(path, back);
}

Finding judge(ProbeSite& site, const char* name, const Status& tried, const char* detail) {
  if (tried) return found(name, core::Ability::yes, detail);
  return missing(name, site.reasons.refused(tried.error()));
}

Finding probe_marker(ProbeSite& site) {
  constexpr auto kName = "trace_marker";
  const auto marker = site.tracefs.open(site.instance.path("trace_marker"), OpenMode::write);
  if (!marker) return missing(kName, site.reasons.refused(marker.error()));
  return judge(site, kName, (*marker)->write("netperfd probes this\n"),
               "user space can put its marks beside the kernel's events");
}

// The row is for users who examine the machine with other tools.
Finding not_ours(Finding finding) {
  finding.row.detail += "; not used by netperfd";
  return finding;
}

Finding probe_histograms(ProbeSite& site, const std::string& events) {
  constexpr auto kName = "histogram_triggers";
  const Status tried =
      set_and_take_back(site, events + "/trigger", "hist:keys=common_pid", "!hist:keys=common_pid");
  if (!tried && is_errno(tried.error(), EINVAL)) {
    Reason reason = site.reasons.not_built({"CONFIG_HIST_TRIGGERS"});
    // No advice, since netperfd does its own counting.
    reason.advice.clear();
    return missing(kName, std::move(reason));
  }
  return judge(site, kName, tried, "the kernel can count events by their fields");
}

Finding probe_definitions(Tracefs& tracefs, Reasons& reasons, const char* name, const std::string& file,
                          std::initializer_list<std::string_view> options, const char* detail) {
  if (!tracefs.exists(file)) {
    Reason reason = reasons.not_built(options);
    // No advice, since no job's trace needs it.
    reason.advice.clear();
    return missing(name, std::move(reason));
  }
  // Opens it for writing but writes nothing: a definition is global and would outlive a crash here.
  const Status opened = tracefs.append(file, "");
  if (!opened) return missing(name, reasons.refused(opened.error()));
  return found(name, core::Ability::yes, detail);
}

Finding probe_clocks(Tracefs& tracefs, Reasons& reasons) {
  constexpr auto kName = "trace_clocks";
  const auto clocks = tracefs.read("trace_clock");
  if (!clocks) return missing(kName, reasons.refused(clocks.error()));
  std::vector<std::string> names;
  bool has_mono = false;
  std::istringstream words(*clocks);
  for (std::string word; words >> word;) {
    // The current one is in brackets.
    if (word.starts_with('[') && word.ends_with(']')) word = word.substr(1, word.size() - 2);
    has_mono = has_mono || word == "mono";
    names.push_back(std::move(word));
  }
  const std::string detail = fmt::format("{}", fmt::join(names, ", "));
  if (has_mono) return found(kName, core::Ability::yes, detail);
  return found(kName, core::Ability::limited, detail + "; none of them is the clock of user space (mono)");
}

}  // namespace

std::vector<Finding> probe_events(ProbeSite& site) {
  std::vector<Finding> findings{probe_marker(site)};
  const std::string event = event_to_try(site.tracefs);
  if (event.empty()) {
    const Reason reason = site.reasons.not_built({"CONFIG_EVENT_TRACING"});
    for (const auto* name : {"tracepoints", "event_filters", "stack_traces", "histogram_triggers"}) {
      findings.push_back(missing(name, reason));
    }
    return findings;
  }
  const std::string events = "events/" + event;
  // The following steps need no recording; if this fails, a few events are recorded.
  static_cast<void>(site.tracefs.write(site.instance.path("tracing_on"), "0"));
  findings.push_back(judge(site, "tracepoints", set_and_take_back(site, events + "/enable", "1", "0"), ""));
  findings.push_back(
      judge(site, "event_filters", set_and_take_back(site, events + "/filter", "common_pid == 1", "0"),
            "the kernel can drop events by their fields before they take room in the trace buffer"));
  findings.push_back(judge(site, "stack_traces",
                           set_and_take_back(site, events + "/trigger", "stacktrace", "!stacktrace"),
                           "the kernel's stack can be recorded with an event"));
  findings.push_back(not_ours(probe_histograms(site, events)));
  return findings;
}

std::string count_tracepoints(Tracefs& tracefs) {
  const auto events = tracefs.read("available_events");
  if (!events) return "how many there are the kernel does not tell";
  std::set<std::string> systems;
  std::size_t count = 0;
  std::istringstream lines(*events);
  for (std::string line; std::getline(lines, line); ++count) systems.insert(line.substr(0, line.find(':')));
  return fmt::format("{} events in {} systems", count, systems.size());
}

std::vector<Finding> probe_offers(Tracefs& tracefs, Reasons& reasons) {
  return {not_ours(probe_definitions(tracefs, reasons, "uprobes", "uprobe_events", {"CONFIG_UPROBE_EVENTS"},
                                     "functions of programs can be made events")),
          not_ours(probe_definitions(tracefs, reasons, "kprobes", "kprobe_events",
                                     {"CONFIG_KPROBES", "CONFIG_KPROBE_EVENTS"},
                                     "functions of the kernel can be made events")),
          probe_clocks(tracefs, reasons)};
}

}  // namespace netperfd::trace
