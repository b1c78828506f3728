// SPDX-License-Identifier: GPL-2.0-or-later
// Escapes strings from the daemon for a terminal, a whole row at once, so that no renderer can miss a string.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "client/rows/fields.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {

// Whether a value may have several lines and keeps its line feeds.
[[nodiscard]] inline bool has_lines(std::string_view key) {
  return key == "error" || key == "message" || key == "detail" || key == "advice" ||
         key == "not_calibrated" || key.ends_with("skipped") || key.ends_with("broken");
}

[[nodiscard]] inline SampleFieldView escaped(SampleFieldView field) {
  field.name = printable(field.name);
  if (field.text) field.text = printable(*field.text);
  if (auto* text = std::get_if<std::string>(&field.value)) *text = printable(*text);
  return field;
}

// A copy of `row` with printable() strings.
template <class Row>
[[nodiscard]] Row escaped(Row row) {
  each_field(row, [](std::string_view key, auto& member, std::string_view /*unit*/) {
    using Member = std::remove_cvref_t<decltype(member)>;
    const std::string_view keep = has_lines(key) ? "\n" : "";
    if constexpr (std::is_same_v<Member, std::string>) {
      member = printable(member, keep);
    } else if constexpr (std::is_same_v<Member, std::optional<std::string>>) {
      if (member) member = printable(*member, keep);
    } else if constexpr (std::is_same_v<Member, std::optional<std::vector<std::string>>>) {
      if (!member) return;
      for (std::string& text : *member) text = printable(text);
    } else if constexpr (kHasRows<Member>) {
      if (!member) return;
      for (auto& inner : *member) inner = escaped(std::move(inner));
    }
  });
  return row;
}

template <class Row>
[[nodiscard]] std::vector<Row> escaped(std::vector<Row> rows) {
  for (Row& row : rows) row = escaped(std::move(row));
  return rows;
}

[[nodiscard]] inline RunDetails escaped(RunDetails details) {
  return {escaped(std::move(details.run)), escaped(std::move(details.sums)),
          escaped(std::move(details.flags))};
}

[[nodiscard]] inline JobDetails escaped(JobDetails details) {
  return {escaped(std::move(details.job)), escaped(std::move(details.spreads))};
}

[[nodiscard]] inline TraceDetails escaped(TraceDetails details) {
  return {escaped(std::move(details.trace)), escaped(std::move(details.cpus)),
          escaped(std::move(details.events)), escaped(std::move(details.drops)),
          escaped(std::move(details.marks))};
}

[[nodiscard]] inline ProfileDetails escaped(ProfileDetails details) {
  return {escaped(std::move(details.profile)),   escaped(std::move(details.builds)),
          escaped(std::move(details.functions)), escaped(std::move(details.slices)),
          escaped(std::move(details.edges)),     escaped(std::move(details.tree))};
}

[[nodiscard]] inline ComparisonDetails escaped(ComparisonDetails details) {
  return {escaped(std::move(details.comparison)), escaped(std::move(details.functions)),
          escaped(std::move(details.counters)), escaped(std::move(details.facts))};
}

[[nodiscard]] inline SweepDetails escaped(SweepDetails details) {
  return {escaped(std::move(details.sweep)), escaped(std::move(details.figures)),
          escaped(std::move(details.trends))};
}

[[nodiscard]] inline CountersView escaped(CountersView counters) {
  counters.counters = escaped(std::move(counters.counters));
  counters.queues = escaped(std::move(counters.queues));
  for (std::string& clause : counters.unknown) clause = printable(clause);
  return counters;
}

[[nodiscard]] inline EnvironmentView escaped(EnvironmentView environment) {
  environment.boot_id = printable(environment.boot_id);
  environment.facts = escaped(std::move(environment.facts));
  for (std::string& clause : environment.unknown) clause = printable(clause);
  return environment;
}

[[nodiscard]] inline SampledDetails escaped(SampledDetails details) {
  return {escaped(std::move(details.profile)), escaped(std::move(details.builds)),
          escaped(std::move(details.functions)), escaped(std::move(details.stacks))};
}

[[nodiscard]] inline LatencyDetails escaped(LatencyDetails details) {
  return {escaped(std::move(details.probes)), escaped(std::move(details.phases)),
          escaped(std::move(details.spans)), escaped(std::move(details.intervals))};
}

[[nodiscard]] inline ShowView escaped(ShowView view) {
  view.details = escaped(std::move(view.details));
  if (view.job) view.job = escaped(std::move(*view.job));
  if (view.counters) view.counters = escaped(std::move(*view.counters));
  if (view.environment) view.environment = escaped(std::move(*view.environment));
  view.intervals = escaped(std::move(view.intervals));
  view.streams = escaped(std::move(view.streams));
  if (view.trace) view.trace = escaped(std::move(*view.trace));
  view.stacks.stacks = escaped(std::move(view.stacks.stacks));
  view.samples = escaped(std::move(view.samples));
  if (view.functions) view.functions = escaped(std::move(*view.functions));
  if (view.sampled) view.sampled = escaped(std::move(*view.sampled));
  if (view.latency) view.latency = escaped(std::move(*view.latency));
  view.figures = escaped(std::move(view.figures));
  return view;
}

}  // namespace netperfctl
