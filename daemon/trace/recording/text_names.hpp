// SPDX-License-Identifier: GPL-2.0-or-later
// Names of tasks and functions as in the kernel's texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/task_screen.hpp"

namespace netperfd::trace {

// All results are printable, whatever names an imported file has for tasks and functions. Keeps a bounded
// number of texts.
class TextNames {
 public:
  // All are kept by reference.
  TextNames(const Symbols& symbols, const std::map<std::int32_t, std::string>& tasks,
            const TaskScreen& screen)
      : symbols_(symbols), tasks_(tasks), screen_(screen) {}

  // "iperf3", "<idle>", "<...>", "other" for a hidden task.
  [[nodiscard]] std::string task(std::int32_t pid) const;
  // The task's number, or the one that stands for a hidden task.
  [[nodiscard]] std::int32_t number(std::int32_t pid) const { return screen_.number(pid); }
  // "  iperf3-219   ", with the name truncated to fit. Valid until the next call.
  [[nodiscard]] const std::string& task_column(std::int32_t pid);
  // "hsr_dev_xmit [hsr]"; a token if no symbol is known. Valid until the next call.
  [[nodiscard]] const std::string& function(std::uint64_t address);

 private:
  const Symbols& symbols_;
  const std::map<std::int32_t, std::string>& tasks_;
  const TaskScreen& screen_;
  std::unordered_map<std::int32_t, std::string> columns_;
  std::unordered_map<std::uint64_t, std::string> functions_;
};

}  // namespace netperfd::trace
