// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::store {

// What the run of a side was told, by its facts (core/run/iperf3_facts.hpp): a side may set other keys than
// its job, whose traffic this is.
[[nodiscard]] Traffic told_traffic(Traffic of_job, const std::vector<Fact>& facts);

}  // namespace netperfd::store
