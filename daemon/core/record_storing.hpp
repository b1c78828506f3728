// SPDX-License-Identifier: GPL-2.0-or-later
// Stores the record of one run. The many intervals of a long run are stored in parts before it, between which
// the loop serves others: all of them at once would hold it up for some tenths of a second.
#pragma once

#include <cstddef>
#include <functional>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_store.hpp"

namespace netperfd::core {

class RecordStoring {
 public:
  static constexpr std::size_t kIntervalsOfPart = 1'024;
  // Called once, with the record and what finish() said of it; may destroy this object.
  using Done = std::function<void(RunRecord record, const Status& stored)>;

  // The ports must outlive this object. If it is destroyed before `done` was called, the run stays open and
  // the next start of netperfd ends it.
  RecordStoring(RunStore& store, Clock& clock, RunRecord record, Done done);
  RecordStoring(const RecordStoring&) = delete;
  RecordStoring& operator=(const RecordStoring&) = delete;

  // A record of one part is stored inside the call.
  void begin();

 private:
  void store_next();
  void finish();

  RunStore& store_;
  Clock& clock_;
  RunRecord record_;
  Done done_;
  std::size_t stored_ = 0;  // intervals
  Timer turn_;
};

}  // namespace netperfd::core
