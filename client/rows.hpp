// D-Bus rows to views. A key that is absent stays empty; a key of another type than the XML says throws
// sdbus::Error.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/fields.hpp"
#include "client/views.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfctl {

// The fields of one event, aa{sv}: each value of the type that it has in the kernel.
[[nodiscard]] inline std::vector<SampleFieldView> sample_fields(const sdbus::Variant& rows) {
  std::vector<SampleFieldView> fields;
  for (const auto& row : rows.get<netperfd::dbus::Rows>()) {
    const sdbus::Variant& value = row.at("value");
    SampleFieldView view{.name = row.at("name").get<std::string>(), .value = {}, .text = {}};
    if (value.containsValueOfType<std::int64_t>()) {
      view.value = value.get<std::int64_t>();
    } else if (value.containsValueOfType<std::uint64_t>()) {
      view.value = value.get<std::uint64_t>();
    } else {
      view.value = value.get<std::string>();
    }
    if (const auto text = row.find("text"); text != row.end()) view.text = text->second.get<std::string>();
    fields.push_back(std::move(view));
  }
  return fields;
}

template <class View>
[[nodiscard]] View from_row(const netperfd::dbus::Row& row) {
  View view;
  each_field(view, [&row](const char* key, auto& member, const char* = "") {
    using Member = std::remove_cvref_t<decltype(member)>;
    const auto value = row.find(key);
    if constexpr (std::is_same_v<Member, std::optional<std::vector<SampleFieldView>>>) {
      if (value != row.end()) member = sample_fields(value->second);
    } else if constexpr (requires { typename Member::value_type; } && !std::is_same_v<Member, std::string>) {
      if (value != row.end()) member = value->second.get<typename Member::value_type>();
    } else {
      if (value == row.end()) {
        throw netperfd::dbus::make_error(netperfd::dbus::error::kInternal,
                                         fmt::format("a row of the daemon has no `{}`", key));
      }
      member = value->second.get<Member>();
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

// The keys of the property Design, all absent of a job without one.
inline void apply_design(LiveJobView& job, const netperfd::dbus::Row& design) {
  const auto take = [&design]<class Value>(const char* key, std::optional<Value>& member) {
    const auto value = design.find(key);
    if (value != design.end()) member = value->second.get<Value>();
  };
  take("blocks", job.blocks);
  take("variant_a", job.variant_a);
  take("variant_b", job.variant_b);
  take("plain", job.plain);
  take("seed", job.seed);
  take("changed", job.changed);
  take("block", job.block);
  take("letter", job.letter);
  take("variant", job.variant);
  take("traced", job.traced);
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
  const auto design = properties.find(typename Properties::key_type{"Design"});
  if (design != properties.end()) apply_design(job, design->second.template get<netperfd::dbus::Row>());
}

}  // namespace netperfctl
