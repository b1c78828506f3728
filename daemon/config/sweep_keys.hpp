// SPDX-License-Identifier: GPL-2.0-or-later
// The key `sweep` of a job: what its points set.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/keys/schema.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::config {

// Reads a mapping of keys with lists of values, also in mappings below each other.
[[nodiscard]] keys::Reader sweep(std::vector<SweepAxis>& axes);

// Puts it into the design, with the keys of the workload as a side names them.
void add_sweep(std::vector<SweepAxis> axes, const keys::YamlNode& root, JobSpec& spec,
               keys::Complaints& complaints);

// The keys of the workload that a point sets, for apply_set().
[[nodiscard]] keys::YamlNode set_of_point(const Design& design, std::uint32_t point);

// Complains if what a side sets has a key of the sweep, or one below or above it.
void expect_other_keys(const keys::YamlNode& set_of_side, const keys::YamlNode& root, const JobSpec& spec,
                       keys::Complaints& complaints);

}  // namespace netperfd::config
