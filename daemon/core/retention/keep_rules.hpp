// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the configuration about how long stored jobs are kept.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/retention_store.hpp"

namespace netperfd::core {

// For the jobs whose scenario and label match both patterns (`*`, `?`, `[...]`). Without a bound, all of them
// are kept.
struct KeepRule {
  std::string scenario = "*";
  std::string label = "*";
  std::optional<std::chrono::seconds> age = {};  // older jobs are removed
  std::optional<std::uint64_t> count = {};       // runs of an owner; jobs beyond the newest ones are removed
  std::optional<std::uint64_t> stored_bytes = {};  // of all owners; see KeepPlan

  bool operator==(const KeepRule&) const = default;
};

// "scenario veth-*, label any: at most 90 days, 1000 runs, 10.0 GiB"
[[nodiscard]] std::string describe(const KeepRule& rule);

// Decides on stored jobs. The first rule that matches a job is the only one for it. A job is kept or removed
// as a whole, so that no design loses a part of its blocks. Open and damaged jobs stay, and so does an
// owner's newest job of each rule, whatever its number of runs and its size, but not whatever its age. If no
// rule matches, the job stays.
//
// Nobody can have the runs of another one removed by using his labels: the runs of each owner are counted
// apart. Bytes are counted together, so that a rule bounds what all owners store; but whoever uses more than
// others loses his first. Each owner keeps what he has up to the greatest share for which all fit.
class KeepPlan {
 public:
  KeepPlan(std::vector<KeepRule> rules, WallTime now);

  void look_at(const StoredJob& job);  // at each, newest first

  struct OldJob {
    StoredJob job;
    std::string why;  // "older than 90 days (keep[0].age)"
  };
  // Those to remove, newest first, once all jobs were looked at.
  [[nodiscard]] std::vector<OldJob> old_jobs();

 private:
  struct Kept {
    std::uint64_t jobs = 0, runs = 0, stored_bytes = 0;
    bool full = false;  // a newer job exceeded a bound: all older ones go
  };
  using KeptByOwner = std::map<uid_t, Kept>;

  void take_beyond_size(std::size_t rule);

  std::vector<KeepRule> rules_;
  std::vector<KeptByOwner> kept_;              // by rule: what age and count leave
  std::vector<std::vector<StoredJob>> sized_;  // by rule with a size: the same, newest first
  std::vector<OldJob> old_;
  WallTime now_;
};

}  // namespace netperfd::core
