// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the task names in saved_cmdlines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "daemon/trace/ring/task_screen.hpp"

namespace netperfd::trace {

// From lines like "4711 iperf3"; adds the idle task, which is not listed. Tasks whose name the kernel no
// longer has are left out.
[[nodiscard]] std::map<std::int32_t, std::string> parse_task_names(std::string_view lines);

// The lines of saved_cmdlines for a recording whose owner may see only some tasks: those that `tasks` shows.
// The idle task comes first, which saved_cmdlines never has: by that, lists_shown_tasks() knows such lines.
[[nodiscard]] std::string shown_task_names(std::string_view lines, const TaskScreen& tasks);
[[nodiscard]] bool lists_shown_tasks(std::string_view lines);

}  // namespace netperfd::trace
