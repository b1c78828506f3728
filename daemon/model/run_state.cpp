// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/run_state.hpp"

#include <cstddef>

namespace netperfd {
namespace {

constexpr bool rows_stand_in_order_of_the_enum() {
  for (std::size_t i = 0; i < kRunStates.size(); ++i) {
    if (static_cast<std::size_t>(kRunStates[i].state) != i) return false;
  }
  return true;
}
static_assert(rows_stand_in_order_of_the_enum());

const RunStateRow& row(RunState state) {
  return kRunStates.at(static_cast<std::size_t>(state));
}

}  // namespace

std::string_view to_string(RunState state) {
  return row(state).name;
}

std::optional<RunState> parse_run_state(std::string_view name) {
  for (const RunStateRow& candidate : kRunStates) {
    if (candidate.name == name) return candidate.state;
  }
  return std::nullopt;
}

bool parse_word(std::string_view text, RunState& state) {
  const auto parsed = parse_run_state(text);
  if (parsed) state = *parsed;
  return parsed.has_value();
}

bool has_ended(RunState state) {
  return row(state).ended;
}

bool may_follow(RunState from, RunState to) {
  if (has_ended(from)) return false;
  switch (to) {
    case RunState::pending:
      return false;
    case RunState::preparing:
      return from == RunState::pending || from == RunState::collecting;  // for another attempt
    case RunState::running:
      return from == RunState::preparing;
    case RunState::collecting:
      return from == RunState::running;
    case RunState::finished:
      return from == RunState::collecting;
    case RunState::failed:
    case RunState::canceled:
    case RunState::interrupted:
      return true;
  }
  return false;
}

}  // namespace netperfd
