// SPDX-License-Identifier: GPL-2.0-or-later
// Some facts follow from another one and are no further change. If the kernel is another build, so are the
// modules that come with it. Drivers report the kernel's release as their own version. One kernel has
// settings (sysctl, parameters of modules, features of devices) that the other does not know. Where the
// machine was booted for each letter of a block, with one userland and in drawn order, all settings that a
// boot makes anew follow from the kernel or its command line, such as another default. So do the sizes that
// the kernel gives the buffers of sockets if no test asked for a window. These facts count to the group
// kernel.
#pragma once

#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

struct KnownOfSides {
  bool booted = false;             // by turns, for each letter of a block
  bool windows_of_kernel = false;  // no test of iperf3 asked for a size of its sockets' buffers
};

// The group that has to be declared for this fact: its own, or that of the fact from which it follows.
[[nodiscard]] std::string counts_to(const FactChange& fact, const std::vector<FactChange>& facts,
                                    const KnownOfSides& known);

}  // namespace netperfd::analysis
