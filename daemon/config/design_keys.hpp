// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a job's `design`, and the Design made from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/keys/schema.hpp"
#include "daemon/model/design.hpp"

namespace netperfd::config {

enum class Arm { plain, traced };
enum class DesignLevel { run, boot };

// `module`: a file for each side.
struct ModuleDraft {
  std::string name, a, b;
  std::vector<std::string> prepare;
};

// Values filled in by the keys.
struct DesignDraft {
  std::vector<Arm> arms;  // empty: derived from the job's trace and variants
  Variant a{.name = "A", .apply = {}, .verify = {}, .builds = {}};
  Variant b{.name = "B", .apply = {}, .verify = {}, .builds = {}};
  std::vector<std::string> changed;
  std::optional<std::uint64_t> seed;
  DesignLevel level = DesignLevel::run;
  Reboots reboots;
  ModuleDraft module;
  std::vector<SweepAxis> sweep;  // keys as in the text
};

[[nodiscard]] std::vector<keys::Key> keys_of_design(DesignDraft& draft);

// Absent if `root` has no design. `traces`: the job has a trace.
[[nodiscard]] std::optional<Design> design_of(DesignDraft draft, const keys::YamlNode& root, bool traces,
                                              keys::Complaints& complaints);

// The keys of `design` that are commands.
[[nodiscard]] std::vector<std::string> commands_of(const Design& design);

}  // namespace netperfd::config
