// SPDX-License-Identifier: GPL-2.0-or-later
// `workload.latency`, and `with.latency` beside another workload.
#pragma once

#include <memory>

#include "daemon/workload/job/part.hpp"

namespace netperfd::workload {

[[nodiscard]] std::unique_ptr<JobKeys> make_latency_keys();

}  // namespace netperfd::workload
