// Parses the task names in saved_cmdlines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace netperfd::trace {

// From lines like "4711 iperf3"; adds the idle task, which is not listed. Tasks whose name the kernel no
// longer has are left out.
[[nodiscard]] std::map<std::int32_t, std::string> parse_task_names(std::string_view lines);

}  // namespace netperfd::trace
