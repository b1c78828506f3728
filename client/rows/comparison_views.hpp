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
#include "dbus/rows/sweep.hpp"

namespace netperfctl {

using ComparisonView = netperfd::rows::Comparison;
using ComparedFigureView = netperfd::rows::ComparedFigure;
using FunctionDeltaView = netperfd::rows::FunctionDelta;
using CounterChangeView = netperfd::rows::CounterChange;
using FactChangeView = netperfd::rows::FactChange;
using SweepHeadView = netperfd::rows::Sweep;
using SweepFigureView = netperfd::rows::SweepFigure;
using SweepTrendView = netperfd::rows::SweepTrend;

struct ComparisonDetails {
  ComparisonView comparison;
  std::vector<FunctionDeltaView> functions;  // as the daemon orders them: dbus/rows/found.hpp
  std::vector<CounterChangeView> counters;
  std::vector<FactChangeView> facts;
};

struct SweepDetails {
  SweepHeadView sweep;
  std::vector<SweepFigureView> figures;  // by point
  std::vector<SweepTrendView> trends;
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
  std::optional<std::uint32_t> point = {};  // of the sweep of `job`, which alone is compared
};

// On what a side was measured: its first run.
struct SettingView {
  RunView run;
  std::optional<EnvironmentView> environment;  // absent: not recorded
};

struct CompareView {
  CompareRequest asked;
  std::string command;  // that repeats it
  bool all = false;     // every function and fact, and retransmits even where they did not move
  ComparisonDetails details;
  // Names of the sides of asked.job; empty if the sides are its plain and its traced runs.
  std::string name_a = {}, name_b = {};
  std::optional<BudgetDetails> budget = {};                   // of the trace of asked.job
  UserNames names = {};                                       // of the owners of the runs; for text only
  std::optional<SettingView> setting_a = {}, setting_b = {};  // for mails and the like only
};

// The sides of a sweep, at all of its points.
struct SweepView {
  CompareRequest asked;  // with its job
  std::string command;   // that repeats it
  bool all = false;      // every trend, and the caveats of every point
  SweepDetails details;
  std::string scenario = {};                // empty: not known
  std::optional<SettingView> setting = {};  // of the job's first run; for mails and the like only
};

}  // namespace netperfctl
