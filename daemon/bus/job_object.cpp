// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/job_object.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/bus/rows/wire_trace.hpp"
#include "daemon/log/log.hpp"
#include "daemon/model/run_state.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

}  // namespace

JobObject::JobObject(sdbus::IConnection& connection, ManagerObject& manager, core::JobStatus status)
    : status_(std::move(status)),
      object_(sdbus::createObject(connection,
                                  sdbus::ObjectPath{dbus::job_path(static_cast<std::uint64_t>(status_.id))})),
      interface_(*object_, dbus::kJobInterface) {
  add_methods(interface_, dbus::kJobInterface, manager);
  add_properties();
  interface_.signal<std::uint64_t, Row>("Interval", {"run", "interval"});
  interface_.signal<std::uint64_t, double, Counts, std::uint64_t, Counts>(
      "TraceProgress", {"run", "seconds", "events", "lost", "functions"});
  interface_.announce();
  object_->emitInterfacesAddedSignal();
}

JobObject::~JobObject() {
  try {
    object_->emitInterfacesRemovedSignal();
  } catch (const std::exception& e) {  // the bus is gone or about to go
    log::warn(fmt::format("InterfacesRemoved: {}", e.what()), {.job = status_.id});
  }
}

void JobObject::add_properties() {
  using sdbus::Flags;
  const auto fixed = [this](const char* name, auto get) {
    interface_.property(name, Flags::CONST_PROPERTY_VALUE, [this, get] { return get(status_); });
  };
  const auto changing = [this](const char* name, auto get) {
    interface_.property(name, Flags::EMITS_CHANGE_SIGNAL, [this, get] { return get(status_); });
  };
  using Job = core::JobStatus;
  const auto clean = [](const std::string& text) { return wire_text(text, kShortTextBytes); };
  fixed("Id", [](const Job& job) { return static_cast<std::uint64_t>(job.id); });
  fixed("Scenario", [clean](const Job& job) { return clean(job.scenario); });
  fixed("Label", [clean](const Job& job) { return clean(job.label); });
  fixed("Owner", [](const Job& job) { return std::uint32_t{job.owner}; });
  fixed("Runs", [](const Job& job) { return std::vector<std::uint64_t>(job.runs.begin(), job.runs.end()); });
  fixed("Design", [](const Job& job) { return design_row(job); });
  fixed("Purpose", [](const Job& job) { return std::string{to_string(job.purpose)}; });
  fixed("PlannedSeconds",
        [](const Job& job) { return job.planned ? std::chrono::duration<double>(*job.planned).count() : 0; });
  fixed("BootsPlanned", [](const Job& job) { return job.boots_planned; });
  changing("State", [](const Job& job) { return std::string{to_string(job.state)}; });
  changing("RunsEnded", [](const Job& job) { return job.runs_ended; });
  changing("RunsFinished", [](const Job& job) { return job.runs_finished; });
  changing("CurrentRun",
           [](const Job& job) { return static_cast<std::uint64_t>(job.current_run.value_or(0)); });
  changing("RunState", [](const Job& job) { return std::string{to_string(job.run_state)}; });
  changing("Progress", [](const Job& job) { return job.progress; });
  changing("Error", [clean](const Job& job) { return clean(job.error); });
  changing("Waiting", [clean](const Job& job) { return clean(job.waiting); });
  changing("Look", [clean](const Job& job) { return clean(job.look); });
  changing("Boots", [](const Job& job) { return job.boots; });
  changing("Side", [clean](const Job& job) { return clean(job.side); });
  changing("QueuePosition", [](const Job& job) { return job.queue_position; });
  changing("ExpectedEnd", [](const Job& job) {
    return job.expected_end ? static_cast<std::uint64_t>(job.expected_end->time_since_epoch().count()) : 0;
  });
}

void JobObject::update(const core::JobStatus& status) {
  std::vector<dbus::PropertyName> changed;
  const auto note = [&](const char* name, bool differs) {
    if (differs) changed.emplace_back(name);
  };
  note("State", status.state != status_.state);
  note("RunsEnded", status.runs_ended != status_.runs_ended);
  note("RunsFinished", status.runs_finished != status_.runs_finished);
  note("CurrentRun", status.current_run != status_.current_run);
  note("RunState", status.run_state != status_.run_state);
  note("Progress", status.progress < status_.progress || status.progress > status_.progress);
  note("Waiting", status.waiting != status_.waiting);
  note("Look", status.look != status_.look);
  note("Boots", status.boots != status_.boots);
  note("Side", status.side != status_.side);
  note("Error", status.error != status_.error);
  note("QueuePosition", status.queue_position != status_.queue_position);
  note("ExpectedEnd", status.expected_end != status_.expected_end);
  status_ = status;
  if (!changed.empty()) interface_.emit_changed(changed);
}

void JobObject::interval(RunId run, const Interval& interval) {
  interface_.emit("Interval", static_cast<std::uint64_t>(run), to_wire(interval));
}

void JobObject::trace_progress(RunId run, const TraceProgress& progress) {
  interface_.emit("TraceProgress", static_cast<std::uint64_t>(run), progress.seconds,
                  progress_counts(progress.events, kProgressEventsBytes), progress.lost,
                  progress_counts(progress.functions, kProgressFunctionsBytes));
}

}  // namespace netperfd::bus
