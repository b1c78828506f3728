// SPDX-License-Identifier: GPL-2.0-or-later
// Which job is accepted, and which one may go on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/queue/job_queue.hpp"
#include "daemon/core/queue/quotas.hpp"
#include "daemon/core/run/run_ports.hpp"

namespace netperfd::core {

// Whether the kernel can trace what the job asks for, as far as that must be so before its runs.
[[nodiscard]] Status check_trace(Tracer& tracer, const JobSpec& spec);

class Admission {
 public:
  // `limit`: maximum number of live jobs. Both must outlive the object.
  Admission(const RunPorts& ports, const JobQueue& queue, std::uint32_t limit)
      : ports_(ports), queue_(queue), limit_(limit), quotas_(ports.store, ports.clock) {}

  void set_queue_limit(std::uint32_t limit) { limit_ = limit; }
  void set_user_limits(const UserLimits& limits) { quotas_.set_limits(limits); }

  // The errors of Scheduler::submit(), without the store's. All reasons are told at once, a line for each:
  // the kind is infeasible if forcing the job would help against all of them.
  [[nodiscard]] Status check_job(const JobSpec& spec, uid_t owner);
  // Whether the user may store more: quota_exceeded or the store's error.
  [[nodiscard]] Status check_stored(uid_t user) { return quotas_.check_stored(user); }
  // For the next run of an accepted job of this user: quota_exceeded or the store's error.
  [[nodiscard]] Status check_run(uid_t owner) { return quotas_.check_run(owner); }

 private:
  // Whether this host and its kernel can do what the job asks for, and what the user may have.
  [[nodiscard]] std::vector<Error> refusals(const JobSpec& spec, uid_t owner);
  // Why the job cannot end in an answer.
  [[nodiscard]] std::vector<std::string> obstacles(const JobSpec& spec, uid_t owner);

  const RunPorts& ports_;
  const JobQueue& queue_;
  std::uint32_t limit_;
  Quotas quotas_;
};

}  // namespace netperfd::core
