// SPDX-License-Identifier: GPL-2.0-or-later
// The store as a whole, beside its runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

class StoreKeeper {
 public:
  virtual ~StoreKeeper() = default;
  // Whether it can store new runs. Any caller may cause it, so it is quick and changes nothing.
  [[nodiscard]] virtual Status room() = 0;
  // The free space of its file system, if that is known.
  [[nodiscard]] virtual std::optional<std::uint64_t> free_space() = 0;
  // What of it a copy may take, beside what is kept free for runs.
  [[nodiscard]] virtual std::uint64_t spare_space() = 0;
  // Puts the file that QueryRunner::check_candidate() has checked in the place of the store; returns the name
  // of the file that keeps the old one.
  [[nodiscard]] virtual Result<std::string> replace_by_candidate() = 0;
  // Removes that file if it was not put there.
  virtual void drop_candidate() = 0;
  // The time by which ages of jobs are told.
  [[nodiscard]] virtual WallTime now_for_ages() = 0;
  // Removes all runs of a job, soon; returns their number: 0 if one of them has not ended.
  [[nodiscard]] virtual Result<std::uint64_t> remove_job(JobId job) = 0;
};

}  // namespace netperfd::core
