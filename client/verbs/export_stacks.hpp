// SPDX-License-Identifier: GPL-2.0-or-later
// What `export` and `compare` make of stacks: text for other tools, and flame graphs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/flame/graph.hpp"

namespace netperfctl {

inline constexpr std::array<const char*, 3> kStackFormats{"folded", "speedscope", "flame"};
[[nodiscard]] bool is_of_stacks(std::string_view format);

// Where stacks come from: "samples", "calls", or empty: samples if there are any.
inline constexpr const char* kSamples = "samples";
inline constexpr const char* kCalls = "calls";

// The stacks of a run in one of kStackFormats. Exit::not_found if it has none.
[[nodiscard]] Outcome<std::string> exported_stacks(Daemon& daemon, std::uint64_t run, std::string_view format,
                                                   const std::string& from);

// The flame graph of a run: of its samples or, without any, of its traced calls. Exit::not_found if it has
// neither.
[[nodiscard]] Outcome<flame::Picture> flame_of_run(Daemon& daemon, std::uint64_t run);

// The differential flame graph of the sampled runs among those compared, with `host` of all tasks.
// Exit::not_found if a side has no samples.
[[nodiscard]] Outcome<flame::Picture> flame_of_difference(Daemon& daemon, const CompareView& view, bool host);

}  // namespace netperfctl
