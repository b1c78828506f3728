// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/record_storing.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace netperfd::core {

RecordStoring::RecordStoring(RunStore& store, Clock& clock, RunRecord record, Done done)
    : store_(store), clock_(clock), record_(std::move(record)), done_(std::move(done)) {}

void RecordStoring::begin() {
  if (record_.workload.report.intervals.size() <= kIntervalsOfPart) return finish();
  store_next();
}

// If the store refuses a part, finish() is refused too, and says why.
void RecordStoring::store_next() {
  const std::span<const Interval> left = std::span{record_.workload.report.intervals}.subspan(stored_);
  if (left.empty()) return finish();
  const auto part = left.first(std::min(left.size(), kIntervalsOfPart));
  if (!store_.add_intervals(record_.id, part, stored_)) return finish();
  stored_ += part.size();
  turn_ = clock_.after(std::chrono::milliseconds{0}, [this] { store_next(); });
}

void RecordStoring::finish() {
  const Status stored = store_.finish(record_);
  const Done done = std::move(done_);
  done(std::move(record_), stored);
}

}  // namespace netperfd::core
