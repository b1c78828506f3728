// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/import_storing.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace netperfd::core {

void end_unstored(RunStore& store, RunId run, const Error& error) {
  RunRecord failed;
  failed.id = run;
  failed.error = fmt::format("the files could not be stored: {}", error.message);
  (void)store.finish(failed);
}

ImportStoring::ImportStoring(RunStore& store, Clock& clock, std::vector<RunRecord> records, Done done)
    : store_(store), clock_(clock), records_(std::move(records)), done_(std::move(done)) {}

void ImportStoring::store_next() {
  RunRecord& record = records_[next_];
  if (auto stepped = step_to_collecting(record.id); !stepped) return give_up(stepped.error());
  storing_.emplace(store_, clock_, std::move(record), [this](const RunRecord&, const Status& stored) {
    if (!stored) return give_up(stored.error());
    if (++next_ == records_.size()) return end({});
    turn_ = clock_.after(std::chrono::milliseconds{0}, [this] { store_next(); });
  });
  storing_->begin();
}

// A run has to pass through all states, even if it was over before it was imported.
Status ImportStoring::step_to_collecting(RunId run) {
  for (const RunState state : {RunState::preparing, RunState::running, RunState::collecting}) {
    if (auto stepped = store_.set_state(run, state); !stepped) return stepped;
  }
  return {};
}

// If a record was refused, this may have ended its run already.
void ImportStoring::give_up(const Error& error) {
  for (; next_ < records_.size(); ++next_) end_unstored(store_, records_[next_].id, error);
  end(std::unexpected(error));
}

void ImportStoring::end(const Status& stored) {
  const Done done = std::move(done_);
  done(stored);
}

}  // namespace netperfd::core
