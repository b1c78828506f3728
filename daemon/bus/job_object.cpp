// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/job_object.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/log/log.hpp"
#include "daemon/model/run_state.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

JobObject::JobObject(sdbus::IConnection& connection, ManagerObject& manager, core::JobStatus status)
    : AdaptorInterfaces(connection, sdbus::ObjectPath{dbus::job_path(static_cast<std::uint64_t>(status.id))}),
      manager_(manager),
      status_(std::move(status)) {
  registerAdaptor();
  getObject().emitInterfacesAddedSignal();
}

JobObject::~JobObject() {
  try {
    getObject().emitInterfacesRemovedSignal();
  } catch (const std::exception& e) {  // the bus is gone or about to go
    log::warn(fmt::format("InterfacesRemoved: {}", e.what()), {.job = status_.id});
  }
  unregisterAdaptor();
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
  note("Boots", status.boots != status_.boots);
  note("Side", status.side != status_.side);
  note("Error", status.error != status_.error);
  note("QueuePosition", status.queue_position != status_.queue_position);
  note("ExpectedEnd", status.expected_end != status_.expected_end);
  status_ = status;
  if (!changed.empty())
    getObject().emitPropertiesChangedSignal(dbus::InterfaceName{dbus::kJobInterface}, changed);
}

void JobObject::Stop(sdbus::Result<>&& result) {
  manager_.stop_job(std::move(result), Id(), dbus::sender_of(getObject()));
}

void JobObject::Mark(sdbus::Result<>&& result, std::string text) {
  manager_.mark_job(std::move(result), Id(), text, dbus::sender_of(getObject()));
}

std::uint64_t JobObject::Id() {
  return static_cast<std::uint64_t>(status_.id);
}

std::string JobObject::Scenario() {
  return dbus::guarded([&] { return wire_text(status_.scenario, kShortTextBytes); });
}

std::string JobObject::Label() {
  return dbus::guarded([&] { return wire_text(status_.label, kShortTextBytes); });
}

std::uint32_t JobObject::Owner() {
  return status_.owner;
}

std::vector<std::uint64_t> JobObject::Runs() {
  return dbus::guarded([&] { return std::vector<std::uint64_t>(status_.runs.begin(), status_.runs.end()); });
}

std::map<std::string, sdbus::Variant> JobObject::Design() {
  return dbus::guarded([&] { return design_row(status_).row; });
}

std::string JobObject::Purpose() {
  return dbus::guarded([&] { return std::string{to_string(status_.purpose)}; });
}

double JobObject::PlannedSeconds() {
  return status_.planned ? std::chrono::duration<double>(*status_.planned).count() : 0;
}

std::string JobObject::State() {
  return dbus::guarded([&] { return std::string{to_string(status_.state)}; });
}

std::uint32_t JobObject::RunsEnded() {
  return status_.runs_ended;
}

std::uint32_t JobObject::RunsFinished() {
  return status_.runs_finished;
}

std::uint64_t JobObject::CurrentRun() {
  return static_cast<std::uint64_t>(status_.current_run.value_or(0));
}

std::string JobObject::RunState() {
  return dbus::guarded([&] { return std::string{to_string(status_.run_state)}; });
}

double JobObject::Progress() {
  return status_.progress;
}

std::string JobObject::Error() {
  return dbus::guarded([&] { return wire_text(status_.error, kShortTextBytes); });
}

std::string JobObject::Waiting() {
  return dbus::guarded([&] { return wire_text(status_.waiting, kShortTextBytes); });
}

std::uint32_t JobObject::Boots() {
  return status_.boots;
}

std::uint32_t JobObject::BootsPlanned() {
  return status_.boots_planned;
}

std::string JobObject::Side() {
  return dbus::guarded([&] { return wire_text(status_.side, kShortTextBytes); });
}

std::uint32_t JobObject::QueuePosition() {
  return status_.queue_position;
}

std::uint64_t JobObject::ExpectedEnd() {
  if (!status_.expected_end) return 0;
  return static_cast<std::uint64_t>(status_.expected_end->time_since_epoch().count());
}

}  // namespace netperfd::bus
