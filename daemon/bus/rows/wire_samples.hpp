// SPDX-License-Identifier: GPL-2.0-or-later
// Converts sample profiles to the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/core/comparison/sample_work.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/model/stack_comparison.hpp"

namespace netperfd::bus {

struct WireSamples {
  Row profile;
  Rows builds;  // as many as fit into the message
};
[[nodiscard]] WireSamples wire_samples(const SampleProfile& profile,
                                       const std::optional<core::SampleWork>& work = std::nullopt);

[[nodiscard]] Row sampled_function_row(const SampledFunction& function, const SampleProfile& profile);

// The nodes with samples of their own, the most samples first: indices into SampleProfile::nodes.
[[nodiscard]] std::vector<std::uint32_t> sampled_stacks(const SampleProfile& profile);
[[nodiscard]] Row sampled_stack_row(std::uint32_t node, const SampleProfile& profile);

// The answer of CompareSamples. Always fits into one message: the thinnest frames are left out.
struct WireStackComparison {
  Row comparison;
  Rows frames;
};
[[nodiscard]] WireStackComparison wire_stacks(StackComparison comparison);

}  // namespace netperfd::bus
