// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/call/call.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

std::string name_of(const Object& object) {
  return object.run ? fmt::format("run {}", *object.run) : fmt::format("job {}", object.job.value());
}

}  // namespace

uid_t Call::owner_of(const Object& object) const {
  if (object.run) return value_or_throw(ports.queries.owner_of(*object.run)).owner;
  if (method_.access.who == Who::job_owner)
    return value_or_throw(ports.queries.owner_of_job(object.job.value()));
  const auto status = ports.scheduler.job(object.job.value());
  if (!status) throw to_dbus(Error{ErrorKind::not_found, name_of(object) + ": no such live job"});
  return status->owner;
}

Task<> Call::admit(Object object) {
  const Access& access = method_.access;
  if (access.who == Who::everybody) co_return;
  co_await identify();
  if (method_.limits.alone && ports.callers.is_holding(caller.name)) {
    throw to_dbus(
        Error{ErrorKind::busy, "another recording of this caller's is being imported or written as text"});
  }
  if (access.who == Who::member && !is_member()) {
    throw to_dbus(Error{
        ErrorKind::access_denied,
        fmt::format("uid {} may not {}: only root and members of the group may", caller.uid, access.what)});
  }
  if (access.who == Who::raw_data_reader && !access.asks_itself)
    co_await allow_reading(object.run.value(), access.what, Raw::of_owner);
  if (access.who == Who::action) {
    const auto ask = access.asks_itself ? Authorization::Ask::later : Authorization::Ask::now;
    co_await allow(access.action, access.what, ask);
    was_asked_ = !access.asks_itself;
  }
  if (access.who == Who::live_job_owner || access.who == Who::job_owner || access.who == Who::run_owner) {
    const uid_t owner = owner_of(object);
    co_await allow(managing(owner, caller),
                   fmt::format("{} {} of uid {}", access.what, name_of(object), owner));
  }
  if (*method_.audit.word == '\0' || method_.audit.begins_itself || audited) co_return;
  begin_audit();
  audited->job = object.job;
  audited->run = object.run;
}

Task<> Call::identify() {
  if (is_identified_) co_return;
  const auto asking = ports.under_way.asking(of_call_);
  auto identified =
      later<Result<Caller>>([this](const auto& known) { ports.authorization.identify(sender, known); });
  caller = value_or_throw(co_await identified);
  is_identified_ = true;
}

Task<> Call::allow(Wanted wanted, Authorization::Ask ask) {
  co_await identify();
  auto decided = later<Status>(
      [this, &wanted, ask](const auto& done) { ports.authorization.authorize(caller, wanted, ask, done); });
  throw_if_failed(co_await decided);
  was_asked_ = true;
}

Task<> Call::allow(core::Action action, std::string what, Authorization::Ask ask) {
  return allow(Wanted{.actions = {action}, .what = std::move(what)}, ask);
}

Task<> Call::allow_reading(RunId run, std::string parts, Raw raw) {
  const uid_t owner = value_or_throw(ports.queries.run(run)).owner;
  Wanted wanted{.actions = {}, .what = fmt::format("read {} of run {} of uid {}", parts, run, owner)};
  if (raw == Raw::kernel_addresses || caller.uid != owner) wanted.actions.push_back(core::Action::read_raw);
  co_await allow(std::move(wanted));
  begin_audit();
  audited->run = run;
  audited->detail = parts;
  (void)value_or_throw(ports.queries.run(run));  // it may have been deleted while somebody was asked
}

void Call::begin_audit() {
  audited = core::AuditEvent{.uid = caller.uid, .action = method_.audit.word};
}

void Call::finish() {
  if (method_.access.asks_itself && !was_asked_) throw std::logic_error("the method has asked nobody");
  if (audited) ports.audit.record(*std::exchange(audited, std::nullopt));
}

void Call::record_failure(const sdbus::Error& error) {
  if (!audited) return;
  const std::string& name = error.getName();
  const bool refused = name == dbus::error::kAccessDenied || name == dbus::error::kQuotaExceeded;
  audited->outcome = refused ? core::AuditOutcome::refused : core::AuditOutcome::failed;
  audited->detail = error.getMessage();
  ports.audit.record(*audited);
}

Task<std::string> Call::ask_process(std::string request, std::size_t most_bytes,
                                    std::chrono::milliseconds deadline) {
  co_await identify();
  const core::QueryCaller user{
      .uid = caller.uid, .may_measure = is_member(), .answer_bytes = most_bytes, .deadline = deadline};
  std::uint64_t number = 0;
  auto answered = later<Result<std::string>>([&](const auto& done) {
    auto running = value_or_throw(ports.query_runner.run(user, request, done));
    // The query ends when what keeps it is destroyed: when the caller leaves, or when it is forgotten.
    number = value_or_throw(ports.callers.on_leaving(caller.name, [running = std::move(running)] {}));
  });
  Result<std::string> bytes = co_await answered;
  ports.callers.forget(caller.name, number);
  co_return value_or_throw(std::move(bytes));
}

}  // namespace netperfd::bus
