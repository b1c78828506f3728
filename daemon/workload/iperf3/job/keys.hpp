// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include "daemon/workload/job/part.hpp"

namespace netperfd::workload {

[[nodiscard]] std::unique_ptr<JobKeys> make_iperf3_keys();

}  // namespace netperfd::workload
