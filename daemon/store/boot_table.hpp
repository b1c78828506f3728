// SPDX-License-Identifier: GPL-2.0-or-later
// The boots of designs that reboot the machine; core::RunStore and core::RunQueries document the calls.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/boot_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Status insert_boot(Connection& connection, JobId job, const BootRecord& boot);
[[nodiscard]] Status update_boot(Connection& connection, JobId job, std::uint32_t number,
                                 const BootArrival& arrival);
[[nodiscard]] Status set_held(Connection& connection, JobId job, bool held);
[[nodiscard]] Result<std::optional<std::chrono::microseconds>> read_boot_time(Connection& connection,
                                                                              const std::string& scenario);
[[nodiscard]] Result<std::vector<BootRecord>> read_boots(Connection& connection, JobId job);

}  // namespace netperfd::store
