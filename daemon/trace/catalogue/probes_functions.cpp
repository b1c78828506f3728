// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/probes_functions.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>

namespace netperfd::trace {
namespace {

// Functions that every kernel has and that can be traced; the first one that the filter accepts is used.
constexpr std::array kCanaries{"vfs_fsync", "vfs_rename", "do_exit", "schedule"};

bool lists(const std::string& tracers, std::string_view name) {
  std::istringstream words(tracers);
  for (std::string word; words >> word;) {
    if (word == name) return true;
  }
  return false;
}

// Removes the tracer before anything else happens to the filter.
class TracerOff {
 public:
  TracerOff(Tracefs& tracefs, std::string path) : tracefs_(tracefs), path_(std::move(path)) {}
  TracerOff(const TracerOff&) = delete;
  TracerOff& operator=(const TracerOff&) = delete;
  // If this fails, the removal of the instance does the same.
  ~TracerOff() { static_cast<void>(tracefs_.write(path_, "nop")); }

 private:
  Tracefs& tracefs_;
  std::string path_;
};

// Puts one function into the filter and reads it back: an empty filter would mean all functions.
Status set_canary(ProbeSite& site) {
  const std::string path = site.instance.path("set_ftrace_filter");
  Status written;
  for (const auto* canary : kCanaries) {
    // Without trailing white space the kernel looks the name up only when the file is closed, and reports
    // nothing.
    written = site.tracefs.write(path, std::string(canary) + "\n");
    if (written || !is_errno(written.error(), EINVAL)) break;
  }
  if (!written) return written;
  const auto filter = site.tracefs.read(path);
  if (!filter) return std::unexpected(filter.error());
  if (filter->empty() || filter->starts_with('#')) {
    return fail(ErrorKind::io, fmt::format("{} stays empty after a write", path));
  }
  return {};
}

Status try_tracer(ProbeSite& site, const std::string& tracer) {
  if (Status canary = set_canary(site); !canary) return canary;
  const std::string path = site.instance.path("current_tracer");
  const TracerOff off(site.tracefs, path);
  if (Status written = site.tracefs.write(path, tracer); !written) return written;
  const auto current = site.tracefs.read(path);
  if (!current) return std::unexpected(current.error());
  if (!lists(*current, tracer)) {
    return fail(ErrorKind::io, fmt::format("{} holds \"{}\" after the write of {}", path, *current, tracer));
  }
  return {};
}

Reason why_not(ProbeSite& site, const Error& error) {
  if (error.kind == ErrorKind::not_found) return site.reasons.not_built({"CONFIG_DYNAMIC_FTRACE"});
  Reason reason = site.reasons.refused(error);
  if (is_errno(error, EPERM)) reason.advice += "; events work without it";
  return reason;
}

Finding judge_function(ProbeSite& site, const Status& tried) {
  if (tried) return found("function", core::Ability::yes, "tried with one function in an instance");
  return missing("function", why_not(site, tried.error()));
}

// Judges the top instance without touching it. The kernel allows there what it allows in an instance. On
// kernels that do not allow function_graph in instances, the tracer `function` shows whether code may be
// patched.
Finding judge_graph(ProbeSite& site, const Status& function, const Status& graph) {
  if (graph) return found("function_graph", core::Ability::yes, "as in an instance");
  if (!is_errno(graph.error(), EINVAL)) return missing("function_graph", why_not(site, graph.error()));
  if (!function) return missing("function_graph", why_not(site, function.error()));
  return found("function_graph", core::Ability::yes,
               "offered by the kernel, whose function tracing works; not tried, as the top instance is "
               "everybody's");
}

Finding judge_graph_instance(ProbeSite& site, const Status& graph) {
  if (graph) return found("function_graph_instance", core::Ability::yes, "tried with one function");
  if (is_errno(graph.error(), EINVAL)) {
    return found("function_graph_instance", core::Ability::no,
                 "this kernel allows it in the top instance only",
                 "netperfd then traces in the top instance, where only one may trace at a time");
  }
  return missing("function_graph_instance", why_not(site, graph.error()));
}

Finding not_now(std::string name, const std::string& busy) {
  Finding finding = found(std::move(name), core::Ability::limited,
                          fmt::format("not tried now: {}, and trying it patches the kernel's code", busy),
                          "ask again when that is over");
  finding.lasting = false;
  finding.tried = false;
  return finding;
}

}  // namespace

std::vector<Finding> probe_functions(ProbeSite& site, const std::string& busy) {
  constexpr auto kGraph = "function_graph";
  constexpr auto kGraphInstance = "function_graph_instance";
  const auto tracers = site.tracefs.read("available_tracers");
  if (!tracers) {
    const Reason reason = site.reasons.refused(tracers.error());
    return {missing(kGraph, reason), missing(kGraphInstance, reason), missing("function", reason)};
  }
  std::optional<Status> function;
  if (lists(*tracers, "function") && busy.empty()) function = try_tracer(site, "function");

  std::vector<Finding> findings;
  if (!lists(*tracers, kGraph)) {
    Reason reason = site.reasons.not_built({"CONFIG_FUNCTION_GRAPH_TRACER", "CONFIG_FUNCTION_TRACER"});
    reason.advice += "; events work without it";
    findings = {missing(kGraph, reason), missing(kGraphInstance, reason)};
  } else if (!function) {
    findings = {not_now(kGraph, busy), not_now(kGraphInstance, busy)};
  } else {
    const Status graph = try_tracer(site, kGraph);
    findings = {judge_graph(site, *function, graph), judge_graph_instance(site, graph)};
  }
  if (!lists(*tracers, "function")) {
    findings.push_back(missing("function", site.reasons.not_built({"CONFIG_FUNCTION_TRACER"})));
  } else {
    findings.push_back(function ? judge_function(site, *function) : not_now("function", busy));
  }
  return findings;
}

}  // namespace netperfd::trace
