// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/tool_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::workload {

void add_fact(ToolRun& run, std::string_view tool, std::string_view key, std::string_view value) {
  constexpr std::size_t kLongest = 200;
  if (value.empty() || value.size() > kLongest || !is_printable(value)) return;
  if (run.facts.size() >= kMostFactsOfTool ||
      std::ranges::find(run.facts, key, &Fact::key) != run.facts.end())
    return;
  run.facts.push_back({.group = std::string(tool), .key = std::string(key), .value = std::string(value)});
}

void add_figure(ToolRun& run, std::string_view name, std::string_view unit, Better better, double value) {
  if (!std::isfinite(value) || std::ranges::find(run.figures, name, &NamedFigure::name) != run.figures.end())
    return;
  run.figures.push_back(
      {.name = std::string(name), .unit = std::string(unit), .better = better, .value = value});
}

Status check_tool_file(std::string_view bytes) {
  constexpr std::size_t kMostTextBytes = std::size_t{64} << 20U;
  if (bytes.size() <= kMostTextBytes) return {};
  return fail(ErrorKind::invalid_argument, "the text is too large: it has more than 64 MiB");
}

Result<ImportedFile> imported_runs(std::string_view tool, std::vector<ToolRun> runs) {
  if (runs.empty())
    return fail(ErrorKind::invalid_argument, fmt::format("there is no result of {} in it", tool));
  if (runs.size() >= kMostRunsOfFile) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("it has the results of {} runs or more; fewer are read from one file: divide it",
                            kMostRunsOfFile));
  }
  ImportedFile imported;
  const bool several = runs.size() > 1;
  for (ToolRun& run : runs) {
    ImportedWorkload workload;
    workload.tool = tool;
    workload.facts = std::move(run.facts);
    workload.figures = std::move(run.figures);
    workload.flags = std::move(run.flags);
    std::string raw = several ? std::move(run.text) : std::string();
    if (!imported.workload) {
      imported.workload = std::move(workload);
      imported.raw = std::move(raw);
    } else {
      imported.more.push_back({.workload = std::move(workload), .raw = std::move(raw)});
    }
  }
  return imported;
}

std::unexpected<Error> refuse_line(std::size_t line, std::string_view why) {
  return fail(ErrorKind::invalid_argument, fmt::format("line {}: {}", line, why));
}

}  // namespace netperfd::workload
