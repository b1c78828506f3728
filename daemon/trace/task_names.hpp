// The names of tasks as saved_cmdlines has them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace netperfd::trace {

// From lines like "4711 iperf3"; with the idle task, which is not among them. Tasks whose name the kernel has
// forgotten are left out.
[[nodiscard]] std::map<std::int32_t, std::string> parse_task_names(std::string_view lines);

}  // namespace netperfd::trace
