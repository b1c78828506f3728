// SPDX-License-Identifier: GPL-2.0-or-later
// org.netperfd1 on the system bus: the objects of dbus/*.xml over the scheduler, the scenarios and the store.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/bus/access/timeouts.hpp"
#include "daemon/core/action.hpp"
#include "daemon/core/audit_trail.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/core/ports/catalogue.hpp"
#include "daemon/core/ports/file_import.hpp"
#include "daemon/core/ports/query_runner.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/core/ports/store_keeper.hpp"
#include "daemon/core/queue/scheduler.hpp"
#include "daemon/model/event_patterns.hpp"

namespace netperfd::bus {

struct ServiceSettings {
  std::string version;                   // of the daemon
  std::string iperf3_version;            // empty if there is none
  bool iperf3_intervals = false;         // this iperf3 reports them while it runs
  gid_t group = static_cast<gid_t>(-1);  // its members may measure; -1: only root may
  // Patterns of the events that every member may record; others are an action of their own.
  std::vector<std::string> trace_events = network_events();
  std::uint32_t run_limit = 1'000;  // maximum number of runs of a job
  AuthorizationTimeouts timeouts = {};
};

// The objects that the methods use; all must outlive the service.
struct ServicePorts {
  core::Scheduler& scheduler;
  core::ScenarioSource& scenarios;
  core::Catalogue& catalogue;
  core::RunStore& store;
  core::AuditTrail& audit;
  core::RunQueries& queries;
  core::Importer& importer;
  core::FileImport& trace_import;
  core::QueryRunner& query_runner;
  core::StoreKeeper& store_keeper;
};

class Service final : public core::RunObserver {
 public:
  // Connects to the bus of DBUS_SYSTEM_BUS_ADDRESS, else the system's, observes the scheduler, exports the
  // objects and only then takes the name, so that a call which activated the daemon never meets an empty
  // service. The loop must outlive it too; the scheduler may not run once it is destroyed. When the bus goes
  // away the loop ends with EXIT_FAILURE.
  [[nodiscard]] static Result<std::unique_ptr<Service>> create(EventLoop& loop, ServicePorts ports,
                                                               ServiceSettings settings);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  // Removes the objects from the bus, then disconnects.
  ~Service() override;

  // Changes the group whose members may measure.
  void set_group(gid_t group);
  // Changes the patterns of events that its members may trace.
  void set_run_limit(std::uint32_t runs);
  void set_trace_events(std::vector<std::string> patterns);

  // Announces that netperfd itself has removed a run.
  void run_deleted(RunId run, JobId job);

  void job_added(const core::JobStatus& job) override;
  void job_changed(const core::JobStatus& job) override;
  void run_interval(JobId job, RunId run, const Interval& interval) override;
  void run_trace(JobId job, RunId run, const TraceProgress& progress) override;
  void run_ended(const core::JobStatus& job, RunId run, RunState state, const std::string& error) override;
  void job_removed(JobId job) override;

 private:
  struct Parts;  // sdbus-c++ stays out of this header

  explicit Service(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace netperfd::bus
