// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <sstream>
#include <utility>

#include "daemon/trace/ring/own_events.hpp"
#include "daemon/trace/tracefs/apply.hpp"
#include "daemon/trace/tracefs/foreign_tracers.hpp"
#include "daemon/trace/tracefs/hold.hpp"
#include "daemon/trace/tracefs/journal.hpp"
#include "daemon/trace/tracefs/undo.hpp"

namespace netperfd::trace {

struct TraceSession::State {
  State(Tracefs& its_tracefs, SessionSettings its_settings, TraceSpec its_spec, Journal its_journal)
      : tracefs(its_tracefs),
        settings(std::move(its_settings)),
        spec(with_own_events(std::move(its_spec), its_tracefs.exists("events/sched/sched_switch"))),
        journal(std::move(its_journal)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Status apply(const std::string& directory);
  [[nodiscard]] Status apply_anywhere();
  [[nodiscard]] Status put_back();
  [[nodiscard]] std::string graph_disturbance() const;

  Tracefs& tracefs;
  const SessionSettings settings;
  const TraceSpec spec;
  Journal journal;
  std::optional<Hold> hold;
  Applied applied;
  std::vector<std::string> neighbours;
  bool tracing = false;
  bool restored = false;
};

namespace {

Status check_tracer(Tracefs& tracefs, const TraceSpec& spec) {
  if (!spec.function_graph) return {};
  const auto tracers = tracefs.read("available_tracers");
  if (!tracers) return std::unexpected(tracers.error());
  std::istringstream words(*tracers);
  for (std::string word; words >> word;) {
    if (word == "function_graph") return {};
  }
  return fail(ErrorKind::unsupported,
              "This kernel has no function_graph tracer: it was built without CONFIG_FUNCTION_GRAPH_TRACER.");
}

Status refuse_others(Tracefs& tracefs, const SessionSettings& settings) {
  const auto others = foreign_tracers(tracefs, settings.proc, settings.instance);
  if (others.empty()) return {};
  return fail(ErrorKind::busy, fmt::format("Another tracer is at work: {}.", fmt::join(others, "; ")));
}

// Undo what a crashed session left behind.
Status undo_left(Tracefs& tracefs, Journal& journal, const SessionSettings& settings) {
  if (auto visible = check_visible(tracefs, journal); !visible) return visible;
  const Undone undone = undo(tracefs, journal, settings.proc);
  if (journal.changes().empty()) return {};
  return fail(ErrorKind::io, fmt::format("What an earlier trace session left cannot be put back: {}.",
                                         fmt::join(undone.failed, "; ")));
}

// Using the top instance empties its ring.
std::optional<std::string> content_of_top(Tracefs& tracefs) {
  const auto cpus = tracefs.list("per_cpu");
  if (!cpus) return std::nullopt;
  for (const auto& cpu : *cpus) {
    const auto stats = tracefs.read("per_cpu/" + cpu + "/stats");
    if (stats && stats->starts_with("entries: ") && !stats->starts_with("entries: 0\n")) {
      return "the top instance's buffer held events of an earlier trace, which are gone";
    }
  }
  return std::nullopt;
}

}  // namespace

Status TraceSession::State::apply(const std::string& directory) {
  hold.emplace(tracefs, journal, directory);
  applied = {};
  auto status = hold->claim();
  if (status) status = apply_ring(*hold, spec, settings.buffer_bytes, applied);
  if (status) status = apply_events(*hold, spec.events);
  if (status && spec.function_graph) {
    status = apply_function_graph(*hold, *spec.function_graph, settings.proc, applied);
  }
  return status;
}

Status TraceSession::State::apply_anywhere() {
  auto status = apply("instances/" + settings.instance);
  // Up to about Linux 6.1 function_graph works only in the top instance. Then everything else of this session
  // goes there too: one ring, one order.
  if (!status && applied.graph_refused_in_instance) {
    hold->let_go();
    const Undone undone = undo(tracefs, journal, settings.proc);
    if (!journal.changes().empty()) return status;
    if (auto content = content_of_top(tracefs)) neighbours.push_back(std::move(*content));
    status = apply("");
  }
  return status;
}

// Undoes everything, and removes the journal if nothing is left in it.
Status TraceSession::State::put_back() {
  hold->let_go();
  Undone undone = undo(tracefs, journal, settings.proc);
  if (journal.changes().empty()) {
    if (const auto removed = journal.remove(); !removed) undone.failed.push_back(removed.error().message);
  }
  if (undone.failed.empty()) return {};
  return fail(ErrorKind::io, fmt::format("{}", fmt::join(undone.failed, "\n")));
}

Result<std::unique_ptr<TraceSession>> TraceSession::open(Tracefs& tracefs, SessionSettings settings,
                                                         const TraceSpec& spec) {
  if (const auto status = check_tracer(tracefs, spec); !status) return std::unexpected(status.error());
  auto journal = Journal::open(settings.journal, settings.boot_id);
  if (!journal) return std::unexpected(journal.error());
  if (auto left = undo_left(tracefs, *journal, settings); !left) return std::unexpected(left.error());
  auto status = refuse_others(tracefs, settings);
  if (status) status = journal->begin();
  if (!status) {
    (void)journal->remove();
    return std::unexpected(status.error());
  }
  auto state = std::make_unique<State>(tracefs, std::move(settings), spec, std::move(*journal));
  state->neighbours = neighbouring_tracers(tracefs, state->settings.instance);
  status = state->apply_anywhere();
  if (status) return std::unique_ptr<TraceSession>(new TraceSession(std::move(state)));
  Error error = std::move(status.error());
  if (const auto undone = state->put_back(); !undone) {
    error.message += fmt::format("\nNot everything could be put back: {}", undone.error().message);
  }
  return std::unexpected(std::move(error));
}

TraceSession::TraceSession(std::unique_ptr<State> state) : state_(std::move(state)) {}

TraceSession::~TraceSession() {
  // Callers who need the error call restore(); changes that could not be undone stay in the journal.
  (void)restore();
}

Status TraceSession::start(const std::vector<pid_t>& workload) {
  if (state_->spec.workload_only) {
    // An empty list would mean every task.
    if (workload.empty()) return fail(ErrorKind::internal, "No task of the workload to trace.");
    const std::string tasks = fmt::format("{}", fmt::join(workload, " "));
    auto status = state_->hold->set_list("set_event_pid", tasks);
    if (status && state_->spec.function_graph) status = state_->hold->set_list("set_ftrace_pid", tasks);
    if (!status) return status;
  }
  auto status = state_->hold->set("tracing_on", "1");
  state_->tracing = status.has_value();
  return status;
}

Status TraceSession::stop() {
  state_->tracing = false;
  return state_->hold->set("tracing_on", "0");
}

Status TraceSession::restore() {
  if (std::exchange(state_->restored, true)) return {};
  state_->tracing = false;
  return state_->put_back();
}

const std::string& TraceSession::directory() const {
  return state_->hold->directory();
}

std::string TraceSession::path(const std::string& file) const {
  return state_->hold->path(file);
}

const TraceSpec& TraceSession::spec() const {
  return state_->spec;
}

const std::string& TraceSession::clock() const {
  return state_->applied.clock;
}

std::uint64_t TraceSession::buffer_bytes() const {
  return state_->applied.buffer_bytes;
}

std::uint32_t TraceSession::functions() const {
  return state_->applied.functions;
}

const std::vector<std::string>& TraceSession::missing_functions() const {
  return state_->applied.missing_functions;
}

const std::vector<std::string>& TraceSession::neighbours() const {
  return state_->neighbours;
}

// The kernel silently removes the functions of an unloaded module from the filter, and does not put them back
// when it is loaded again.
std::string TraceSession::State::graph_disturbance() const {
  const auto tracer = hold->read("current_tracer");
  if (tracer && *tracer != "function_graph") {
    return fmt::format("somebody changed the tracer to {}", *tracer);
  }
  const std::string module = module_name(spec.function_graph->module);
  const auto filter = functions_in(*hold, "set_ftrace_filter");
  if (!filter || filter->size() >= applied.filtered) return "";
  if (!module.empty()) {
    return fmt::format("the module {} was unloaded{}", module,
                       is_loaded(settings.proc, module) ? " and loaded again" : "");
  }
  return fmt::format("{} of {} functions went away, with their module or by somebody's hand",
                     applied.filtered - filter->size(), applied.filtered);
}

std::string TraceSession::disturbance() {
  if (state_->restored) return "";
  const Hold& hold = *state_->hold;
  const auto tracing = hold.read("tracing_on");
  if (!tracing)
    return fmt::format("{} cannot be read any more: {}", hold.path("tracing_on"), tracing.error().message);
  if (state_->tracing && *tracing == "0") return "somebody switched tracing off";
  for (const auto& event : state_->spec.events) {
    const auto enabled = hold.read(event_directory(event.name).value_or("") + "/enable");
    if (!enabled || !enabled->starts_with('1')) return fmt::format("somebody disabled {}", event.name);
  }
  return state_->spec.function_graph ? state_->graph_disturbance() : "";
}

}  // namespace netperfd::trace
