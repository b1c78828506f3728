// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/deferred_ends.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace netperfd::core {
namespace {

// Whether the same action may succeed later. Anything else is wrong with the action itself.
bool may_pass(const Error& refusal) {
  return refusal.kind == ErrorKind::no_space || refusal.kind == ErrorKind::io ||
         refusal.kind == ErrorKind::busy;
}

}  // namespace

RunRecord end_without_record(const RunRecord& record, const Error& refusal) {
  RunRecord end;
  end.id = record.id;
  end.state = RunState::failed;
  end.started = record.started;
  end.ended = record.ended;
  end.error = fmt::format("{}{}the run could not be stored: {}", record.error,
                          record.error.empty() ? "" : "; ", refusal.message);
  return end;
}

bool DeferredEnds::settled(const Status& status) {
  if (status || !may_pass(status.error())) return true;
  wait(status.error());
  return false;
}

void DeferredEnds::settle() {
  retry_.reset();
  for (; !records_.empty(); records_.pop_front()) {
    if (!settled(store_.finish(records_.front()))) return;
  }
  for (; !cancellations_.empty(); cancellations_.pop_front()) {
    const auto& [job, error] = cancellations_.front();
    if (!settled(store_.cancel_pending(job, error))) return;
  }
  delay_ = kFirstRetry;
}

void DeferredEnds::wait(const Error& refusal) {
  refusal_ = refusal.message;
  if (retry_) return;
  retry_ = clock_.after(delay_, [this] { settle(); });
  delay_ = std::min(2 * delay_, kLongestRetry);
}

Status DeferredEnds::expect_room() {
  settle();
  return store_.expect_room();
}

Result<NewJob> DeferredEnds::add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                                     WallTime now) {
  settle();
  return store_.add_job(spec, slots, owner, now);
}

Status DeferredEnds::set_state(RunId run, RunState state) {
  settle();
  return store_.set_state(run, state);
}

Status DeferredEnds::cancel_pending(JobId job, const std::string& error) {
  settle();
  auto stored = store_.cancel_pending(job, error);
  if (stored || !may_pass(stored.error())) return stored;
  cancellations_.emplace_back(job, error);
  wait(stored.error());
  return {};
}

Status DeferredEnds::add_intervals(RunId run, std::span<const Interval> intervals, std::size_t first) {
  settle();
  return store_.add_intervals(run, intervals, first);
}

Status DeferredEnds::finish(const RunRecord& record) {
  settle();
  auto stored = store_.finish(record);
  if (stored) return stored;
  RunRecord end = end_without_record(record, stored.error());
  // SQLite has waited for seconds before it reported busy, so another try now would only block the loop.
  const auto ended = stored.error().kind == ErrorKind::busy ? stored : store_.finish(end);
  if (!ended && may_pass(ended.error())) {
    records_.push_back(std::move(end));
    wait(ended.error());
  }
  return stored;
}

Status DeferredEnds::remove(RunId run) {
  settle();
  auto removed = store_.remove(run);
  if (removed || removed.error().kind != ErrorKind::busy || waiting() == 0) return removed;
  return fail(ErrorKind::no_space,
              fmt::format("run {}: that it has ended is not stored yet: {}", run, refusal_));
}

}  // namespace netperfd::core
