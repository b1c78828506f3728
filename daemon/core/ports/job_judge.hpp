// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/model/comparison.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

class JobJudge {
 public:
  virtual ~JobJudge() = default;
  // The comparison of the job's sides as CompareJob gives it, without functions.
  [[nodiscard]] virtual Result<Comparison> judge(JobId job) = 0;
};

}  // namespace netperfd::core
