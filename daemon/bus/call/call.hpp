// SPDX-License-Identifier: GPL-2.0-or-later
// One method call at work: who calls, what it may do, and how it ends.
//
// Each call takes the same way (pipeline.hpp): its limits, its arguments, the caller, the permission, the
// work, the audit trail, the answer. Before its work, nothing is changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "daemon/bus/access/authorization.hpp"
#include "daemon/bus/access/under_way.hpp"
#include "daemon/bus/call/method.hpp"
#include "daemon/bus/call/task.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/core/audit_trail.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// What a call is about, by its first argument.
struct Object {
  std::optional<JobId> job = {};
  std::optional<RunId> run = {};
};

// All members throw sdbus::Error.
class Call {
 public:
  Call(ManagerObject& of, const Method& called, dbus::Sender from)
      : manager(of),
        ports(of.ports()),
        settings(of.settings()),
        sender(std::move(from)),
        method_(called),
        of_call_(ports.under_way.claim()) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  ManagerObject& manager;
  ManagerPorts& ports;
  const ServiceSettings& settings;
  const dbus::Sender sender;
  Caller caller;                            // known from Who::identified on
  std::optional<core::AuditEvent> audited;  // recorded when the call ends; the work may add to it

  // For the pipeline: waits until the caller may call the method, by its row of the table.
  [[nodiscard]] Task<> admit(Object object);
  // That is recorded, and whether everything was asked.
  void finish();
  // If its audit has begun: that it failed.
  void record_failure(const sdbus::Error& error);

  // Waits until the bus says who calls, if that is not known yet.
  [[nodiscard]] Task<> identify();
  // Waits until the caller may do this. That may be minutes: whatever was looked up before may have changed.
  [[nodiscard]] Task<> allow(Wanted wanted, Authorization::Ask ask = Authorization::Ask::now);
  [[nodiscard]] Task<> allow(core::Action action, std::string what,
                             Authorization::Ask ask = Authorization::Ask::now);
  // What is recorded begins with it.
  void begin_audit();
  [[nodiscard]] bool is_member() const { return ports.authorization.is_member(caller); }

  // Waits until the caller may read raw data of this run, and begins the audit; `parts` names them.
  enum class Raw {
    of_owner,         // readable for the owner of the run
    kernel_addresses  // not even for him: any member could then defeat address space randomisation
  };
  [[nodiscard]] Task<> allow_reading(RunId run, std::string parts, Raw raw);

  // Waits for what a process of its own answers to the request's bytes (query_bytes.hpp), at most
  // `most_bytes`; 0: what fits into a message. Everything ends when the caller leaves.
  [[nodiscard]] Task<std::string> ask_process(std::string request, std::size_t most_bytes = 0,
                                              std::chrono::milliseconds deadline = {});

 private:
  [[nodiscard]] uid_t owner_of(const Object& object) const;

  const Method& method_;
  const std::shared_ptr<const UnderWay::OfCall> of_call_;
  bool is_identified_ = false;
  bool was_asked_ = false;  // by allow()
};

}  // namespace netperfd::bus
