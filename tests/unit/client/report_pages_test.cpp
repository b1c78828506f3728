// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the pages that tests/browser/check_reports.py opens.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "client/flame/graph.hpp"
#include "client/pages/render.hpp"
#include "client/report/report.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/samples.hpp"
#include "tests/unit/flame/stacks.hpp"

namespace netperfctl::report {
namespace {

Report page(std::string title, CompareView view, std::size_t runs) {
  Report report;
  report.title = std::move(title);
  report.again = "netperfctl report job:33 -O report.html";
  report.version = "0";
  report.made_us = samples::kNow;
  report.documents.push_back({view.command + " -o json", compare_json(view)});
  report.compared = std::move(view);
  for (std::size_t i = 1; i <= runs; ++i) {
    RunView run;
    run.run = i;
    run.state = i == 7 ? "failed" : "finished";
    run.started_us = samples::kNow + i * samples::kMinute;
    if (i != 7)
      run.received_bits_per_second = (i % 4 < 2 ? 118e6 : 320e6) + static_cast<double>(i * i % 17) * 1e6;
    run.block = static_cast<std::uint32_t>((i - 1) / 4 + 1);
    run.side = i % 4 < 2 ? "A" : "B";
    run.traced = i % 3 == 0;
    report.runs.push_back({run, run.side->front()});
  }
  return report;
}

void add(Report& report, const ShowView& view, std::optional<char> side) {
  ShowView listed = view;
  listed.list_intervals = listed.function_lists.functions = listed.trace_lists.over_time = true;
  report.documents.push_back({"netperfctl show 43 -o json", show_json(listed)});
  report.shown.push_back({view, side ? "typical" : "", side});
}

void write(const std::filesystem::path& file, const Report& report) {
  std::ofstream{file} << html(report);
}

TEST(ReportPages, are_written_for_a_browser) {
  const char* const named = std::getenv("NETPERFD_REPORTS");
  if (named == nullptr) GTEST_SKIP() << "NETPERFD_REPORTS names no directory for them";
  const std::filesystem::path directory{named};
  std::filesystem::create_directories(directory);
  Report compared = page("job:33", samples::witnessed(), 24);
  add(compared, samples::ring(), 'A');
  add(compared, samples::ring(), 'B');
  compared.flames.push_back(flame::difference(flame::compared()));
  write(directory / "comparison.html", compared);
  write(directory / "many.html", page("200 runs", samples::ring_sides(), 200));
  write(directory / "refused.html", page("refused", samples::offload_differs(), 8));

  Report run;
  run.title = "run 43";
  add(run, samples::traced(), {});
  run.runs.push_back({run.shown.front().view.details.run});
  write(directory / "run.html", run);

  const std::string hostile = "</script><script>alert(1)</script>\"></svg><img src=x onerror=alert(2)>";
  Report attacked = page(hostile, samples::witnessed(), 8);
  for (SidedRun& row : attacked.runs) row.run.label = hostile;
  attacked.compared->details.functions.front().function = hostile;
  attacked.documents = {{hostile, compare_json(*attacked.compared)}};
  attacked.flames.push_back({hostile, {hostile}, 10, {{0, 0, 10, hostile, hostile, {}}}});
  write(directory / "hostile.html", attacked);
}

}  // namespace
}  // namespace netperfctl::report
