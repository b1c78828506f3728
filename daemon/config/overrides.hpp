// SPDX-License-Identifier: GPL-2.0-or-later
// Changes that one start makes to the text of a job.
#pragma once

#include "daemon/config/yaml.hpp"
#include "daemon/core/ports/scenario_source.hpp"

namespace netperfd::config {

// Puts overrides, label and repeat into `root`, a mapping, as if the text had them. The sides of a design
// cannot be changed this way: their commands run as root.
void apply_options(YamlNode& root, const core::JobOptions& options, Complaints& complaints);

}  // namespace netperfd::config
