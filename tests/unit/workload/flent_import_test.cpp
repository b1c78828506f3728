// SPDX-License-Identifier: GPL-2.0-or-later
// Data files that flent 2.1.1 wrote of a veth pair. The expected values were computed from their raw_values
// by other means.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/model/named_figure_check.hpp"
#include "daemon/workload/flent/import.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string flent_file(const std::string& name) {
  std::ifstream file(recordings_directory().parent_path() / "flent" / (name + ".json"), std::ios::binary);
  if (!file) throw std::runtime_error("no " + name);
  return (std::ostringstream() << file.rdbuf()).str();
}

ToolRun flent_run(const std::string& bytes) {
  auto run = read_flent_text(bytes);
  if (!run) throw std::runtime_error(run.error().message);
  EXPECT_EQ(problem_of(run->figures), "");
  return *std::move(run);
}

std::string flent_error(const std::string& bytes) {
  const auto file = read_flent_file(std::as_bytes(std::span(bytes)));
  if (file) return "imported";
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  return file.error().message;
}

std::string a_series(const std::string& about, const std::string& points, const std::string& raw = "[]") {
  return R"({"metadata": {"NAME": "x", "SERIES_META": {"A b": )" + about + R"(}}, "raw_values": {"A b": )" +
         raw + R"(}, "results": {"A b": )" + points + R"(}, "version": 4, "x_values": [0]})";
}

TEST(Flent, gives_the_rate_that_the_tool_told_and_percentiles_of_what_ping_printed) {
  const ToolRun run = flent_run(flent_file("tcp-1up"));
  EXPECT_THAT(run.figures, ElementsAre(NamedFigure{"tcp_upload", "bits/s", Better::higher, 2'413'750'000},
                                       NamedFigure{"ping_icmp.p50", "ns", Better::lower, 48'000},
                                       NamedFigure{"ping_icmp.mean", "ns", Better::lower, 48'000}));
  EXPECT_THAT(run.facts, Contains(Fact{"flent", "test", "tcp_1up"}));
  EXPECT_THAT(run.facts, Contains(Fact{"flent", "server", "10.77.0.2"}));
  EXPECT_THAT(run.facts, Contains(Fact{"flent", "seconds", "4"}));
}

TEST(Flent, puts_totals_before_sums_averages_and_single_series) {
  std::vector<std::string> names;
  for (const NamedFigure& figure : flent_run(flent_file("rrul-be")).figures) names.push_back(figure.name);
  ASSERT_THAT(names, SizeIs(23));
  names.resize(6);
  EXPECT_THAT(names, ElementsAre("tcp_totals", "tcp_download_sum", "tcp_upload_sum", "tcp_download_avg",
                                 "tcp_upload_avg", "ping_avg.p50"));
}

TEST(Flent, without_a_mean_takes_that_of_the_points_that_there_are) {
  EXPECT_EQ(flent_run(a_series(R"({"UNITS": "Mbits/s"})", "[null, 1, 3, null]")).figures.front().value, 2e6);
  // The tool's own values come before flent's points, which are interpolated.
  EXPECT_EQ(flent_run(a_series(R"({"UNITS": "ms"})", "[9, 9]",
                               R"([{"t": 1, "val": 2}, {"t": 2, "val": 5}, {"t": 3}])"))
                .figures.front(),
            (NamedFigure{"a_b.p50", "ns", Better::lower, 2e6}));
}

TEST(Flent, has_a_high_percentile_only_of_enough_values) {
  std::string raw = "[";
  for (int i = 1; i <= 1000; ++i)
    raw += (i > 1 ? "," : "") + std::string(R"({"val": )") + std::to_string(i) + "}";
  const ToolRun run = flent_run(a_series(R"({"UNITS": "ms"})", "[]", raw + "]"));
  EXPECT_THAT(run.figures, Contains(NamedFigure{"a_b.p99", "ns", Better::lower, 990e6}));
}

TEST(Flent, beyond_the_figures_that_a_run_may_have_leaves_the_last_ones_out) {
  std::string about, results;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "\"S" + std::to_string(i) + "\": ";
    about += (i > 0 ? "," : "") + name + R"({"UNITS": "Mbits/s"})";
    results += (i > 0 ? "," : "") + name + "[1]";
  }
  const ToolRun run = flent_run(R"({"metadata": {"SERIES_META": {)" + about + R"(}}, "results": {)" +
                                results + R"(}, "x_values": []})");
  EXPECT_THAT(run.figures, SizeIs(kMostNamedFigures));
}

TEST(Flent, is_refused_with_what_is_wrong) {
  const std::string whole = flent_file("tcp-1up");
  EXPECT_THAT(flent_error(whole.substr(0, whole.size() / 2)), HasSubstr("no whole JSON document"));
  EXPECT_THAT(flent_error("{}"), HasSubstr("no object \"results\""));
  EXPECT_THAT(flent_error(R"({"metadata": {}, "results": {}, "x_values": []})"), HasSubstr("SERIES_META"));
  EXPECT_THAT(flent_error(a_series("{}", "[1]")), HasSubstr("no series in Mbits/s or ms"));
  EXPECT_THAT(flent_error(a_series(R"({"UNITS": "ms"})", "[null]")), HasSubstr("with a value"));
  EXPECT_THAT(flent_error(a_series(R"({"UNITS": "Mbits/s", "MEAN_VALUE": "x"})", R"(["1", {}, [2]])")),
              HasSubstr("with a value"));
  EXPECT_THAT(flent_error(std::string(1'000'000, '[')), HasSubstr("no whole JSON document"));
}

}  // namespace
}  // namespace netperfd::workload::test
