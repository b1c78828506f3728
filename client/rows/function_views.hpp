// SPDX-License-Identifier: GPL-2.0-or-later
// The function profile of a run, as plain data like the rest of client/rows/views.hpp. Figures ending in _ns
// are nanoseconds; docs/netperfctl.md defines total and self time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dbus/rows/functions.hpp"

namespace netperfctl {

using ProfileView = netperfd::rows::Profile;
using BuildView = netperfd::rows::Build;
using FunctionStatsView = netperfd::rows::FunctionStats;
using FunctionSlicesView = netperfd::rows::FunctionSlices;
using CallEdgeView = netperfd::rows::CallEdge;
using CallNodeView = netperfd::rows::CallNode;

// One function in one time slice; made here of FunctionSlicesView.
struct FunctionSliceView {
  std::string function;
  std::optional<std::string> module;
  std::optional<std::uint32_t> duplicate;
  double start_s = 0, seconds = 0;
  std::uint64_t hits = 0;
  std::optional<std::uint64_t> self_ns;
};

// Calls of one of the busiest functions since the last report of the trace.
struct FunctionHitsView {
  std::string function;
  std::uint64_t hits = 0;
};

struct ProfileDetails {
  ProfileView profile;
  std::vector<BuildView> builds;
  std::vector<FunctionStatsView> functions;  // all, the largest self time first
  std::vector<FunctionSlicesView> slices;    // in the same order; this and the next two where listed
  std::vector<CallEdgeView> edges;           // the largest total time first
  std::vector<CallNodeView> tree;
};

// The lists of functions that the caller of `show` requested in full.
struct FunctionLists {
  bool functions = false, tree = false, callers = false;
};

}  // namespace netperfctl
