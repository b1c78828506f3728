// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by their line number in available_filter_functions. For each name that is written to a filter the
// kernel compares the names of all its functions, 60,000 and more; a line number it only looks up
// (kernel/trace/ftrace.c, add_rec_by_index).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace netperfd::trace {

// The numbers, from 1, of the lines with each name: one name may stand for several functions.
using FunctionLines = std::map<std::string, std::vector<std::size_t>>;

// Of each of `wanted` that `list` has, with or without a module after it ("hsr_get_node [hsr]"). The kernel's
// own functions come before those of modules, so their numbers stay valid; those of modules shift when a
// module comes or goes.
[[nodiscard]] FunctionLines lines_of(const std::string& list, std::span<const std::string> wanted);

}  // namespace netperfd::trace
