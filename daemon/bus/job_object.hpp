// SPDX-License-Identifier: GPL-2.0-or-later
// One live job on the bus.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/core/ports/run_observer.hpp"
#include "dbus/compat.hpp"
#include "netperfd-dbus/Job_adaptor.hpp"

namespace netperfd::bus {

class ManagerObject;

class JobObject final : public sdbus::AdaptorInterfaces<org::netperfd1::Job_adaptor> {
 public:
  // Exports it and announces it through the ObjectManager; throws sdbus::Error. `manager`, which answers its
  // methods, must outlive it.
  JobObject(sdbus::IConnection& connection, ManagerObject& manager, core::JobStatus status);
  JobObject(const JobObject&) = delete;
  JobObject& operator=(const JobObject&) = delete;
  ~JobObject();

  // Announces the properties that changed; throws sdbus::Error.
  void update(const core::JobStatus& status);

 private:
  void Stop(sdbus::Result<>&& result) override;
  void Mark(sdbus::Result<>&& result, std::string text) override;
  std::uint64_t Id() override;
  std::string Scenario() override;
  std::string Label() override;
  std::uint32_t Owner() override;
  std::vector<std::uint64_t> Runs() override;
  std::map<std::string, sdbus::Variant> Design() override;
  std::string Purpose() override;
  double PlannedSeconds() override;
  std::string State() override;
  std::uint32_t RunsEnded() override;
  std::uint32_t RunsFinished() override;
  std::uint64_t CurrentRun() override;
  std::string RunState() override;
  double Progress() override;
  std::string Error() override;
  std::uint32_t QueuePosition() override;
  std::uint64_t ExpectedEnd() override;
  std::string Waiting() override;
  std::uint32_t Boots() override;
  std::uint32_t BootsPlanned() override;
  std::string Side() override;

  ManagerObject& manager_;
  core::JobStatus status_;
};

}  // namespace netperfd::bus
