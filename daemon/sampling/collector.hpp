// SPDX-License-Identifier: GPL-2.0-or-later
// Adds samples up by their paths.
//
// What is known of a task: a process of the workload is a root of its own, with its program's name. All other
// tasks are the root `others`: no name and no number of theirs is kept. The stacks have symbols only.
//
// Idle: a sample of the idle task, unless an interrupt or softirq was running on its stack. That one is work
// of the root `others`, since on an idle CPU packets are received this way.
//
// Memory is limited by the number of paths. A sample whose path finds no room is counted below a frame `more`
// with its innermost function, so that the self time of functions stays right.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/sampling/records.hpp"

namespace netperfd::sampling {

// The function at a kernel address; absent: unknown.
using Namer = std::function<std::optional<analysis::FunctionName>(std::uint64_t address)>;

struct Process {
  pid_t pid = 0;
  std::string name;  // of its program, as far as it is known; it may be renamed
};

struct CollectorSettings {
  Namer name_of;
  std::vector<Process> workload;
  // Whether pid 0 is always the idle task. In a PID namespace, it is also each task outside of it; then the
  // idle task is known by its stack.
  bool zero_is_idle = true;
  std::size_t most_nodes = std::size_t{1} << 16U;
};

class Collector final : public RecordListener {
 public:
  explicit Collector(CollectorSettings settings);

  // Forgets all samples and counts, but not the names of programs.
  void begin();
  // The counts, frames and nodes, without those that no sample needs; the rest of the profile is the
  // caller's.
  [[nodiscard]] SampleProfile profile() const;

  void loaded(const LoadedCode& code) override;
  void sampled(const RawSample& sample) override;
  void renamed(std::int32_t pid, std::string_view name) override;
  void lost(std::uint64_t records) override { counts_.lost += records; }
  void throttled() override { ++counts_.throttled; }
  void damaged() override { ++counts_.damaged; }

 private:
  struct Frame {
    SampleFrame frame;
    bool enters_interrupt = false;
    bool is_idle_loop = false;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] std::optional<analysis::FunctionName> name_at(std::uint64_t address) const;
  [[nodiscard]] std::uint32_t frame_at(std::uint64_t address);
  [[nodiscard]] std::uint32_t frame_of(const SampleFrame& frame);
  [[nodiscard]] std::uint32_t special(FrameKind kind) {
    return frame_of({.kind = kind, .name = "", .module = ""});
  }
  void resolve(const RawSample& sample);  // into path_
  [[nodiscard]] bool is_idle(const RawSample& sample) const;
  [[nodiscard]] std::uint32_t root_of(std::int32_t pid) const;
  [[nodiscard]] std::uint32_t child(std::uint32_t parent, std::uint32_t frame, std::size_t most);
  [[nodiscard]] std::uint32_t node_of(std::uint32_t root);  // of path_

  struct Code {
    std::uint64_t end = 0;
    analysis::FunctionName name;
  };

  CollectorSettings settings_;
  std::map<std::uint64_t, Code>
      loaded_;  // by its first address: what was loaded since, which nobody else names
  SampleProfile counts_;
  std::vector<Frame> frames_;
  std::map<std::pair<FrameKind, analysis::FunctionName>, std::uint32_t> frame_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_address_;
  std::vector<SampleNode> nodes_;  // first the roots: one for each process of the workload, then the others'
  std::unordered_map<std::uint64_t, std::uint32_t> children_;  // by parent and frame
  std::vector<std::uint32_t> path_;  // frames of the current sample, innermost first
};

}  // namespace netperfd::sampling
