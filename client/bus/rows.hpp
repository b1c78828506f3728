// SPDX-License-Identifier: GPL-2.0-or-later
// Converts D-Bus rows to views. The member of an absent key stays empty. A key with another type than in the
// XML throws sdbus::Error.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "client/rows/fields.hpp"
#include "client/rows/views.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfctl {

template <class View>
[[nodiscard]] std::vector<View> from_rows(const netperfd::dbus::Rows& rows);

// A value of any type that the kernel uses.
inline void decode(const sdbus::Variant& from, std::variant<std::int64_t, std::uint64_t, std::string>& to) {
  if (from.containsValueOfType<std::int64_t>()) {
    to = from.get<std::int64_t>();
  } else if (from.containsValueOfType<std::uint64_t>()) {
    to = from.get<std::uint64_t>();
  } else {
    to = from.get<std::string>();
  }
}
template <class Word>
  requires std::is_enum_v<Word>
void decode(const sdbus::Variant& from, Word& to) {
  const auto text = from.get<std::string>();
  if (parse_word(text, to)) return;
  throw netperfd::dbus::make_error(netperfd::dbus::error::kInternal,
                                   fmt::format("a row of the daemon holds the unknown word `{}`", text));
}
template <class Value>
  requires(!std::is_enum_v<Value>)
void decode(const sdbus::Variant& from, Value& to) {
  to = from.get<Value>();
}
template <netperfd::rows::Described View>
void decode(const sdbus::Variant& from, std::vector<View>& to) {
  to = from_rows<View>(from.get<netperfd::dbus::Rows>());
}

template <class View>
[[nodiscard]] View from_row(const netperfd::dbus::Row& row) {
  View view;
  each_field(view, [&row](std::string_view key, auto& member, std::string_view /*unit*/) {
    const auto value = row.find(std::string{key});
    if constexpr (requires { member.has_value(); }) {
      if (value != row.end()) decode(value->second, member.emplace());
    } else {
      if (value == row.end()) {
        throw netperfd::dbus::make_error(netperfd::dbus::error::kInternal,
                                         fmt::format("a row of the daemon has no `{}`", key));
      }
      decode(value->second, member);
    }
  });
  return view;
}

template <class View>
[[nodiscard]] std::vector<View> from_rows(const netperfd::dbus::Rows& rows) {
  std::vector<View> views;
  for (const auto& row : rows) views.push_back(from_row<View>(row));
  return views;
}

// The keys of the property Design, all absent if the job has none.
inline void apply_design(LiveJobView& job, const netperfd::dbus::Row& design) {
  const auto given = from_row<netperfd::rows::Design>(design);
  job.blocks = given.blocks;
  job.variant_a = given.variant_a;
  job.variant_b = given.variant_b;
  job.plain = given.plain;
  job.seed = given.seed;
  job.changed = given.changed;
  job.block = given.block;
  job.letter = given.letter;
  job.variant = given.variant;
  job.traced = given.traced;
}

// Brings `job` up to date with properties of a Job object, all of them or those that changed. What the
// properties have to say with an empty or zero value, since D-Bus knows no absent property, is absent in the
// view. `Properties` maps names, which are strings in one sdbus-c++ and a type of their own in the other, to
// variants.
template <class Properties>
void apply_properties(LiveJobView& job, const Properties& properties) {
  const auto take = [&properties]<class Value>(const char* name, std::optional<Value>& member,
                                               bool zero_is_absent) {
    const auto property = properties.find(typename Properties::key_type{name});
    if (property == properties.end()) return;
    const auto value = property->second.template get<Value>();
    member = zero_is_absent && value == Value{} ? std::nullopt : std::optional<Value>{value};
  };
  std::optional<std::uint64_t> id;
  take("Id", id, false);
  job.job = id.value_or(job.job);
  take("Scenario", job.scenario, false);
  take("Label", job.label, true);
  take("Owner", job.owner, false);
  take("Runs", job.runs, false);
  take("PlannedSeconds", job.planned_s, true);
  take("State", job.state, false);
  take("RunsEnded", job.runs_ended, false);
  take("RunsFinished", job.runs_finished, false);
  take("CurrentRun", job.current_run, true);
  take("RunState", job.run_state, false);
  take("Progress", job.progress, false);
  take("Error", job.error, true);
  take("Purpose", job.purpose, true);
  take("QueuePosition", job.queue_position, false);
  take("ExpectedEnd", job.expected_end_us, true);
  take("Waiting", job.waiting, true);
  take("Boots", job.boots, true);
  take("BootsPlanned", job.boots_planned, true);
  take("Side", job.side, true);
  const auto design = properties.find(typename Properties::key_type{"Design"});
  if (design != properties.end()) apply_design(job, design->second.template get<netperfd::dbus::Row>());
}

}  // namespace netperfctl
