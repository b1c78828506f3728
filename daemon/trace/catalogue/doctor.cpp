// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/boot/probes.hpp"
#include "daemon/trace/catalogue/capability_cache.hpp"
#include "daemon/trace/catalogue/probe_site.hpp"
#include "daemon/trace/catalogue/probes_events.hpp"
#include "daemon/trace/catalogue/probes_functions.hpp"
#include "daemon/trace/catalogue/probes_machine.hpp"
#include "daemon/trace/tracefs/session.hpp"

namespace netperfd::trace {
namespace {

using core::Ability;
using core::Capability;

// All capabilities that need tracefs and hold until the next boot, in the order of the answer.
constexpr std::array<const char*, 12> kLasting{"function_graph",
                                               "function_graph_instance",
                                               "function",
                                               "tracepoints",
                                               "event_filters",
                                               "stack_traces",
                                               "uprobes",
                                               "kprobes",
                                               "histogram_triggers",
                                               "trace_marker",
                                               "trace_instances",
                                               "trace_clocks"};

// Those of kLasting that are tried in an instance.
constexpr std::array<const char*, 9> kInInstance{
    "function_graph", "function_graph_instance", "function",     "tracepoints",    "event_filters",
    "stack_traces",   "histogram_triggers",      "trace_marker", "trace_instances"};

Capability refuse(std::string name, const Reason& reason) {
  return {std::move(name), Ability::no, reason.detail, reason.advice};
}

// Absent if tracefs can be read; otherwise why not.
std::optional<Reason> why_no_tracefs(Tracefs& tracefs, Reasons& reasons) {
  const auto tracer = tracefs.read("current_tracer");
  if (tracer) return std::nullopt;
  if (tracer.error().kind == ErrorKind::not_found) return reasons.not_mounted();
  return reasons.refused(tracer.error());
}

Capability judge_neighbours(const std::vector<std::string>& others) {
  constexpr auto kName = "tracing_free";
  if (others.empty()) return {kName, Ability::yes, "nobody else is tracing", ""};
  return {kName, Ability::no, fmt::format("{}", fmt::join(others, "; ")),
          "end it or wait for it: netperfd refuses a job with a trace meanwhile"};
}

}  // namespace

const Capability* find_capability(const std::vector<Capability>& capabilities, std::string_view name) {
  const auto at = std::find_if(capabilities.begin(), capabilities.end(),
                               [&](const Capability& one) { return one.name == name; });
  return at == capabilities.end() ? nullptr : &*at;
}

std::vector<Capability> Doctor::examine(bool fresh) {
  std::vector<Capability> answers;
  const std::optional<Reason> absent = why_no_tracefs(tracefs_, reasons_);
  if (absent) {
    answers.push_back(refuse("tracefs", *absent));
    for (const auto* name : kLasting) answers.push_back(refuse(name, *absent));
    answers.push_back(refuse("tracing_free", *absent));
  } else {
    answers.push_back({"tracefs", Ability::yes, "mounted, and netperfd may read it", ""});
    const auto others = foreign_tracers(tracefs_, settings_.proc, settings_.own_instance);
    for (Capability& one : lasting(fresh, others)) {
      if (one.name == "tracepoints" && one.ability == Ability::yes) one.detail = count_tracepoints(tracefs_);
      answers.push_back(std::move(one));
    }
    answers.push_back(judge_neighbours(others));
  }
  answers.push_back(probe_pid_namespace(settings_));
  answers.push_back(probe_perf_events());
  answers.push_back(probe_network_namespaces(settings_));
  answers.push_back(probe_sctp(settings_, reasons_));
  answers.push_back(probe_iperf3(settings_.iperf3));
  answers.push_back(probe_latency(settings_));
  answers.push_back(probe_benchmarks(settings_));
  answers.push_back(probe_kernel_symbols(settings_, reasons_));
  answers.push_back(probe_reader_priority());
  answers.push_back(judge_run_groups(settings_));
  const boot::Paths paths{settings_.proc, settings_.sys, settings_.boot, settings_.root};
  const auto kexec = boot::probe_kexec(paths, reasons_.lockdown_level());
  answers.push_back(boot::probe_boot_loader(paths));
  answers.push_back(kexec ? *kexec
                          : refuse("kexec", reasons_.not_built({"CONFIG_KEXEC", "CONFIG_KEXEC_FILE"})));
  answers.push_back(boot::probe_start_at_boot(paths));
  return answers;
}

// The answers for kLasting, in its order: from the cache if it has all of them, otherwise tried.
std::vector<Capability> Doctor::lasting(bool fresh, const std::vector<std::string>& others) {
  const CacheKey key{settings_.boot_id, settings_.kernel_release, settings_.version};
  std::vector<Capability> known;
  if (!settings_.cache_file.empty()) known = load_capabilities(settings_.cache_file, key);
  const bool complete = std::all_of(kLasting.begin(), kLasting.end(), [&](const char* name) {
    return find_capability(known, name) != nullptr;
  });

  std::vector<Finding> findings;
  if (fresh || !complete) findings = probe(others);
  std::vector<Capability> answers;
  std::vector<Capability> kept;
  for (const auto* name : kLasting) {
    const Capability* before = find_capability(known, name);
    const auto now = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& one) { return one.row.name == name; });
    if (before != nullptr && (now == findings.end() || !now->tried)) {
      answers.push_back(*before);
      kept.push_back(*before);
      continue;
    }
    if (now == findings.end()) {
      // The job uses the instance, and nothing was known before.
      answers.push_back(
          {name, Ability::limited, "not tried now: a job is being traced", "ask again when that is over"});
      continue;
    }
    answers.push_back(now->row);
    if (now->lasting) kept.push_back(now->row);
  }
  // If the cache cannot be written, the next request only takes longer.
  if (!findings.empty() && !settings_.cache_file.empty()) {
    static_cast<void>(save_capabilities(settings_.cache_file, key, kept));
  }
  return answers;
}

// One finding for each of kLasting, in any order; while a job is being traced, only those that need no
// instance.
std::vector<Finding> Doctor::probe(const std::vector<std::string>& others) {
  std::vector<Finding> findings = probe_offers(tracefs_, reasons_);
  const std::string own =
      settings_.own_instance.empty() ? fmt::format("netperfd-{}", ::getpid()) : settings_.own_instance;
  if (tracefs_.exists("instances/" + own)) return findings;  // it is in use by a job's trace
  const auto instance = ProbeInstance::make(tracefs_, own);
  if (!instance) {
    const Reason reason = reasons_.refused(instance.error());
    for (const auto* name : kInInstance) findings.push_back(missing(name, reason));
    return findings;
  }
  findings.push_back(found("trace_instances", Ability::yes, "netperfd can trace in one of its own"));
  ProbeSite site{tracefs_, reasons_, *instance};
  const std::string busy = fmt::format("{}", fmt::join(others, "; "));
  std::ranges::move(probe_events(site), std::back_inserter(findings));
  std::ranges::move(probe_functions(site, busy), std::back_inserter(findings));
  return findings;
}

}  // namespace netperfd::trace
