// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's own text of a recording must give the same profile as its binary records.
#include "daemon/trace/recording/graph_text_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "tests/unit/trace/recording/graph_text_support.hpp"
#include "tests/unit/trace/ring/graph_reader.hpp"
#include "tests/unit/trace/ring/recorded_graph.hpp"

namespace netperfd::trace::test {
namespace {

using analysis::GraphEvent;
using analysis::GraphEventKind;

// ---- Texts of real kernels --------------------------------------------------------------------------------

using ByName = std::map<std::string, FunctionStats>;

// Sums by name as in the text, which cannot distinguish functions of the same name.
ByName by_name(const FunctionProfile& profile) {
  ByName functions;
  for (const FunctionStats& function : profile.functions) {
    functions[function.module.empty() ? function.name : function.name + " [" + function.module + "]"] =
        function;
  }
  return functions;
}

// Like the text, it does not distinguish interrupts.
ByName from_records(const GraphRecording& recording) {
  std::vector<std::pair<std::uint32_t, GraphEvent>> events;
  const auto format = GraphFormat::make(recording.events).value();
  for (const auto& [cpu, bytes] : recording.cpus) {
    for (const auto subbuffer : recording.subbuffers(cpu)) {
      SubbufferWalk walk(subbuffer, recording.layout);
      GraphEvent event;
      for (RawRecord raw; walk.next(raw);) {
        if (format.read(raw.time, raw.data, event)) events.emplace_back(cpu, event);
      }
    }
  }
  std::ranges::stable_sort(events, {}, [](const auto& event) { return event.second.time; });
  analysis::CallTracker tracker({});
  for (auto& [cpu, event] : events) {
    event.context = analysis::ContextRank::task;
    tracker.add(cpu, event);
  }
  return by_name(tracker.finish([&](std::uint64_t address) {
    const auto found = recording.symbols.find_function(address);
    return found ? analysis::FunctionName{std::string(found->name), std::string(found->module), 0}
                 : analysis::FunctionName{"no symbol", "", 0};
  }));
}

// Recordings of function_graph, without those of the function tracer.
std::vector<GraphCase> graph_text_cases() {
  std::vector<GraphCase> cases = graph_cases();
  std::erase_if(cases, [](const GraphCase& which) { return which.name.starts_with("function"); });
  return cases;
}

class GraphTextRecord : public testing::TestWithParam<GraphCase> {};

INSTANTIATE_TEST_SUITE_P(Kernels, GraphTextRecord, testing::ValuesIn(graph_text_cases()),
                         [](const auto& which) { return test_name(which.param); });

// The tolerance of a time: each duration is truncated at its last digit, and stamps, which give the time a
// task slept, are truncated to microseconds.
void expect_near(std::optional<std::uint64_t> text, std::optional<std::uint64_t> records,
                 const FunctionStats& function, const char* what) {
  double off = static_cast<double>(function.hits + function.callees) + 1;
  off += static_cast<double>(function.recorded_ns.value()) * 1e-6;  // long durations have fewer digits
  if (function.off_cpu_ns.value() > 0) off += 2'000.0 * static_cast<double>(function.hits + function.callees);
  EXPECT_LE(std::abs(static_cast<double>(text.value()) - static_cast<double>(records.value())), off)
      << function.name << ": " << what << " of the text " << *text << ", of the records " << *records;
}

TEST_P(GraphTextRecord, has_the_calls_and_times_of_the_records) {
  const auto recording = graph_recording(GetParam());
  const auto file = read(recording.text);
  ASSERT_TRUE(file) << file.error().message;
  const ByName text = by_name(*file->trace->profile), records = from_records(recording);
  EXPECT_GT(records.size(), 1U);
  for (const auto& [name, expected] : records) {
    ASSERT_TRUE(text.contains(name)) << name;
    const FunctionStats& function = text.at(name);
    EXPECT_EQ(function.hits, expected.hits) << name;
    EXPECT_EQ(function.callees, expected.callees) << name;
    EXPECT_EQ(function.roots, expected.roots) << name;
    expect_near(function.recorded_ns, expected.recorded_ns, expected, "recorded time");
    expect_near(function.total_ns, expected.total_ns, expected, "total time");
    expect_near(function.self_ns, expected.self_ns, expected, "self time");
  }
  EXPECT_EQ(text.size(), records.size());
}

TEST_P(GraphTextRecord, leaves_the_calls_alone_that_the_text_leaves_alone) {
  const auto recording = graph_recording(GetParam());
  const auto expected = read_calls(read_graph_text(recording.text));
  const CallDamage damage = profile_of(recording.text).damage;
  EXPECT_EQ(damage.open_at_start + damage.unmatched_exits, expected.exits_alone);
  EXPECT_EQ(damage.open_at_end + damage.unmatched_entries, expected.entries_alone);
}

// Removes columns as with nofuncgraph-abstime, -proc and -tail together: what remains are a kernel's default
// columns.
std::string with_default_columns(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const auto cpu = line.find(')');
    if (line.starts_with('#') || line.find(" => ") != std::string::npos || line.size() < 3 ||
        cpu == std::string::npos || line.find('|') == std::string::npos || line.find('|') > cpu) {
      result += line + '\n';
      continue;
    }
    std::size_t begin = line.rfind(' ', cpu - 1);
    while (begin > 0 && line[begin - 1] == ' ') --begin;
    const std::size_t bar = line.find('|', cpu);
    std::string rest = line.substr(bar + 1);
    if (const auto tail = rest.find("} /* "); tail != std::string::npos) rest.resize(tail + 1);
    result += " " + line.substr(cpu - 1, 2) + rest + '\n';
  }
  return result;
}

TEST_P(GraphTextRecord, needs_neither_stamps_nor_tasks_nor_tails) {
  // The first exits of a text without tails belong to calls whose names appear only in the tails.
  const auto recording = graph_recording(GetParam());
  const ByName whole = by_name(profile_of(recording.text));
  const auto bare = read(with_default_columns(recording.text));
  ASSERT_TRUE(bare) << bare.error().message;
  const ByName text = by_name(*bare->trace->profile);
  for (const auto& [name, expected] : whole) {
    if (expected.hits == 0) continue;
    ASSERT_TRUE(text.contains(name)) << name;
    EXPECT_EQ(text.at(name).hits, expected.hits) << name;
    EXPECT_EQ(text.at(name).recorded_ns, expected.recorded_ns) << name;
  }
  EXPECT_FALSE(bare->trace->profile->off_cpu_known);
}

TEST(GraphTextRecordOfLosses, takes_no_later_call_for_one_of_an_interrupt_whose_end_was_lost) {
  const std::string begin =
      "# tracer: function_graph\n"
      " 0)   ==========> |\n"
      " 0)   1.000 us    |  sysvec_apic();\n";
  const auto interrupt_roots_of_later = [&](const std::string& lost) {
    const auto profile = profile_of(begin + lost + " 0)   2.000 us    |  ip_rcv();\n");
    const auto found = std::ranges::find(profile.functions, "ip_rcv", &FunctionStats::name);
    return found == profile.functions.end() ? ~std::uint64_t{0} : found->interrupt_roots;
  };
  EXPECT_EQ(interrupt_roots_of_later(""), 1U);
  EXPECT_EQ(interrupt_roots_of_later("CPU:0 [LOST 900 EVENTS]\n"), 0U);
}

// The report of trace-cmd 3.1.6 on the recording, by function.
TEST(GraphTextRecordOfReport, is_that_of_the_trace_dat_it_was_made_of) {
  const std::string directory = NETPERFD_TEST_DATA "/trace-dat/";
  std::ifstream text_file(directory + "v6.report"), dat_file(directory + "v6.dat", std::ios::binary);
  std::ostringstream text, dat;
  text << text_file.rdbuf();
  dat << dat_file.rdbuf();
  const std::string bytes = dat.str();
  const auto binary = record_of_trace_dat(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(binary) << binary.error().message;
  const auto report = read(text.str());
  ASSERT_TRUE(report) << report.error().message;
  const FunctionProfile& expected = *binary->profile;
  std::map<std::string, FunctionStats> found;
  for (const FunctionStats& function : report->trace->profile->functions) found[function.name] = function;
  ASSERT_EQ(found.size(), expected.functions.size());
  for (const FunctionStats& function : expected.functions) {
    ASSERT_TRUE(found.contains(function.name)) << function.name;
    EXPECT_EQ(found[function.name].hits, function.hits) << function.name;
    expect_near(found[function.name].recorded_ns, function.recorded_ns, function, "recorded time");
  }
}

}  // namespace
}  // namespace netperfd::trace::test
