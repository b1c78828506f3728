// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/call_task.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace netperfd::analysis {
namespace {

constexpr std::size_t kFirstTaskSlots = 256;

std::size_t first_slot(std::uint64_t key, std::size_t slots) {
  // The upper bits of the product depend on all bits of the key.
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> (64 - std::countr_zero(slots)));
}

}  // namespace

TaskTable::TaskTable(std::size_t most)
    : most_(std::max<std::size_t>(most, 2)), slots_(kFirstTaskSlots, kNone) {}

std::uint32_t TaskTable::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = first_slot(key, slots_.size());; slot = (slot + 1) & mask) {
    const std::uint32_t index = slots_[slot];
    if (index == kNone || tasks_[index].key == key) return index;
  }
}

std::uint32_t TaskTable::find_or_make(std::uint64_t key, bool& moved) {
  if (const std::uint32_t found = find(key); found != kNone) return found;
  if (tasks_.size() == most_) {
    forget_some();
    moved = true;
  }
  Task task;
  task.key = key;
  // It may be a task that was forgotten: its exits prove nothing about the time before the trace.
  if (forgot_) task.outermost = 0;
  tasks_.push_back(std::move(task));
  const auto index = static_cast<std::uint32_t>(tasks_.size() - 1);
  if (tasks_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, kNone);
    for (std::uint32_t each = 0; each <= index; ++each) put(each);
  } else {
    put(index);
  }
  return index;
}

void TaskTable::put(std::uint32_t index) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = first_slot(tasks_[index].key, slots_.size());
  while (slots_[slot] != kNone) slot = (slot + 1) & mask;
  slots_[slot] = index;
}

std::uint64_t TaskTable::open_calls() const {
  std::uint64_t open = given_up_;
  for (const Task& task : tasks_) open += task.frames.size();
  return open;
}

// Forgets tasks without a call under way first, then those whose last entry is the oldest. It frees at least
// a quarter of the room, so that it need not run again for every new task.
void TaskTable::forget_some() {
  forgot_ = true;
  std::erase_if(tasks_, [](const Task& task) { return task.frames.empty(); });
  const std::size_t keep = most_ - std::max<std::size_t>(most_ / 4, 1);
  if (tasks_.size() > keep) {
    std::ranges::sort(tasks_, std::ranges::greater{},
                      [](const Task& task) { return task.frames.back().entered; });
    for (std::size_t at = keep; at < tasks_.size(); ++at) given_up_ += tasks_[at].frames.size();
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(keep), tasks_.end());
  }
  std::ranges::fill(slots_, kNone);
  for (std::uint32_t index = 0; index < tasks_.size(); ++index) put(index);
}

}  // namespace netperfd::analysis
