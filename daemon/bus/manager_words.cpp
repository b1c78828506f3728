// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager that change words about what was measured: labels and notes.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"

namespace netperfd::bus {

void ManagerObject::SetLabel(sdbus::Result<>&& result, std::uint64_t job, std::string label) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_line("label", label, kLabelLimit));
    const JobId id = value_or_throw(parse_id(job, "job"));
    with_caller(reply, [this, reply, id, label = std::move(label)](const Caller& caller) {
      core::RunFilter of_job;
      of_job.job = id;
      const auto newest = value_or_throw(ports_.queries.runs(of_job, "", 1)).rows;
      if (newest.empty()) throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such job", id)});
      const uid_t owner = newest.front().owner;
      const Wanted wanted{.actions = {managing(owner, caller)},
                          .deed = fmt::format("label job {} of uid {}", id, owner)};
      when_allowed(caller, wanted, reply, [this, reply, id, label, uid = caller.uid] {
        // A live job answers with the label that it was started with.
        const auto live = ports_.scheduler.job(id);
        if (live && !core::has_ended(live->state)) {
          throw to_dbus(Error{ErrorKind::busy, fmt::format("job {}: it has not ended", id)});
        }
        recorded({.uid = uid, .action = "label", .job = id, .detail = label},
                 [&](core::Deed&) { throw_if_failed(ports_.store.set_label(id, label)); });
        reply->ok();
      });
    });
  });
}

void ManagerObject::SetNote(sdbus::Result<>&& result, std::uint64_t run, std::string note) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_line("note", note, kNoteLimit));
    const RunId id = value_or_throw(parse_id(run, "run"));
    with_caller(reply, [this, reply, id, note = std::move(note)](const Caller& caller) {
      const uid_t owner = value_or_throw(ports_.queries.run(id)).owner;
      const Wanted wanted{.actions = {managing(owner, caller)},
                          .deed = fmt::format("write a note about run {} of uid {}", id, owner)};
      when_allowed(caller, wanted, reply, [this, reply, id, note, uid = caller.uid] {
        recorded({.uid = uid, .action = "note", .run = id, .detail = note},
                 [&](core::Deed&) { throw_if_failed(ports_.store.set_note(id, note)); });
        reply->ok();
      });
    });
  });
}

}  // namespace netperfd::bus
