// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader elsewhere asks of a comparison first: the question, and on what it was measured.
#pragma once

#include <optional>
#include <string>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

// With printable() texts, as all that follows needs it.
[[nodiscard]] CompareView printable_view(CompareView view);
// "Is B (label after) better than A (label before)?"
[[nodiscard]] std::string question(const CompareView& view);
// On what both sides were measured: machine, kernel and devices.
[[nodiscard]] Lines machine(const std::optional<SettingView>& a, const std::optional<SettingView>& b);
[[nodiscard]] std::optional<SettingView> printable_setting(std::optional<SettingView> setting);
// The change, workload, machine, kernel, devices, and the runs.
[[nodiscard]] Lines setting(const Screen& screen, const CompareView& view);
// Of several figures, the verdict over all of them.
[[nodiscard]] Lines overall_verdict(const CompareView& view);
// The share of the change that the functions explain, and how far traced runs can be trusted.
[[nodiscard]] Lines explanation(const CompareView& view);
// The self-test of this host, or that there is none.
[[nodiscard]] Lines own_noise(const CompareView& view);

}  // namespace netperfctl::comparing
