// SPDX-License-Identifier: GPL-2.0-or-later
// The object of org.netperfd1.Manager: the methods of methods/table.cpp, its properties and signals.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/received_fds.hpp"
#include "daemon/bus/access/authorization.hpp"
#include "daemon/bus/access/callers.hpp"
#include "daemon/bus/access/under_way.hpp"
#include "daemon/bus/call/task.hpp"
#include "daemon/bus/documents.hpp"
#include "daemon/bus/service.hpp"
#include "daemon/model/run_state.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// All must outlive the object.
struct ManagerPorts : ServicePorts {
  Authorization& authorization;
  Callers& callers;
  ReceivedFds& received;
  Documents& documents;
  UnderWay& under_way;
};

class ManagerObject {
 public:
  // Throws sdbus::Error.
  ManagerObject(sdbus::IConnection& connection, const ManagerPorts& ports, ServiceSettings settings);
  ManagerObject(const ManagerObject&) = delete;
  ManagerObject& operator=(const ManagerObject&) = delete;

  void set_run_limit(std::uint32_t runs) { settings_.run_limit = runs; }
  void set_trace_events(std::vector<std::string> patterns) { settings_.trace_events = std::move(patterns); }

  // Announce; throw sdbus::Error.
  void run_ended(RunId run, JobId job, RunState state, const std::string& error);
  void run_deleted(RunId run, JobId job);

  // For its methods.
  [[nodiscard]] ManagerPorts& ports() { return ports_; }
  [[nodiscard]] const ServiceSettings& settings() const { return settings_; }
  [[nodiscard]] std::uint64_t next_bundle() { return ++bundles_; }
  [[nodiscard]] Tasks& tasks() { return tasks_; }

 private:
  ManagerPorts ports_;
  ServiceSettings settings_;
  std::uint64_t bundles_ = 0;  // made so far
  std::unique_ptr<sdbus::IObject> object_;
  dbus::Interface interface_;
  Tasks tasks_;  // calls under way
};

// Adds the methods that the table has for this interface. `manager` must outlive the object.
void add_methods(dbus::Interface& interface, const char* name, ManagerObject& manager);

}  // namespace netperfd::bus
