// SPDX-License-Identifier: GPL-2.0-or-later
// A report: one HTML file that shows a comparison, a job or runs, and needs nothing else. docs/reports.md
// describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/flame/picture.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/rows/views.hpp"

namespace netperfctl::report {

struct SidedRun {
  RunView run;
  std::optional<char> side = {};  // A or B; absent if nothing is compared, or it is on neither side
};

// A run that is shown in full.
struct ShownRun {
  ShowView view;
  std::string why;  // it was chosen, such as "typical of A, plain"; empty: it was asked for
  std::optional<char> side = {};
};

// What the figures are from, as `-o json` prints it.
struct Document {
  std::string command;
  std::string json;
};

struct Report {
  std::string title;  // "job:33"
  std::string again;  // the command that makes this report
  std::uint64_t made_us = 0;
  std::string version;  // of netperfctl
  std::optional<CompareView> compared = {};
  std::string page = {};            // of a job, as text
  std::vector<SidedRun> runs = {};  // in the order in which they were measured
  std::vector<ShownRun> shown = {};
  std::vector<flame::Picture> flames = {};
  std::vector<std::string> missing = {};  // what could not be shown, and why
  std::vector<Document> documents = {};
};

[[nodiscard]] std::string html(const Report& report);

// Indices of the runs to show in full: of each side, or of all runs if there are no sides, the finished plain
// and the finished traced run with the median of the received rates.
[[nodiscard]] std::vector<std::size_t> typical_runs(const std::vector<SidedRun>& runs);

}  // namespace netperfctl::report
