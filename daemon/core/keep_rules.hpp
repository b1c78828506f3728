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
  std::optional<std::uint64_t> stored_bytes = {};  // the same

  bool operator==(const KeepRule&) const = default;
};

// "scenario veth-*, label any: at most 90 days, 1000 runs, 10.0 GiB"
[[nodiscard]] std::string describe(const KeepRule& rule);

// Decides on each job, newest first. The first rule that matches a job is the only one for it. It counts the
// runs and bytes of each owner apart: nobody can have those of another one removed by using his labels. A job
// is kept or removed as a whole, so that no design loses a part of its blocks. An owner's newest job of each
// rule stays whatever its number of runs and its size, but not whatever its age. If no rule matches, the job
// stays.
class KeepPlan {
 public:
  KeepPlan(std::vector<KeepRule> rules, WallTime now);

  // Why to remove the job: "older than 90 days (keep[0].age)"; absent if it stays. Open jobs stay.
  [[nodiscard]] std::optional<std::string> reason_to_remove(const StoredJob& job);

 private:
  struct Kept {
    std::uint64_t jobs = 0, runs = 0, stored_bytes = 0;
    std::string full;  // which bound a newer job exceeded: all older ones go
  };

  std::vector<KeepRule> rules_;
  std::vector<std::map<uid_t, Kept>> kept_;  // by rule and owner
  WallTime now_;
};

}  // namespace netperfd::core
