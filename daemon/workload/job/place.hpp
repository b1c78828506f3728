// SPDX-License-Identifier: GPL-2.0-or-later
// The keys that say where it is measured, for all workloads that measure a path.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "daemon/keys/schema.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

// Values filled in by the keys.
struct PlaceDraft {
  Path path;
  LocalServer local;
  std::optional<std::chrono::milliseconds> server_wait;
};

// The path that `draft` means, whose keys stand below `workload.NAME` of `root`.
[[nodiscard]] Path path_of(PlaceDraft draft, std::string_view name, const keys::YamlNode& root,
                           keys::Complaints& complaints);

}  // namespace netperfd::workload
