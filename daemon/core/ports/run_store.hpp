// Data that outlives the daemon: what a run writes. run_queries.hpp reads it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/design.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::core {

struct NewJob {
  JobId id = 0;
  std::vector<RunId> runs;  // one for each arm, in order, all pending
};

class RunStore {
 public:
  virtual ~RunStore() = default;
  // One transaction: the job and its pending runs, one for each arm. A job with a design must have its seed.
  // no_space if the disk has less free space than the configured minimum.
  [[nodiscard]] virtual Result<NewJob> add_job(const JobSpec& spec, const std::vector<Arm>& arms, uid_t owner,
                                               WallTime now) = 0;
  // A step to a state that has not ended; refused if may_follow() is false.
  [[nodiscard]] virtual Status set_state(RunId run, RunState state) = 0;
  // One transaction: the job's runs that are still pending become canceled with this error.
  [[nodiscard]] virtual Status cancel_pending(JobId job, const std::string& error) = 0;
  // One transaction, once: everything of an ended run. A second call for the same run is refused.
  [[nodiscard]] virtual Status finish(const RunRecord& record) = 0;
};

}  // namespace netperfd::core
