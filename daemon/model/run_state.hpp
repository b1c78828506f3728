// SPDX-License-Identifier: GPL-2.0-or-later
// The states of a run, their names, and the allowed transitions.
//
//   pending -> preparing -> running -> collecting -> finished | failed
//   collecting -> preparing: the server was busy or absent, and the run makes another attempt
//   and from each of the first four: failed | canceled | interrupted
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace netperfd {

enum class RunState {
  pending,      // its job is accepted, it waits for its turn
  preparing,    // its processes exist but wait
  running,      // the workload is running
  collecting,   // the workload has ended, the record is being made
  finished,     // a measurement
  failed,       // no measurement; the run's error says why
  canceled,     // stopped on request
  interrupted,  // the daemon died during the run
};

struct RunStateRow {
  RunState state;
  std::string_view name;  // as in SQL, D-Bus and JSON
  bool ended;
};

inline constexpr std::array<RunStateRow, 8> kRunStates{{
    {RunState::pending, "pending", false},
    {RunState::preparing, "preparing", false},
    {RunState::running, "running", false},
    {RunState::collecting, "collecting", false},
    {RunState::finished, "finished", true},
    {RunState::failed, "failed", true},
    {RunState::canceled, "canceled", true},
    {RunState::interrupted, "interrupted", true},
}};

// What the error of a canceled run begins with, if its job was decided without it.
inline constexpr std::string_view kNotNeeded = "not needed: ";

[[nodiscard]] std::string_view to_string(RunState state);
[[nodiscard]] std::optional<RunState> parse_run_state(std::string_view name);
[[nodiscard]] bool parse_word(std::string_view text, RunState& state);  // as that of Direction
[[nodiscard]] bool has_ended(RunState state);
[[nodiscard]] bool may_follow(RunState from, RunState to);

}  // namespace netperfd
