// SPDX-License-Identifier: GPL-2.0-or-later
// Which runs a job, a scenario or a file has.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// In order, also those that are being removed. io if the index that finds them is damaged and hides some, or
// names one of another job.
[[nodiscard]] Result<std::vector<RunId>> numbers_of_runs(Connection& connection, JobId job);

// As RunStore::time_between_runs().
[[nodiscard]] Result<std::optional<std::chrono::microseconds>> read_time_between_runs(
    Connection& connection, const std::string& scenario);

// As RunStore::runs_with_file().
[[nodiscard]] Result<std::vector<RunId>> runs_with_file(Connection& connection, uid_t owner,
                                                        const std::string& sha256, std::uint32_t most);

}  // namespace netperfd::store
