// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for a run's trace, and for the marks that a caller adds to it.
#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_trace.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint32_t kSamplesPageLimit = 500;
constexpr std::uint32_t kStacksPageLimit = 500;

Status check_mark(const std::string& text) {
  if (text.empty()) return fail(ErrorKind::invalid_argument, "text: an empty mark says nothing");
  return check_line("text", text, kMarkLimit);
}

}  // namespace

std::tuple<ManagerObject::Dict, ManagerObject::Dicts, ManagerObject::Dicts, ManagerObject::Dicts,
           ManagerObject::Dicts>
ManagerObject::GetTrace(const std::uint64_t& run) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    WireTrace wire = wire_trace(value_or_throw(ports_.queries.trace(id)));
    return std::tuple{std::move(wire.trace), std::move(wire.cpus), std::move(wire.events),
                      std::move(wire.drops), std::move(wire.marks)};
  });
}

void ManagerObject::ListTraceSamples(sdbus::Result<Dicts, std::string>&& result, std::uint64_t run,
                                     std::string event, std::string cursor, std::uint32_t limit) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_line("event", event, kNameLimit));
    const auto list = [this, reply, event, cursor, limit](const core::RunRow& row, const Caller&) {
      const WirePage page = fitting_page(
          page_limit(limit, kSamplesPageLimit),
          [&](std::uint32_t rows) { return ports_.queries.trace_samples(row.id, event, cursor, rows); },
          sample_row);
      reply->ok(page.rows, page.next);
    };
    with_readable_run(run, "trace samples", Raw::of_owner, reply, list);
  });
}

std::tuple<ManagerObject::Dicts, std::string> ManagerObject::ListTraceStacks(const std::uint64_t& run,
                                                                             const std::string& cursor,
                                                                             const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    WirePage page = fitting_page(
        page_limit(limit, kStacksPageLimit),
        [&](std::uint32_t rows) { return ports_.queries.trace_stacks(id, cursor, rows); }, stack_row);
    return std::tuple{std::move(page.rows), std::move(page.next)};
  });
}

void ManagerObject::Mark(sdbus::Result<>&& result, std::uint64_t job, std::string text) {
  mark_job(std::move(result), job, text, dbus::sender_of(getObject()));
}

void ManagerObject::mark_job(sdbus::Result<>&& result, std::uint64_t job, const std::string& text,
                             const dbus::Sender& sender) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_mark(text));
    const auto mark = [this, reply, job, text](const Caller& caller) {
      const JobId id = value_or_throw(parse_id(job, "job"));
      const auto status = ports_.scheduler.job(id);
      if (!status) throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such live job", id)});
      const Wanted wanted{.actions = {managing(status->owner, caller)},
                          .deed = fmt::format("mark job {} of uid {}", id, status->owner)};
      when_allowed(caller, wanted, reply, [this, reply, id, text, uid = caller.uid] {
        recorded({.uid = uid, .action = "mark", .job = id, .detail = text},
                 [&](core::Deed&) { throw_if_failed(ports_.scheduler.mark(id, text)); });
        reply->ok();
      });
    };
    with_caller(sender, reply, mark);
  });
}

}  // namespace netperfd::bus
