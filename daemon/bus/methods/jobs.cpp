// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about jobs and scenarios.
#include <fmt/format.h>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/log/log.hpp"

namespace netperfd::bus::methods {

void stop_job(Call& call, Job job) {
  throw_if_failed(call.ports.scheduler.stop(job.id, fmt::format("stopped by uid {}", call.caller.uid)));
  log::info(fmt::format("uid {} asked to stop it", call.caller.uid), {.job = job.id});
}

void hold_job(Call& call, Job job) {
  throw_if_failed(call.ports.scheduler.hold(job.id, true));
  log::info(fmt::format("uid {} asked to hold it", call.caller.uid), {.job = job.id});
}

void release_job(Call& call, Job job) {
  throw_if_failed(call.ports.scheduler.hold(job.id, false));
  log::info(fmt::format("uid {} asked to release it", call.caller.uid), {.job = job.id});
}

Task<std::string> undo_job(Call& call, Job job) {
  std::string what;
  const auto left = value_or_throw(call.ports.scheduler.left_sides());
  for (const core::LeftSide& each : left) {
    if (each.note.job == job.id) what = core::left_by(each.note);
  }
  auto tried = later<Status>(
      [&](const auto& done) { throw_if_failed(call.ports.scheduler.bring_back(job.id, done)); });
  const Status end = co_await tried;
  throw_if_failed(end);
  call.audited->detail = what;
  log::info(fmt::format("what it had left, {}, was brought back for uid {}", what, call.caller.uid),
            {.job = job.id});
  co_return what;
}

void mark(Call& call, Job job, MarkText text) {
  call.audited->detail = text.text;
  throw_if_failed(call.ports.scheduler.mark(job.id, text.text));
}

void set_label(Call& call, Job job, Label label) {
  call.audited->detail = label.text;
  // A live job answers with the label that it was started with.
  const auto live = call.ports.scheduler.job(job.id);
  if (live && !core::has_ended(live->state))
    throw to_dbus(Error{ErrorKind::busy, fmt::format("job {}: it has not ended", job.id)});
  throw_if_failed(call.ports.store.set_label(job.id, label.text));
}

std::uint64_t delete_job(Call& call, Job job) {
  // Without the job, nobody could ask to bring it back.
  for (const auto& left : value_or_throw(call.ports.scheduler.left_sides())) {
    if (left.note.job == job.id)
      throw to_dbus(Error{ErrorKind::busy, fmt::format("job {0} left {1}: `netperfctl undo {0}` first",
                                                       job.id, core::left_by(left.note))});
  }
  const std::uint64_t runs = value_or_throw(call.ports.store_keeper.remove_job(job.id));
  if (runs == 0)
    throw to_dbus(Error{ErrorKind::busy, fmt::format("job {} has not ended: stop it first", job.id)});
  call.audited->detail = fmt::format("{} run{}", runs, runs == 1 ? "" : "s");
  log::info(fmt::format("deleted by uid {}", call.caller.uid), {.job = job.id});
  return runs;
}

Rows list_boots(Call& call, Job job) {
  return all_rows(value_or_throw(call.ports.queries.boots_of_job(job.id)), boot_row);
}

RowAndRows get_budget(Call& call, Job job) {
  const auto budget = value_or_throw(call.ports.queries.budget_of_job(job.id));
  if (!budget)
    throw to_dbus(
        Error{ErrorKind::not_found, fmt::format("job {}: its traced functions have no budget", job.id)});
  Row head = to_wire(budget->budget);
  std::size_t room = kRowsBudgetBytes - head.bytes();
  Rows functions =
      fitting_rows(budget->functions, [](const auto& function) { return to_wire(function); }, room, room);
  return {std::move(head), std::move(functions)};
}

Rows list_scenarios(Call& call) {
  return all_rows(call.ports.scenarios.list(), scenario_row);
}

void subscribe(Call& call) {
  const Status subscribed = call.ports.callers.subscribe(call.caller.name, call.caller.uid, call.is_member());
  if (!subscribed) call.ports.authorization.note_refusal(call.caller, subscribed.error().message);
  throw_if_failed(subscribed);
}

void unsubscribe(Call& call) {
  call.ports.callers.unsubscribe(call.sender.name);
}

}  // namespace netperfd::bus::methods
