// SPDX-License-Identifier: GPL-2.0-or-later
// Stores the runs of an import, one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/record_storing.hpp"

namespace netperfd::core {

// Ends a run of an import whose record will not come: otherwise it would stay open.
void end_unstored(RunStore& store, RunId run, const Error& error);

class ImportStoring {
 public:
  // Called once; may destroy this object.
  using Done = std::function<void(const Status& stored)>;

  // One record at least. Each has the number of its run, which is pending. The ports must outlive this
  // object.
  ImportStoring(RunStore& store, Clock& clock, std::vector<RunRecord> records, Done done);
  ImportStoring(const ImportStoring&) = delete;
  ImportStoring& operator=(const ImportStoring&) = delete;

  // One small record is stored inside the call.
  void begin() { store_next(); }

 private:
  void store_next();
  [[nodiscard]] Status step_to_collecting(RunId run);
  void give_up(const Error& error);
  void end(const Status& stored);

  RunStore& store_;
  Clock& clock_;
  std::vector<RunRecord> records_;
  Done done_;
  std::size_t next_ = 0;
  std::optional<RecordStoring> storing_;
  Timer turn_;
};

}  // namespace netperfd::core
