// SPDX-License-Identifier: GPL-2.0-or-later
// One live job on the bus.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daemon/core/ports/run_observer.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

class ManagerObject;

class JobObject final {
 public:
  // Exports it and announces it through the ObjectManager; throws sdbus::Error. `manager`, which answers its
  // methods, must outlive it.
  JobObject(sdbus::IConnection& connection, ManagerObject& manager, core::JobStatus status);
  JobObject(const JobObject&) = delete;
  JobObject& operator=(const JobObject&) = delete;
  ~JobObject();

  // Announce the properties that changed, and what a run has measured so far; throw sdbus::Error.
  void update(const core::JobStatus& status);
  void interval(RunId run, const Interval& interval);
  void trace_progress(RunId run, const TraceProgress& progress);

 private:
  void add_properties();

  core::JobStatus status_;
  std::unique_ptr<sdbus::IObject> object_;
  dbus::Interface interface_;
};

}  // namespace netperfd::bus
