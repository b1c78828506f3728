// SPDX-License-Identifier: GPL-2.0-or-later
// What can be known of a job before it begins: that it cannot end in an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

// The smallest number of blocks with which a comparison of the job's sides has an interval, so that its
// verdict is not `too few`. Absent: no number of blocks decides that, because the job has no sides to
// compare.
[[nodiscard]] std::optional<std::uint32_t> fewest_blocks(const JobSpec& spec);

// One sentence for each reason, with the change that removes it: too few blocks or builds for the figures,
// too few answers for a percentile. None: nothing in the job itself is in the way. `spec` has passed check().
[[nodiscard]] std::vector<std::string> why_no_answer(const JobSpec& spec);

// `runs` runs that each take `bytes_of_run` bytes do not fit into `room`; empty: they do.
[[nodiscard]] std::string too_little_room(std::uint64_t runs, std::uint64_t bytes_of_run, std::uint64_t room);

}  // namespace netperfd::core
