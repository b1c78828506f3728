// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "daemon/workload/job/part.hpp"

namespace netperfd::workload {

[[nodiscard]] JobPart iperf3_part();

}  // namespace netperfd::workload
