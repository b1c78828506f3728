// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of one test of netperf, from its tables or from the keys of its omni tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/workload/tool_runs.hpp"

namespace netperfd::workload {

inline constexpr std::string_view kNetperf = "netperf";

// In bits per second: of "10^6bits", "KBytes" and the like, up to a slash. Absent: no unit of netperf's.
[[nodiscard]] std::optional<double> netperf_unit(std::string_view word);

// What is known of a table before its rows.
struct NetperfTable {
  std::string test;            // "TCP STREAM", in the title's words
  std::optional<double> unit;  // of the throughput
};
enum class TableRow {
  unknown,     // it is none of such a test
  incomplete,  // another row belongs to it
  complete,
};
// `rows` are those read so far, as numbers.
[[nodiscard]] TableRow add_table(const NetperfTable& table, const std::vector<std::vector<double>>& rows,
                                 ToolRun& run);

using NetperfValues = std::map<std::string, std::string, std::less<>>;  // by the key
// The key of a column of -o, in the words of its head; empty for one that is not read.
[[nodiscard]] std::string_view netperf_key(std::string_view column);
// Empty, or what is wrong.
[[nodiscard]] std::string add_values(const NetperfValues& values, ToolRun& run);

}  // namespace netperfd::workload
