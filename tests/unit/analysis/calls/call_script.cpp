// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/analysis/calls/call_script.hpp"

#include <fmt/format.h>

#include <optional>

namespace netperfd::analysis {

std::vector<std::string> edges(const FunctionProfile& profile) {
  std::vector<std::string> lines;
  for (const CallEdge& edge : profile.edges) {
    lines.push_back(fmt::format("{}>{} {} {}", profile.functions.at(edge.caller).name,
                                profile.functions.at(edge.callee).name, edge.hits, edge.total_ns));
  }
  return lines;
}

namespace {

std::string shown(std::optional<std::uint64_t> time) {
  return time ? fmt::format("{}", *time) : "-";
}

}  // namespace

std::vector<std::string> tree(const FunctionProfile& profile) {
  std::vector<std::string> paths, lines;
  for (const CallNode& node : profile.tree) {
    const std::string& name = profile.functions.at(node.function).name;
    paths.push_back(node.parent ? paths.at(*node.parent) + ">" + name
                                : (node.in_interrupt ? "!" : "") + name);
    lines.push_back(
        fmt::format("{} {} {} {}", paths.back(), node.hits, shown(node.total_ns), shown(node.self_ns)));
  }
  return lines;
}

}  // namespace netperfd::analysis
