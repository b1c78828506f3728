// SPDX-License-Identifier: GPL-2.0-or-later
// What other tools than iperf3 print, as runs to import.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/named_figure.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::workload {

inline constexpr const char* kNanoseconds = "ns";

// One test. Its first figure is the one that a comparison judges; a name is there once.
struct ToolRun {
  std::vector<Fact> facts;
  std::vector<NamedFigure> figures;
  std::string text;                // its lines
  std::vector<QualityFlag> flags;  // on its figures
};

// Adds a fact of the tool, if its value can be shown; of a key that is there already, nothing.
void add_fact(ToolRun& run, std::string_view tool, std::string_view key, std::string_view value);
// Adds a figure, if there is none of this name and its value is finite.
void add_figure(ToolRun& run, std::string_view name, std::string_view unit, Better better, double value);

// Beyond these sizes a file is none of such a tool. invalid_argument then.
[[nodiscard]] Status check_tool_file(std::string_view bytes);

// Each test as a run, with its own lines if there are several. invalid_argument if there is none, or
// kMostRunsOfFile.
[[nodiscard]] Result<ImportedFile> imported_runs(std::string_view tool, std::vector<ToolRun> runs);

[[nodiscard]] std::unexpected<Error> refuse_line(std::size_t line, std::string_view why);

}  // namespace netperfd::workload
