// What must hold of a trace record before the daemon takes it from a process that may have been misled by
// what it read.
#pragma once

#include <cstddef>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::import {

// Of lists. What an honest reader makes stays far below: its own limits are on functions, stacks, slices.
inline constexpr std::size_t kMostCpus = 16'384;
inline constexpr std::size_t kMostEvents = 70'000;
inline constexpr std::size_t kMostSlices = 10'000;
inline constexpr std::size_t kMostSamples = 1'000'000;
inline constexpr std::size_t kMostFields = 1'000;
inline constexpr std::size_t kMostStacks = 20'000;
inline constexpr std::size_t kMostFrames = 1'000;
inline constexpr std::size_t kMostDrops = 20'000;
inline constexpr std::size_t kMostMarks = 10'000;
inline constexpr std::size_t kMostFunctions = 100'000;
inline constexpr std::size_t kMostEdges = 1'000'000;
inline constexpr std::size_t kMostNodes = 100'000;
inline constexpr std::size_t kMostBuckets = 4'096;
inline constexpr std::size_t kMostBuilds = 1'000;
inline constexpr std::size_t kLongestText = 65'536;

// Texts are printable and not long, counts fit a signed number, indices point to what is there, parents stand
// before their children, CPUs, events, functions and edges occur once. invalid_argument with what is not so.
[[nodiscard]] Status check_record(const TraceRecord& record);

}  // namespace netperfd::import
