// SPDX-License-Identifier: GPL-2.0-or-later
// Changes that one start makes to the text of a job.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/keys/node.hpp"

namespace netperfd::config {

// Puts overrides, label and repeat into `root`, a mapping, as if the text had them. The sides of a design
// cannot be changed this way: their commands run as root. A text without sides gets such that set keys.
void apply_options(keys::YamlNode& root, const core::JobOptions& options, keys::Complaints& complaints);

void put_repeat(keys::YamlNode& root, std::uint32_t repeat, keys::Complaints& complaints);

// Puts the keys that a side sets (`design.a.set`), or a point of a sweep, into a copy of its job's text,
// whose workload has this name.
void apply_set(keys::YamlNode& root, const std::string& workload, const keys::YamlNode& set,
               keys::Complaints& complaints);

}  // namespace netperfd::config
