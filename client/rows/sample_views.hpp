// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a run: a part of client/rows/views.hpp.
#pragma once

#include <string>
#include <vector>

#include "client/rows/function_views.hpp"
#include "dbus/rows/samples.hpp"

namespace netperfctl {

using SampleProfileView = netperfd::rows::SampleProfile;
using SampledFunctionView = netperfd::rows::SampledFunction;
using SampledStackView = netperfd::rows::SampledStack;
using ComparedSamplesView = netperfd::rows::ComparedSamples;
using ComparedFrameView = netperfd::rows::ComparedFrame;

struct SampledDetails {
  SampleProfileView profile;
  std::vector<BuildView> builds;
  std::vector<SampledFunctionView> functions;  // where listed, the most samples first
  std::vector<SampledStackView> stacks;        // likewise
};

// A function whose samples differ over all places where it runs, as `compare` found.
struct FoundFunction {
  std::string name, module;
  double shift = 0;  // ns per byte of goodput
};

// The samples of two sides.
struct ComparedStacks {
  ComparedSamplesView samples;
  std::vector<ComparedFrameView> frames;  // callers before what they call
  std::vector<FoundFunction> functions;
  std::string words_a, words_b;  // how the user selected the sides
  bool host = false;             // of all tasks
};

}  // namespace netperfctl
