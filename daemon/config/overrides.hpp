// What one start changes in the text of a job.
#pragma once

#include "daemon/config/yaml.hpp"
#include "daemon/core/ports.hpp"

namespace netperfd::config {

// Puts overrides, label and repeat into `root`, a mapping, as if the text had them. Nothing of a side of a
// design can be changed so: its commands run as root.
void apply_options(YamlNode& root, const core::JobOptions& options, Complaints& complaints);

}  // namespace netperfd::config
