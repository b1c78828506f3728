// SPDX-License-Identifier: GPL-2.0-or-later
// What one user may have: jobs in the queue, stored bytes and running time. Root has no limits.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

// An absent limit does not exist.
struct UserLimits {
  std::optional<std::uint32_t> queue = 16;                                 // jobs that wait or run
  std::optional<std::uint64_t> stored_bytes = 4ULL << 30U;                 // as RunStore::usage() counts them
  std::optional<std::chrono::milliseconds> time = std::chrono::hours(16);  // of runs, in any 24 hours

  bool operator==(const UserLimits&) const = default;
};

// How long `runs` runs of the job take at most, as far as that is planned: otherwise its limits.timeout
// counts. With one wait for its server.
[[nodiscard]] std::chrono::milliseconds reserved_time(const JobSpec& spec, std::size_t runs);

class Quotas {
 public:
  // A user's live jobs.
  struct Live {
    std::size_t jobs = 0;
    std::chrono::milliseconds reserved{0};  // by runs that have not ended
  };

  // Both must outlive this object.
  Quotas(RunStore& store, Clock& clock) : store_(store), clock_(clock) {}

  void set_limits(const UserLimits& limits) { limits_ = limits; }

  // All errors are quota_exceeded, naming the limit, what is used, and how to get below it; or the store's.
  // For a new job that will take `reserved`.
  [[nodiscard]] Status check_job(uid_t user, const Live& live, std::chrono::milliseconds reserved);
  // For the next run of an accepted job: stored bytes, and time that has really passed.
  [[nodiscard]] Status check_run(uid_t user);
  // For data that is not measured here.
  [[nodiscard]] Status check_stored(uid_t user);

 private:
  [[nodiscard]] Result<UserUsage> usage(uid_t user);
  [[nodiscard]] Status check_stored(uid_t user, const UserUsage& usage) const;

  RunStore& store_;
  Clock& clock_;
  UserLimits limits_;
};

}  // namespace netperfd::core
