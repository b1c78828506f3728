// SPDX-License-Identifier: GPL-2.0-or-later
// What rules about stored runs need of the store.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// A stored job as a whole.
struct StoredJob {
  JobId id = 0;
  std::string scenario, label;
  std::uint64_t runs = 0;
  std::uint64_t stored_bytes = 0;  // of the job and its runs
  WallTime newest;                 // when its last run ended; if none did, when it was created
  bool open = false;               // a run of it has not ended
  uid_t owner = 0;
  bool damaged = false;  // nothing but its number is to be believed
};

struct RunOfJob {
  RunId run = 0;
  JobId job = 0;

  bool operator==(const RunOfJob&) const = default;
};

// Who wants a job to be removed. A rule decides by what is stored of it, so it removes no damaged one.
enum class RemovalBy { user, rule };

class RetentionStore {
 public:
  virtual ~RetentionStore() = default;
  // The newest `limit` jobs with numbers below `before`, newest first, without those that are being removed.
  [[nodiscard]] virtual Result<std::vector<StoredJob>> stored_jobs(JobId before, std::uint32_t limit) = 0;
  // One transaction: hides all runs of the job from every query, until RunStore::remove() removes each of
  // them. Returns their number; 0 if one of them has not ended, if there is no such job, or if a rule wants
  // it and the job is damaged: then nothing changed.
  [[nodiscard]] virtual Result<std::uint64_t> begin_removal(JobId job, RemovalBy by) = 0;
  // A hidden run that has yet to be removed, perhaps since the last daemon; the oldest first.
  [[nodiscard]] virtual Result<std::optional<RunOfJob>> next_removal() = 0;
};

}  // namespace netperfd::core
