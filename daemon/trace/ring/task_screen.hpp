// SPDX-License-Identifier: GPL-2.0-or-later
// Hides tasks of other users in what is shown of the ring buffers. Whoever traces sees events of the whole
// machine, in the context of whichever task was running.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/trace_record.hpp"

namespace netperfd::trace {

// The name of every hidden task.
inline constexpr const char* kOtherTask = "other";

class TaskScreen {
 public:
  // Whether a task may be shown; asked once for each.
  using Question = std::function<bool(std::int32_t pid)>;
  // Told of tasks that will be asked for, so that all of them can be looked at together.
  using Announcement = std::function<void(const std::set<std::int32_t>& pids)>;

  // Hides nothing.
  TaskScreen() = default;
  // Hides the tasks for which `may_show` is false. The idle task, number 0, is never hidden.
  explicit TaskScreen(Question may_show, Announcement expect = {})
      : may_show_(std::move(may_show)), expect_(std::move(expect)) {}

  // Optional: tasks that are going to be hidden or shown.
  void expect(const std::set<std::int32_t>& pids) const {
    if (expect_) expect_(pids);
  }
  // Adds the tasks that apply() asks for.
  static void add_tasks(std::int32_t pid, const std::vector<EventField>& fields,
                        std::set<std::int32_t>& pids);

  [[nodiscard]] bool hides(std::int32_t pid) const { return number(pid) != pid; }
  // The number that stands for the task: its own, or for a hidden task one above every task's number. The
  // same task keeps it within this object, so that its records can still be told from those of others.
  [[nodiscard]] std::int32_t number(std::int32_t pid) const;

  // Replaces the numbers and names of hidden tasks in the fields of `event`, which occurred while task `pid`
  // was running. If that one is hidden and the event is not among network_events(), all its values are
  // hidden: its programs, their arguments, what they say to the kernel.
  void apply(std::string_view event, std::int32_t pid, std::vector<EventField>& fields) const;

 private:
  Question may_show_;
  Announcement expect_;
  mutable std::map<std::int32_t, std::int32_t> numbers_;  // those asked for so far
  mutable std::int32_t hidden_ = 0;
};

}  // namespace netperfd::trace
