// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/service.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "daemon/bus/access/authorization.hpp"
#include "daemon/bus/access/callers.hpp"
#include "daemon/bus/access/message_sizes.hpp"
#include "daemon/bus/access/passed_descriptors.hpp"
#include "daemon/bus/access/refusals.hpp"
#include "daemon/bus/access/senders.hpp"
#include "daemon/bus/access/under_way.hpp"
#include "daemon/bus/access/waiting_calls.hpp"
#include "daemon/bus/job_object.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/name_wait.hpp"
#include "daemon/log/log.hpp"
#include "dbus/asking_bus.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

// The connection. The loop serves it during the lifetime of this object.
class Attached {
 public:
  explicit Attached(EventLoop& loop)
      : connection_(dbus::connect(dbus::Peers::Use::serving, {Polkit::kService})) {
    dbus::attach(get(), loop.raw(), EventLoop::kYielding);
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() {
    try {
      dbus::detach(get());
    } catch (const std::exception& e) {
      log::warn(fmt::format("leaving the bus: {}", e.what()));
    }
  }

  [[nodiscard]] sdbus::IConnection& get() { return *connection_.bus; }
  [[nodiscard]] const dbus::Connection& connection() const { return connection_; }

 private:
  dbus::Connection connection_;
};

// The same for a connection that asks the bus who somebody is.
class Questions {
 public:
  explicit Questions(EventLoop& loop) {
    if (const int r = bus_.open(); r < 0) throw sdbus::createError(-r, "a second connection to the bus");
    if (!bus_.has_name()) {
      log::warn(fmt::format("the bus does not give netperfd the name {}: everybody may delay its questions",
                            dbus::kAskingService));
    }
    dbus::attach(bus_.get(), loop.raw(), EventLoop::kYielding);
  }
  [[nodiscard]] sd_bus* get() const { return bus_.get(); }

 private:
  dbus::AskingBus bus_;
};

// A failed announcement is ignored: either the bus is gone, or clients can still read the state.
template <class Announce>
void announce(const char* what, JobId job, Announce announcement) {
  try {
    announcement();
  } catch (const std::exception& e) {
    log::warn(fmt::format("{}: {}", what, e.what()), {.job = job});
  }
}

// The log and the audit trail have each user's first refusal, and their number once a minute.
void record_refusal(core::AuditTrail& audit, const Refused& refused) {
  log::warn(refused.count == 1 ? refused.what
                               : fmt::format("{} more calls of uid {} were refused, the last: {}",
                                             refused.count, refused.uid, refused.what));
  const bool is_known = refused.uid != static_cast<uid_t>(-1);
  audit.record({.uid = is_known ? std::optional{refused.uid} : std::nullopt,
                .action = "call",
                .outcome = core::AuditOutcome::refused,
                .detail = refused.what,
                .count = refused.count});
}

}  // namespace

// In the order of construction: later members use earlier ones.
struct Service::Parts {
  Parts(EventLoop& loop, ServicePorts ports, ServiceSettings settings)
      : bus(loop),
        questions(loop),
        refusals(loop, [&audit = ports.audit](const Refused& each) { record_refusal(audit, each); }),
        senders(questions.get(), refusals),
        sizes(*bus.connection().guard, dbus::raw(bus.get()), senders),
        passed(loop, *bus.connection().guard, senders, sizes),
        callers(dbus::raw(bus.get()),
                [&scheduler = ports.scheduler](JobId job) {
                  // The job may have ended in the meantime, which is fine.
                  (void)scheduler.stop(job, "the caller that it was tied to has left the bus");
                }),
        authorization(bus.connection(), callers, refusals, settings.timeouts),
        documents(loop),
        waiting(loop, *bus.connection().guard, dbus::raw(bus.get()), senders, sizes, under_way,
                {.may_measure =
                     [this](const Senders::Sender& sender) {
                       return authorization.is_member(
                           {.name = sender.name, .uid = *sender.uid, .groups = sender.groups});
                     },
                 .has_jobs = [&queries = ports.queries](
                                 uid_t user) { return queries.owns_jobs(user).value_or(false); }}),
        manager(bus.get(), {ports, authorization, callers, passed.received(), documents, under_way},
                std::move(settings)) {}

  Attached bus;
  Questions questions;
  Refusals refusals;
  Senders senders;
  MessageSizes sizes;
  PassedDescriptors passed;
  Callers callers;
  Authorization authorization;
  Documents documents;
  UnderWay under_way;
  WaitingCalls waiting;
  ManagerObject manager;
  std::map<JobId, JobObject> jobs;
};

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::create(EventLoop& loop, ServicePorts ports,
                                                 ServiceSettings settings) {
  try {
    const gid_t group = settings.group;
    auto parts = std::make_unique<Parts>(loop, ports, std::move(settings));
    parts->authorization.set_group(group);
    std::unique_ptr<Service> service{new Service(std::move(parts))};
    for (const core::JobStatus& job : ports.scheduler.jobs()) service->job_added(job);
    wait_for_name_of_dead(dbus::kService);
    service->parts_->bus.get().requestName(dbus::ServiceName{dbus::kService});
    ports.scheduler.add_observer(*service);
    return service;
  } catch (const std::exception& e) {
    return fail(ErrorKind::io,
                fmt::format("cannot serve {} on the system bus: {}", dbus::kService, e.what()));
  }
}

void Service::set_group(gid_t group) {
  parts_->authorization.set_group(group);
}

void Service::set_run_limit(std::uint32_t runs) {
  parts_->manager.set_run_limit(runs);
}

void Service::set_trace_events(std::vector<std::string> patterns) {
  parts_->manager.set_trace_events(std::move(patterns));
}

void Service::run_deleted(RunId run, JobId job) {
  announce("RunDeleted", job, [&] { parts_->manager.run_deleted(run, job); });
}

void Service::job_added(const core::JobStatus& job) {
  announce("InterfacesAdded", job.id,
           [&] { parts_->jobs.try_emplace(job.id, parts_->bus.get(), parts_->manager, job); });
}

void Service::job_changed(const core::JobStatus& job) {
  if (core::has_ended(job.state)) parts_->callers.untie(job.id);
  const auto found = parts_->jobs.find(job.id);
  if (found != parts_->jobs.end()) announce("PropertiesChanged", job.id, [&] { found->second.update(job); });
}

void Service::run_interval(JobId job, RunId run, const Interval& interval) {
  if (!parts_->callers.anyone_subscribed()) return;
  const auto found = parts_->jobs.find(job);
  if (found == parts_->jobs.end()) return;
  announce("Interval", job, [&] { found->second.interval(run, interval); });
}

void Service::run_trace(JobId job, RunId run, const TraceProgress& progress) {
  if (!parts_->callers.anyone_subscribed()) return;
  const auto found = parts_->jobs.find(job);
  if (found == parts_->jobs.end()) return;
  announce("TraceProgress", job, [&] { found->second.trace_progress(run, progress); });
}

void Service::run_ended(const core::JobStatus& job, RunId run, RunState state, const std::string& error) {
  announce("RunEnded", job.id, [&] { parts_->manager.run_ended(run, job.id, state, error); });
}

void Service::job_removed(JobId job) {
  parts_->jobs.erase(job);
}

}  // namespace netperfd::bus
