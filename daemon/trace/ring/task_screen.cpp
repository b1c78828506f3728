// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/task_screen.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "daemon/model/event_patterns.hpp"

namespace netperfd::trace {
namespace {

constexpr std::int32_t kHighestPid = 4'194'304;  // PID_MAX_LIMIT of 64 bits

constexpr std::string_view kName = "comm";

bool is_name(std::string_view field) {
  return field.ends_with(kName);  // also oldcomm and newcomm of task:task_rename
}

bool is_number(std::string_view field) {
  for (const std::string_view kind : {"pid", "tgid", "tid"}) {
    if (field == kind) return true;
    if (field.ends_with(kind) && field[field.size() - kind.size() - 1] == '_') return true;
  }
  return false;
}

std::optional<std::int32_t> number_in(const EventField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return static_cast<std::int32_t>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
    return static_cast<std::int32_t>(*number);
  }
  return std::nullopt;
}

void hide(EventField& field) {
  field.value = std::string(kOtherTask);
  field.text.clear();
}

// Of "prev_comm": "prev_pid". A name without a number beside it is the current task's.
std::int32_t task_of_name(std::string_view field, const std::vector<EventField>& fields,
                          std::int32_t current) {
  const std::string number = std::string(field.substr(0, field.size() - kName.size())) + "pid";
  const auto found = std::ranges::find(fields, number, &EventField::name);
  if (found == fields.end()) return current;
  return number_in(*found).value_or(current);
}

}  // namespace

std::int32_t TaskScreen::number(std::int32_t pid) const {
  if (!may_show_ || pid == 0) return pid;
  const auto [found, is_new] = numbers_.try_emplace(pid, pid);
  if (is_new && !may_show_(pid)) {
    if (hidden_ < std::numeric_limits<std::int32_t>::max() - kHighestPid) ++hidden_;
    found->second = kHighestPid + hidden_;
  }
  return found->second;
}

void TaskScreen::add_tasks(std::int32_t pid, const std::vector<EventField>& fields,
                           std::set<std::int32_t>& pids) {
  pids.insert(pid);
  for (const EventField& field : fields) {
    if (is_name(field.name)) {
      pids.insert(task_of_name(field.name, fields, pid));
    } else if (const auto task = is_number(field.name) ? number_in(field) : std::nullopt) {
      pids.insert(*task);
    }
  }
}

void TaskScreen::apply(std::string_view event, std::int32_t pid, std::vector<EventField>& fields) const {
  if (!may_show_) return;
  const bool hides_all = hides(pid) && !fits_event(network_events(), event);
  const std::vector<EventField> original = fields;
  for (EventField& field : fields) {
    if (is_name(field.name)) {
      if (hides_all || hides(task_of_name(field.name, original, pid))) hide(field);
    } else if (const auto task = is_number(field.name) ? number_in(field) : std::nullopt) {
      if (!hides(*task)) continue;
      field.value = std::int64_t{number(*task)};
      field.text.clear();
    } else if (hides_all) {
      hide(field);
    }
  }
}

}  // namespace netperfd::trace
