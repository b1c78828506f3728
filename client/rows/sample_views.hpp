// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a run: a part of client/rows/views.hpp.
#pragma once

#include <vector>

#include "client/rows/function_views.hpp"
#include "dbus/rows/samples.hpp"

namespace netperfctl {

using SampleProfileView = netperfd::rows::SampleProfile;
using SampledFunctionView = netperfd::rows::SampledFunction;
using SampledStackView = netperfd::rows::SampledStack;

struct SampledDetails {
  SampleProfileView profile;
  std::vector<BuildView> builds;
  std::vector<SampledFunctionView> functions;  // where listed, the most samples first
  std::vector<SampledStackView> stacks;        // likewise
};

}  // namespace netperfctl
