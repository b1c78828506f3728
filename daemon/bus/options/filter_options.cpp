// SPDX-License-Identifier: GPL-2.0-or-later
// The filters of lists.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/bus/options/option_keys.hpp"
#include "daemon/bus/options/options.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::bus {
namespace {

constexpr std::array<Key, 11> kFilterKeys{{
    {"job", "t", "an unsigned 64-bit number"},
    {"scenario", "s", "a string"},
    {"label", "s", "a string"},
    {"state", "s", "a string"},
    {"purpose", "s", "a string"},
    {"variant", "s", "a string"},
    {"traced", "b", "a boolean"},
    {"since", "t", "an unsigned 64-bit number"},
    {"until", "t", "an unsigned 64-bit number"},
    {"owner", "s", "a string"},
    {"selection", "s", "a string"},
}};

constexpr std::array<Key, 6> kJobFilterKeys{{
    {"scenario", "s", "a string"},
    {"label", "s", "a string"},
    {"purpose", "s", "a string"},
    {"since", "t", "an unsigned 64-bit number"},
    {"until", "t", "an unsigned 64-bit number"},
    {"owner", "s", "a string"},
}};

constexpr std::array<Key, 5> kAuditFilterKeys{{
    {"user", "u", "an unsigned 32-bit number"},
    {"action", "s", "a string"},
    {"outcome", "s", "a string"},
    {"since", "t", "an unsigned 64-bit number"},
    {"until", "t", "an unsigned 64-bit number"},
}};

constexpr std::array<Key, 2> kFunctionFilterKeys{{
    {"module", "s", "a string"},
    {"pattern", "s", "a string"},
}};

Result<WallTime> to_time(const char* key, std::uint64_t microseconds) {
  if (microseconds > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return invalid(
        fmt::format("filter \"{}\": {} is not a time in microseconds since 1970", key, microseconds));
  }
  return WallTime{std::chrono::microseconds{static_cast<std::int64_t>(microseconds)}};
}

Result<RunState> to_state(const std::string& name) {
  if (const auto state = parse_run_state(name)) return *state;
  std::vector<std::string_view> known;
  known.reserve(kRunStates.size());
  for (const RunStateRow& each : kRunStates) known.push_back(each.name);
  return invalid(fmt::format("filter \"state\": {} is not a state of a run; allowed are {}", in_quotes(name),
                             fmt::join(known, ", ")));
}

// A list shows what everybody has, unless it is asked for less.
Result<core::Owner> listed_owner(const dbus::Row& filter, uid_t caller) {
  return core::parse_owner(value_of<std::string>(filter, "owner").value_or("any"), caller);
}

}  // namespace

Result<core::AuditFilter> parse_audit_filter(const dbus::Row& filter) {
  if (auto checked = check_keys(filter, "filter", kAuditFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::AuditFilter parsed;
  parsed.uid = value_of<std::uint32_t>(filter, "user");
  parsed.action = value_of<std::string>(filter, "action");
  if (auto checked = check_line("action", parsed.action.value_or(""), kNameLimit); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (const auto name = value_of<std::string>(filter, "outcome")) {
    if (!parse_word(*name, parsed.outcome.emplace())) {
      return invalid(fmt::format(
          "filter \"outcome\": {} is not an outcome; there are allowed, refused, failed", in_quotes(*name)));
    }
  }
  for (const auto& [key, bound] : {std::pair{"since", &parsed.since}, std::pair{"until", &parsed.until}}) {
    const auto given = value_of<std::uint64_t>(filter, key);
    if (!given) continue;
    const auto time = to_time(key, *given);
    if (!time) return std::unexpected(time.error());
    *bound = *time;
  }
  return parsed;
}

Result<core::RunFilter> parse_run_filter(const dbus::Row& filter, uid_t caller) {
  if (auto checked = check_keys(filter, "filter", kFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::RunFilter parsed;
  // A number that no job can have is a filter without matches, not an error.
  if (const auto job = value_of<std::uint64_t>(filter, "job")) {
    parsed.job = static_cast<JobId>(std::min<std::uint64_t>(*job, std::numeric_limits<JobId>::max()));
  }
  parsed.scenario = value_of<std::string>(filter, "scenario");
  parsed.label = value_of<std::string>(filter, "label");
  if (const auto name = value_of<std::string>(filter, "state")) {
    const auto state = to_state(*name);
    if (!state) return std::unexpected(state.error());
    parsed.state = *state;
  }
  if (const auto name = value_of<std::string>(filter, "purpose")) {
    const auto purpose = to_purpose("filter", *name);
    if (!purpose) return std::unexpected(purpose.error());
    parsed.purpose = *purpose;
  }
  parsed.variant = value_of<std::string>(filter, "variant");
  parsed.traced = value_of<bool>(filter, "traced");
  const auto owner = listed_owner(filter, caller);
  if (!owner) return std::unexpected(owner.error());
  parsed.owner = *owner;
  for (const auto& [key, bound] : {std::pair{"since", &parsed.since}, std::pair{"until", &parsed.until}}) {
    const auto microseconds = value_of<std::uint64_t>(filter, key);
    if (!microseconds) continue;
    const auto time = to_time(key, *microseconds);
    if (!time) return std::unexpected(time.error());
    *bound = *time;
  }
  return parsed;
}

Result<std::optional<core::RunSelection>> parse_listed_selection(const dbus::Row& filter, uid_t caller) {
  if (auto checked = check_keys(filter, "filter", kFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const auto text = value_of<std::string>(filter, "selection");
  if (!text) return std::optional<core::RunSelection>{};
  for (const auto& [key, value] : filter) {
    if (key == "selection" || key == "state" || key == "owner") continue;
    return invalid(fmt::format("filter \"{}\" stands beside \"selection\", which has a term for it", key));
  }
  const auto unsaid = listed_owner(filter, caller);
  if (!unsaid) return std::unexpected(unsaid.error());
  auto selection = core::parse_selection(*text, caller, *unsaid);
  if (!selection) return std::unexpected(std::move(selection.error()));
  // A list shows what there is; only a comparison takes nothing but results.
  const auto states = parse_run_filter(filter, caller);
  if (!states) return std::unexpected(states.error());
  selection->filter.state = states->state;
  selection->filter.purpose.reset();
  return std::optional{std::move(*selection)};
}

Result<core::RunFilter> parse_job_filter(const dbus::Row& filter, uid_t caller) {
  if (auto checked = check_keys(filter, "filter", kJobFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  return parse_run_filter(filter, caller);
}

Result<core::FunctionFilter> parse_function_filter(const dbus::Row& filter) {
  if (auto checked = check_keys(filter, "filter", kFunctionFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::FunctionFilter parsed;
  parsed.module = value_of<std::string>(filter, "module");
  parsed.pattern = value_of<std::string>(filter, "pattern").value_or("");
  if (auto checked = check_line("module", parsed.module.value_or(""), kNameLimit); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = check_line("pattern", parsed.pattern, kPatternLimit); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  return parsed;
}

}  // namespace netperfd::bus
