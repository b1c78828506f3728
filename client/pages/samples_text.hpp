// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a run, as `show --samples` and `show --stacks` list them.
#pragma once

#include <string>
#include <vector>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// Begins with an empty line; empty if neither was requested, or the run was not sampled and nobody asked for
// the profile.
[[nodiscard]] std::string samples_part(const Screen& screen, const ShowView& view);

// "4,020 of cpu-clock on 2 CPUs in 10.1 s, 199 per second and CPU asked"
[[nodiscard]] std::string taken_words(const SampleProfileView& profile);
// What the profile lacks, a clause each.
[[nodiscard]] std::vector<std::string> missing_words(const SampleProfileView& profile);

}  // namespace netperfctl::show
