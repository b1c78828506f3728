// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes kernels' recordings record by record and compares them with the kernels' own text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "tests/unit/trace/ring/graph_reader.hpp"
#include "tests/unit/trace/ring/recorded_graph.hpp"

namespace netperfd::trace::test {
namespace {

using analysis::GraphEvent;
using analysis::GraphEventKind;

struct Decoded {
  GraphEvent event;
  std::string event_name;  // for other events than calls: "sched_switch"
  std::string text;        // for a mark
};

const EventFormat* format_of(const GraphRecording& recording, std::span<const std::byte> record) {
  const auto type =
      std::to_integer<std::uint32_t>(record[0]) + 256 * std::to_integer<std::uint32_t>(record[1]);
  for (const auto& event : recording.events) {
    if (event.format.id == type) return &event.format;
  }
  return nullptr;
}

// Every record of one CPU, in order.
std::vector<Decoded> decode(const GraphRecording& recording, std::uint32_t cpu) {
  const auto format = GraphFormat::make(recording.events).value();
  std::vector<Decoded> result;
  for (const auto subbuffer : recording.subbuffers(cpu)) {
    SubbufferWalk walk(subbuffer, recording.layout);
    for (RawRecord raw; walk.next(raw);) {
      Decoded decoded;
      const auto* event = format_of(recording, raw.data);
      if (event != nullptr) decoded.event_name = event->name;
      if (!format.read(raw.time, raw.data, decoded.event)) {
        decoded.event.time = raw.time;
        decoded.event.pid =
            static_cast<std::int32_t>(read_number(raw.data, *event->field("common_pid")).value);
      }
      result.push_back(decoded);
    }
    EXPECT_EQ(walk.damage(), "");
  }
  return result;
}

std::string name_of(const GraphRecording& recording, std::uint64_t address) {
  const auto found = recording.symbols.find_function(address);
  if (!found) return "no symbol";
  const std::string name(found->name);
  return found->module.empty() ? name : name + " [" + std::string(found->module) + "]";
}

// function_graph truncates the nanoseconds, the other tracers round.
std::string printed_time(std::uint64_t ns, bool rounded) {
  if (rounded) ns += 500;
  const auto microseconds = std::to_string(ns / 1'000 % 1'000'000);
  return std::to_string(ns / 1'000'000'000) + "." + std::string(6 - microseconds.size(), '0') + microseconds;
}

// The differences; empty if there are none.
std::string compare_duration(const ReadLine& line, const GraphEvent& exit) {
  const auto printed = read_duration(line.duration);
  const auto ns = exit.end - exit.start;
  return printed.least <= ns && ns <= printed.most ? ""
                                                   : line.duration + " us is " + std::to_string(ns) + " ns";
}

std::string compare(const ReadLine& line, const Decoded& decoded, const GraphRecording& recording) {
  if (decoded.event.pid != line.pid) return "of task " + std::to_string(decoded.event.pid);
  const auto time = printed_time(decoded.event.time, line.kind == ReadLine::Kind::hit);
  if (time != line.time) return "at " + time;
  if (line.kind == ReadLine::Kind::comment) {
    if (decoded.event_name == "print") return line.name.find(": ") == std::string::npos ? "" : "is a mark";
    return line.name.starts_with(decoded.event_name + ": ") ? "" : "is a " + decoded.event_name;
  }
  const auto name = name_of(recording, decoded.event.function);
  if (line.kind == ReadLine::Kind::hit) {  // the text does not show modules
    return name.substr(0, name.find(" [")) == line.name && decoded.event_name == "function" ? ""
                                                                                            : "of " + name;
  }
  if (name != line.name) return "of " + name;
  if (decoded.event.depth != line.depth) return "at depth " + std::to_string(decoded.event.depth);
  const bool is_exit = line.kind == ReadLine::Kind::exit;
  if (decoded.event.kind != (is_exit ? GraphEventKind::exit : GraphEventKind::entry)) return "is no such";
  return is_exit ? compare_duration(line, decoded.event) : "";
}

class GraphDecode : public testing::TestWithParam<GraphCase> {};

INSTANTIATE_TEST_SUITE_P(Kernels, GraphDecode, testing::ValuesIn(graph_cases()),
                         [](const auto& which) { return test_name(which.param); });

TEST_P(GraphDecode, gives_each_record_that_the_kernel_prints_and_no_other) {
  const auto recording = graph_recording(GetParam());
  std::map<std::uint32_t, std::vector<Decoded>> records;
  std::map<std::uint32_t, std::size_t> at;
  for (const auto& [cpu, bytes] : recording.cpus) records[cpu] = decode(recording, cpu);
  const auto lines = read_graph_text(recording.text);
  ASSERT_GT(lines.size(), 20U);
  for (const auto& line : lines) {
    const auto& of_cpu = records[line.cpu];
    auto& next = at[line.cpu];
    ASSERT_LT(next, of_cpu.size()) << line.time << ' ' << line.name;
    ASSERT_EQ(compare(line, of_cpu[next], recording), "") << line.time << ' ' << line.name;
    ++next;
    if (line.kind != ReadLine::Kind::leaf) continue;
    ASSERT_LT(next, of_cpu.size()) << line.time << ' ' << line.name;
    const auto& exit = of_cpu[next++].event;
    EXPECT_EQ(exit.kind, GraphEventKind::exit);
    EXPECT_EQ(name_of(recording, exit.function), line.name);
    EXPECT_EQ(exit.depth, line.depth);
    EXPECT_EQ(exit.pid, line.pid);
    EXPECT_EQ(compare_duration(line, exit), "") << line.time << ' ' << line.name;
  }
  for (const auto& [cpu, of_cpu] : records) EXPECT_EQ(at[cpu], of_cpu.size()) << "CPU " << cpu;
}

TEST_P(GraphDecode, comes_to_the_calls_and_times_that_the_text_adds_up_to) {
  const auto recording = graph_recording(GetParam());
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
  for (const auto& [cpu, event] : events) tracker.add(cpu, event);
  const auto profile = tracker.finish(
      [&](std::uint64_t address) { return analysis::FunctionName{name_of(recording, address), "", 0}; });

  const auto expected = read_calls(read_graph_text(recording.text));
  std::map<std::string, const FunctionStats*> ours;
  for (const auto& function : profile.functions) ours[function.name] = &function;
  EXPECT_EQ(ours.size(), expected.functions.size());
  for (const auto& [name, sums] : expected.functions) {
    ASSERT_TRUE(ours.contains(name)) << name;
    EXPECT_EQ(ours[name]->hits, sums.hits) << name;
    EXPECT_GE(ours[name]->recorded_ns.value_or(0), sums.recorded.least) << name;
    EXPECT_LE(ours[name]->recorded_ns.value_or(0), sums.recorded.most) << name;
  }
  const auto& damage = profile.damage;
  EXPECT_EQ(damage.open_at_start + damage.unmatched_exits, expected.exits_alone);
  EXPECT_EQ(damage.open_at_end + damage.unmatched_entries, expected.entries_alone);
  EXPECT_EQ(damage.out_of_order, 0U);
}

}  // namespace
}  // namespace netperfd::trace::test
