// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about the store as a whole, and its audit log.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "daemon/base/foreign_fd.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/bus/queries/store_answers.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_audit.hpp"
#include "daemon/log/log.hpp"

namespace netperfd::bus::methods {
namespace {

constexpr std::uint32_t kAuditPageLimit = 500;
// netperfctl waits longer.
constexpr std::chrono::hours kCheckTime{2};

// Jobs that have not ended write to the store, or will. What an ended one left changed on the machine is
// noted by its number in this store.
Status expect_nothing_of_jobs(const core::Scheduler& scheduler) {
  for (const core::JobStatus& job : scheduler.jobs()) {
    if (has_ended(job.state)) continue;
    const bool runs = job.state == core::JobState::running;
    return fail(
        ErrorKind::busy,
        fmt::format("job {} ({}) {}: restore when no job runs or waits. `netperfctl stop {}` stops it",
                    job.id, job.scenario, runs ? "is running" : "is waiting", job.id));
  }
  const auto left = scheduler.left_sides();
  if (!left) return std::unexpected(left.error());
  if (!left->empty()) {
    return fail(ErrorKind::busy,
                fmt::format("{}: restore when that is brought back. `netperfctl undo {}` tries it; a reboot "
                            "does it too",
                            core::words_of(left->front().note), left->front().note.job));
  }
  return {};
}

// The candidate that is being checked. It is removed in the end, unless it has become the store.
class Candidate {
 public:
  explicit Candidate(core::StoreKeeper& keeper) : keeper_(keeper) {}
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;
  ~Candidate() { keeper_.drop_candidate(); }

 private:
  core::StoreKeeper& keeper_;
};

}  // namespace

Page list_audit_log(Call& call, core::AuditFilter filter, Cursor cursor, Limit limit) {
  if (!call.is_member()) {
    // Who is refused does not learn whether there are entries of others.
    if (filter.uid.value_or(call.caller.uid) != call.caller.uid) {
      throw to_dbus(
          Error{ErrorKind::access_denied,
                fmt::format("uid {} may only read its own entries of the audit log", call.caller.uid)});
    }
    filter.uid = call.caller.uid;
  }
  const auto fetch = [&](std::uint32_t rows) { return call.ports.audit.entries(filter, cursor, rows); };
  WirePage page = fitting_page(page_limit(limit, kAuditPageLimit), fetch, audit_row);
  return {std::move(page.rows), std::move(page.next)};
}

Task<Row> check_store(Call& call) {
  const std::string bytes =
      co_await call.ask_process(to_query_bytes(std::string{query_name::kCheckStore}), 0, kCheckTime);
  auto [row] = value_or_throw(from_query_bytes<Row>(bytes));
  if (const auto free = call.ports.store_keeper.free_space()) row.put("disk_free_bytes", *free);
  co_return std::move(row);
}

sdbus::UnixFd open_backup(Call& call) {
  const auto ended = [](const Status& end) {
    if (!end) log::warn(fmt::format("a backup of the store is not whole: {}", end.error().message));
  };
  Fd bytes = value_or_throw(
      call.ports.query_runner.stream(to_query_bytes(std::string{query_name::kOpenBackup}), ended));
  return sdbus::UnixFd{bytes.release(), sdbus::adopt_fd};
}

Task<Row> restore_store(Call& call, sdbus::UnixFd file) {
  throw_if_failed(expect_nothing_of_jobs(call.ports.scheduler));
  ForeignFd received = value_or_throw(call.ports.received.take(file.get()));
  std::uint64_t number = 0;
  std::optional<Candidate> candidate;
  auto checked = later<Result<std::string>>([&](const auto& done) {
    auto checking = value_or_throw(call.ports.query_runner.check_candidate(
        std::move(received), call.ports.store_keeper.spare_space(), done));
    candidate.emplace(call.ports.store_keeper);
    number =
        value_or_throw(call.ports.callers.on_leaving(call.caller.name, [checking = std::move(checking)] {}));
  });
  const Result<std::string> bytes = co_await checked;
  call.ports.callers.forget(call.caller.name, number);
  auto [row] = value_or_throw(from_query_bytes<Row>(value_or_throw(bytes)));
  // Each query has the store open, and somebody may ask all the time.
  auto idle = later<Status>([&](const auto& done) { call.ports.query_runner.when_idle(done); });
  throw_if_failed(co_await idle);
  // A job may have been started while the copy was made.
  throw_if_failed(expect_nothing_of_jobs(call.ports.scheduler));
  const std::string kept = value_or_throw(call.ports.store_keeper.replace_by_candidate());
  call.ports.documents.forget();
  log::info(fmt::format("uid {} restored the store; as it was before, it is in {}", call.caller.uid, kept));
  call.audited->detail = fmt::format("the store before is in {}", kept);
  row.put("kept", kept);
  co_return std::move(row);
}

Task<Page> list_old_jobs(Call& call, Options rule, Cursor cursor, Limit limit) {
  (void)value_or_throw(parse_old_job_rule(rule));
  const WallTime moment = call.ports.store_keeper.now_for_ages();
  const auto now = static_cast<std::uint64_t>(moment.time_since_epoch().count());
  const std::string bytes =
      co_await call.ask_process(to_query_bytes(std::string{query_name::kListOldJobs}, rule, cursor,
                                               std::uint64_t{limit}, std::uint64_t{call.caller.uid}, now));
  auto [jobs, next] = value_or_throw(from_query_bytes<Rows, std::uint64_t>(bytes));
  co_return Page{std::move(jobs), next == 0 ? std::string{} : std::to_string(next)};
}

}  // namespace netperfd::bus::methods
