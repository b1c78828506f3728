// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of two selections of runs, as plain data like the rest of client/rows/views.hpp.
// docs/netperfctl.md explains the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/rows/budget_views.hpp"
#include "client/rows/views.hpp"
#include "dbus/rows/comparison.hpp"

namespace netperfctl {

using ComparisonView = netperfd::rows::Comparison;
using ComparedFigureView = netperfd::rows::ComparedFigure;
using FunctionDeltaView = netperfd::rows::FunctionDelta;
using CounterChangeView = netperfd::rows::CounterChange;
using FactChangeView = netperfd::rows::FactChange;

struct ComparisonDetails {
  ComparisonView comparison;
  std::vector<FunctionDeltaView> functions;  // the largest difference first
  std::vector<CounterChangeView> counters;
  std::vector<FactChangeView> facts;
};

// The request of `compare`.
struct CompareRequest {
  std::string a, b;                  // selections of runs
  std::optional<std::uint64_t> job;  // with a design, whose sides they are
  std::vector<std::string> changed;
  bool despite = false;
  std::optional<double> threshold;  // as a share
  // Each NAME or NAME:PERCENT; none: those that the jobs declare.
  std::vector<std::string> figures = {};
};

struct CompareView {
  CompareRequest asked;
  std::string command;  // that repeats it
  bool all = false;     // every function and fact, and retransmits even where they did not move
  ComparisonDetails details;
  // Names of the sides of asked.job; empty if the sides are its plain and its traced runs.
  std::string name_a = {}, name_b = {};
  std::optional<BudgetDetails> budget = {};  // of the trace of asked.job
  UserNames names = {};                      // of the owners of the runs; for text only
};

}  // namespace netperfctl
