// What must hold of a trace record before the daemon takes it from a process that may have been misled by
// what it read.
#pragma once

#include <cstddef>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::import {

// Of lists: what an honest reader makes keeps within them, by its own limits on functions, stacks, slices.
inline constexpr std::size_t kMostCpus = 16'384;
inline constexpr std::size_t kMostEvents = 70'000;
inline constexpr std::size_t kMostSlices = 600;
inline constexpr std::size_t kMostSamples = 50'000;  // of each name 32
inline constexpr std::size_t kMostFields = 256;
inline constexpr std::size_t kMostStacks = 4'000;
inline constexpr std::size_t kMostFrames = 1'000;
inline constexpr std::size_t kMostDrops = 4'000;
inline constexpr std::size_t kMostMarks = 2'000;
inline constexpr std::size_t kMostFunctions = 20'001;  // "others" are the last
inline constexpr std::size_t kMostEdges = 100'000;
inline constexpr std::size_t kMostNodes = 10'000;
inline constexpr std::size_t kMostBuckets = 4'096;
inline constexpr std::size_t kMostBuilds = 1'000;
inline constexpr std::size_t kLongestText = 65'536;
// Of all lists and texts together, once they are in memory.
inline constexpr std::size_t kMostDecodedBytes = std::size_t{64} << 20;

// Texts are printable and not long, counts fit a signed number, indices point to what is there, parents stand
// before their children, CPUs, events, functions and edges occur once. invalid_argument with what is not so.
[[nodiscard]] Status check_record(const TraceRecord& record);

}  // namespace netperfd::import
