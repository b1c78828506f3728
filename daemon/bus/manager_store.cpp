// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager about the store as a whole.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/base/foreign_fd.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/query_answers.hpp"
#include "daemon/bus/store_answers.hpp"
#include "daemon/log/log.hpp"

namespace netperfd::bus {
namespace {

// netperfctl waits longer.
constexpr std::chrono::hours kCheckTime{2};

// Jobs that have not ended write to the store, or will.
Status expect_no_jobs(const core::Scheduler& scheduler) {
  for (const core::JobStatus& job : scheduler.jobs()) {
    if (has_ended(job.state)) continue;
    const bool runs = job.state == core::JobState::running;
    return fail(
        ErrorKind::busy,
        fmt::format("job {} ({}) {}: restore when no job runs or waits. `netperfctl stop {}` stops it",
                    job.id, job.scenario, runs ? "is running" : "is waiting", job.id));
  }
  return {};
}

}  // namespace

void ManagerObject::CheckStore(sdbus::Result<Dict>&& result) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    with_caller(reply, [this, reply](const Caller& caller) {
      if (!ports_.authorization.is_member(caller)) {
        throw to_dbus(
            Error{ErrorKind::access_denied,
                  fmt::format("uid {} may not check the store: only root and members of the group may",
                              caller.uid)});
      }
      const auto give = [this, reply](const std::string& bytes) {
        auto [row] = value_or_throw(from_query_bytes<dbus::Row>(bytes));
        if (const auto free = settings_.disk_free ? settings_.disk_free() : std::nullopt) {
          row.emplace("disk_free_bytes", *free);
        }
        reply->ok(row);
      };
      query_bytes(reply, caller, to_query_bytes(std::string{query_name::kCheckStore}), 0, give, kCheckTime);
    });
  });
}

void ManagerObject::OpenBackup(sdbus::Result<sdbus::UnixFd>&& result) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const auto open = [this, reply](const Caller& caller) {
      recorded({.uid = caller.uid, .action = "backup"}, [&](core::Deed&) {
        const auto ended = [](const Status& end) {
          if (!end) log::warn(fmt::format("a backup of the store is not whole: {}", end.error().message));
        };
        Fd bytes = value_or_throw(
            ports_.query_runner.stream(to_query_bytes(std::string{query_name::kOpenBackup}), ended));
        reply->ok(sdbus::UnixFd{bytes.release(), sdbus::adopt_fd});
      });
    };
    with_allowed(
        {.actions = {core::Action::read_raw}, .deed = "copy the store, with the raw data of all users"},
        reply, open);
  });
}

void ManagerObject::RestoreStore(sdbus::Result<Dict>&& result, sdbus::UnixFd file) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    // A token of what was received. Shared, since the callbacks that hold it must be copyable.
    const auto token = std::make_shared<sdbus::UnixFd>(std::move(file));
    const auto restore = [this, reply, token](const Caller& caller) {
      const core::Deed deed{.uid = caller.uid, .action = "restore"};
      refuse_recorded(deed, expect_no_jobs(ports_.scheduler));
      ForeignFd received = value_or_throw(ports_.received.take(token->get()));
      const auto number = std::make_shared<std::uint64_t>();
      const auto done = [this, reply, deed, name = caller.name, number](const Result<std::string>& bytes) {
        // Each query has the store open, and somebody may ask all the time.
        ports_.query_runner.when_idle([this, reply, deed, name, number, bytes] {
          answer(reply, [&] { reply->ok(restored(deed, bytes)); });
          if (settings_.drop_candidate) settings_.drop_candidate();
          ports_.callers.forget(name, *number);  // last: it ends the process
        });
      };
      const auto checking = std::make_shared<std::shared_ptr<void>>(
          value_or_throw(ports_.query_runner.check_candidate(std::move(received), done)));
      const auto give_up = [this, checking] {
        checking->reset();
        if (settings_.drop_candidate) settings_.drop_candidate();
      };
      *number = value_or_throw(ports_.callers.on_leaving(caller.name, give_up));
    };
    with_allowed({.actions = {core::Action::manage_store}, .deed = "replace the store by a file"}, reply,
                 restore);
  });
}

// With what the process says of the checked copy.
ManagerObject::Dict ManagerObject::restored(core::Deed deed, const Result<std::string>& checked) {
  if (!checked) refuse_recorded(deed, std::unexpected(checked.error()));
  auto [row] = value_or_throw(from_query_bytes<dbus::Row>(*checked));
  // A job may have been started while the copy was made.
  refuse_recorded(deed, expect_no_jobs(ports_.scheduler));
  if (!settings_.replace_store) throw to_dbus(Error{ErrorKind::unsupported, "this store cannot be replaced"});
  const Result<std::string> kept = settings_.replace_store();
  if (!kept) refuse_recorded(deed, std::unexpected(kept.error()));
  ports_.documents.forget();
  log::info(fmt::format("uid {} restored the store; as it was before, it is in {}", *deed.uid, *kept));
  deed.detail = fmt::format("the store before is in {}", *kept);
  ports_.audit.record(deed);
  row["kept"] = sdbus::Variant{*kept};
  return row;
}

void ManagerObject::ListOldJobs(sdbus::Result<Dicts, std::string>&& result, Dict rule, std::string cursor,
                                std::uint32_t limit) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    (void)value_or_throw(parse_old_job_rule(rule));
    with_caller(reply, [this, reply, rule, cursor, limit](const Caller& caller) {
      const WallTime moment =
          settings_.now_for_ages
              ? settings_.now_for_ages()
              : std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
      const auto now = static_cast<std::uint64_t>(moment.time_since_epoch().count());
      const auto give = [reply](const std::string& bytes) {
        const auto [jobs, next] = value_or_throw(from_query_bytes<dbus::Rows, std::uint64_t>(bytes));
        reply->ok(jobs, next == 0 ? std::string{} : std::to_string(next));
      };
      query_bytes(reply, caller,
                  to_query_bytes(std::string{query_name::kListOldJobs}, rule, cursor, std::uint64_t{limit},
                                 std::uint64_t{caller.uid}, now),
                  0, give);
    });
  });
}

void ManagerObject::DeleteJob(sdbus::Result<std::uint64_t>&& result, std::uint64_t job) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    with_caller(reply, [this, reply, job](const Caller& caller) {
      const JobId id = value_or_throw(parse_id(job, "job"));
      const uid_t owner = value_or_throw(ports_.queries.owner_of_job(id));
      const Wanted wanted{.actions = {managing(owner, caller)},
                          .deed = fmt::format("delete job {} of uid {}", id, owner)};
      when_allowed(caller, wanted, reply, [this, reply, id, uid = caller.uid] {
        std::uint64_t removed = 0;
        recorded({.uid = uid, .action = "delete", .job = id}, [&](core::Deed& deed) {
          removed =
              value_or_throw(settings_.remove_job ? settings_.remove_job(id) : Result<std::uint64_t>{0});
          if (removed == 0) {
            throw to_dbus(Error{ErrorKind::busy, fmt::format("job {} has not ended: stop it first", id)});
          }
          deed.detail = fmt::format("{} run{}", removed, removed == 1 ? "" : "s");
        });
        log::info(fmt::format("deleted by uid {}", uid), {.job = id});
        reply->ok(removed);
      });
    });
  });
}

}  // namespace netperfd::bus
