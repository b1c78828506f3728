// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the lines of function_graph's text, one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/trace/recording/graph_text.hpp"
#include "daemon/trace/recording/text_names.hpp"

namespace netperfd::trace {

// Appends whole lines to a text. The lines of one CPU must be requested in the order of its records: earlier
// lines decide where a change of task is reported, how deep a comment is indented, and which brace needs a
// name.
class GraphLines {
 public:
  // Both are kept by reference. `last_cpu` is the highest CPU number.
  GraphLines(const GraphTextOptions& options, TextNames& names, std::uint32_t last_cpu);

  static void header(std::string& out);
  void leaf(std::string& out, std::uint32_t cpu, const analysis::GraphEvent& entry,
            const analysis::GraphEvent& exit);
  void entry(std::string& out, std::uint32_t cpu, const analysis::GraphEvent& event);
  void exit(std::string& out, std::uint32_t cpu, const analysis::GraphEvent& event);
  void comment(std::string& out, std::uint32_t cpu, std::uint64_t time, std::int32_t pid,
               std::string_view text);
  // `count` of 0: the kernel did not report how many.
  static void lost(std::string& out, std::uint32_t cpu, std::uint64_t count);

 private:
  static constexpr std::size_t kDeepest = 50;  // FTRACE_RETFUNC_DEPTH: the kernel's maximum depth
  struct Cpu {
    std::int32_t last_pid = -1;
    int depth = 0;                               // the depth of a comment at this point
    std::array<std::uint64_t, kDeepest> open{};  // functions by their depth, 0 for none
  };

  void task_change(std::string& out, std::uint32_t cpu, std::int32_t pid);
  void columns(std::string& out, std::uint32_t cpu, std::uint64_t time, std::int32_t pid);
  void arrow(std::string& out, std::uint32_t cpu, const analysis::GraphEvent& event, std::string_view arrow);
  void put_cpu(std::string& out, std::uint32_t cpu) const;

  const GraphTextOptions& options_;
  TextNames& names_;
  std::size_t cpu_digits_;
  std::map<std::uint32_t, Cpu> cpus_;
};

}  // namespace netperfd::trace
