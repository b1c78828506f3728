// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/bus/store_answers.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::bus {
namespace {

struct Key {
  std::string_view name;
  std::string_view signature;
  std::string_view type;  // in words, for messages
};

constexpr std::array<Key, 6> kStartOptions{{
    {"overrides", "as", "a list of strings"},
    {"label", "s", "a string"},
    {"repeat", "u", "an unsigned 32-bit number"},
    {"tie_to_caller", "b", "a boolean"},
    {"purpose", "s", "a string"},
    {"confirms", "t", "an unsigned 64-bit number"},
}};

constexpr std::array<Key, 2> kImportOptions{{
    {"name", "s", "a string"},
    {"label", "s", "a string"},
}};

constexpr std::array<Key, 4> kBundleOptions{{
    {"run", "t", "an unsigned 64-bit number"},
    {"recordings", "b", "a boolean"},
    {"redact", "b", "a boolean"},
    {"report", "s", "a string"},
}};

constexpr std::array<Key, 10> kFilterKeys{{
    {"job", "t", "an unsigned 64-bit number"},
    {"scenario", "s", "a string"},
    {"label", "s", "a string"},
    {"state", "s", "a string"},
    {"purpose", "s", "a string"},
    {"variant", "s", "a string"},
    {"traced", "b", "a boolean"},
    {"since", "t", "an unsigned 64-bit number"},
    {"until", "t", "an unsigned 64-bit number"},
    {"selection", "s", "a string"},
}};

constexpr std::array<Key, 5> kOldJobRuleKeys{{
    {"scenario", "s", "a string"},
    {"label", "s", "a string"},
    {"age", "t", "an unsigned 64-bit number"},
    {"count", "t", "an unsigned 64-bit number"},
    {"size", "t", "an unsigned 64-bit number"},
}};

constexpr std::array<Key, 5> kJobFilterKeys{{
    {"scenario", "s", "a string"},
    {"label", "s", "a string"},
    {"purpose", "s", "a string"},
    {"since", "t", "an unsigned 64-bit number"},
    {"until", "t", "an unsigned 64-bit number"},
}};

constexpr std::array<Key, 5> kAuditFilterKeys{{
    {"user", "u", "an unsigned 32-bit number"},
    {"action", "s", "a string"},
    {"outcome", "s", "a string"},
    {"since", "t", "an unsigned 64-bit number"},
    {"until", "t", "an unsigned 64-bit number"},
}};

constexpr std::array<Key, 4> kCompareOptions{{
    {"figures", "as", "a list of strings"},
    {"changed", "as", "a list of strings"},
    {"despite", "b", "a boolean"},
    {"threshold", "d", "a floating-point number"},
}};

constexpr std::array<Key, 4> kPlanOptions{{
    {"figure", "s", "a string"},
    {"effect", "d", "a floating-point number"},
    {"power", "d", "a floating-point number"},
    {"repeat", "u", "an unsigned 32-bit number"},
}};

constexpr std::array<Key, 2> kFunctionFilterKeys{{
    {"module", "s", "a string"},
    {"pattern", "s", "a string"},
}};

// `what`: "option" or "filter".
Status check_keys(const dbus::Row& row, std::string_view what, std::span<const Key> keys) {
  for (const auto& [name, value] : row) {
    const auto key = std::ranges::find(keys, name, &Key::name);
    if (key == keys.end()) {
      std::vector<std::string_view> known;
      known.reserve(keys.size());
      for (const Key& each : keys) known.push_back(each.name);
      return invalid(
          fmt::format("unknown {} {}; allowed are {}", what, in_quotes(name), fmt::join(known, ", ")));
    }
    const std::string signature{value.peekValueType()};  // 1.x makes it anew, 2.x lends it
    if (signature != key->signature) {
      return invalid(fmt::format("{} \"{}\" has the D-Bus type {}; expected is {}, {}", what, name,
                                 wire_text(signature, kNameLimit), key->type, key->signature));
    }
  }
  return {};
}

template <class T>
std::optional<T> value_of(const dbus::Row& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end()) return std::nullopt;
  return found->second.get<T>();
}

Status check_overrides(const std::vector<std::string>& overrides) {
  if (overrides.size() > kOverridesLimit) {
    return invalid(
        fmt::format("overrides: {} of them; at most {} are allowed", overrides.size(), kOverridesLimit));
  }
  for (const std::string& each : overrides) {
    if (auto checked = check_line("overrides", each, kOverrideLimit); !checked) return checked;
  }
  return {};
}

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

// `what`: "option" or "filter".
Result<JobPurpose> to_purpose(std::string_view what, const std::string& name) {
  if (const auto purpose = parse_job_purpose(name)) return *purpose;
  return invalid(
      fmt::format("{} \"purpose\": {} is no purpose of a job; allowed are measurement, pilot, selftest", what,
                  in_quotes(name)));
}

}  // namespace

Result<StartOptions> parse_start_options(const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kStartOptions); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  StartOptions parsed;
  parsed.job.overrides =
      value_of<std::vector<std::string>>(options, "overrides").value_or(std::vector<std::string>{});
  parsed.job.label = value_of<std::string>(options, "label");
  parsed.job.repeat = value_of<std::uint32_t>(options, "repeat");
  if (const auto name = value_of<std::string>(options, "purpose")) {
    const auto purpose = to_purpose("option", *name);
    if (!purpose) return std::unexpected(purpose.error());
    parsed.job.purpose = *purpose;
  }
  parsed.confirms = value_of<std::uint64_t>(options, "confirms");
  parsed.tie_to_caller = value_of<bool>(options, "tie_to_caller").value_or(false);
  if (auto checked = check_overrides(parsed.job.overrides); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = check_line("label", parsed.job.label.value_or(""), kLabelLimit); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  return parsed;
}

Result<core::ImportRequest> parse_import_options(const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kImportOptions); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::ImportRequest parsed;
  parsed.name = value_of<std::string>(options, "name").value_or(parsed.name);
  parsed.label = value_of<std::string>(options, "label").value_or("");
  return parsed;  // the importer checks the values
}

Result<BundleRequest> parse_bundle_options(const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kBundleOptions); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  BundleRequest parsed;
  parsed.run = value_of<std::uint64_t>(options, "run").value_or(0);
  parsed.recordings = value_of<bool>(options, "recordings").value_or(false);
  parsed.origin.redacted = value_of<bool>(options, "redact").value_or(false);
  parsed.report = value_of<std::string>(options, "report").value_or("");
  if (auto checked = check_size("report", parsed.report, kReportLimit); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (!parsed.origin.redacted || (!parsed.recordings && parsed.report.empty())) return parsed;
  return invalid("a redacted bundle has neither recordings nor a report: nothing can be taken out of these");
}

Result<core::KeepRule> parse_old_job_rule(const dbus::Row& rule) {
  if (auto checked = check_keys(rule, "rule", kOldJobRuleKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::KeepRule parsed;
  parsed.scenario = value_of<std::string>(rule, "scenario").value_or("*");
  parsed.label = value_of<std::string>(rule, "label").value_or("*");
  for (const std::string* pattern : {&parsed.scenario, &parsed.label}) {
    if (auto checked = check_size("pattern", *pattern, kPatternLimit); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
  }
  constexpr std::uint64_t kLongestAge = std::uint64_t{100} * 366 * 86'400;  // as good as for ever
  if (const auto age = value_of<std::uint64_t>(rule, "age"))
    parsed.age = std::chrono::seconds{std::min(*age, kLongestAge)};
  parsed.count = value_of<std::uint64_t>(rule, "count");
  parsed.stored_bytes = value_of<std::uint64_t>(rule, "size");
  if (parsed.age || parsed.count || parsed.stored_bytes) return parsed;
  return invalid("the rule removes nothing: `age`, `count` or `size` says what is too old");
}

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

Result<core::RunFilter> parse_run_filter(const dbus::Row& filter) {
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
  for (const auto& [key, bound] : {std::pair{"since", &parsed.since}, std::pair{"until", &parsed.until}}) {
    const auto microseconds = value_of<std::uint64_t>(filter, key);
    if (!microseconds) continue;
    const auto time = to_time(key, *microseconds);
    if (!time) return std::unexpected(time.error());
    *bound = *time;
  }
  return parsed;
}

Result<std::optional<core::RunSelection>> parse_listed_selection(const dbus::Row& filter) {
  if (auto checked = check_keys(filter, "filter", kFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const auto text = value_of<std::string>(filter, "selection");
  if (!text) return std::optional<core::RunSelection>{};
  for (const auto& [key, value] : filter) {
    if (key == "selection" || key == "state") continue;
    return invalid(fmt::format("filter \"{}\" stands beside \"selection\", which has a term for it", key));
  }
  auto selection = core::parse_selection(*text);
  if (!selection) return std::unexpected(std::move(selection.error()));
  // A list shows what there is; only a comparison takes nothing but results.
  const auto states = parse_run_filter(filter);
  if (!states) return std::unexpected(states.error());
  selection->filter.state = states->state;
  selection->filter.purpose.reset();
  return std::optional{std::move(*selection)};
}

Result<core::RunFilter> parse_job_filter(const dbus::Row& filter) {
  if (auto checked = check_keys(filter, "filter", kJobFilterKeys); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  return parse_run_filter(filter);
}

Result<analysis::ComparisonSettings> parse_compare_options(const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kCompareOptions); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  analysis::ComparisonSettings parsed;
  parsed.changed =
      value_of<std::vector<std::string>>(options, "changed").value_or(std::vector<std::string>{});
  parsed.despite = value_of<bool>(options, "despite").value_or(parsed.despite);
  parsed.threshold = value_of<double>(options, "threshold").value_or(parsed.threshold);
  const auto figures = parse_figure_choices(
      value_of<std::vector<std::string>>(options, "figures").value_or(std::vector<std::string>{}));
  if (!figures) return std::unexpected(figures.error());
  parsed.figures = analysis::compared_figures(*figures);
  if (parsed.changed.size() > kGroupsLimit) {
    return invalid(
        fmt::format("changed: {} groups; at most {} are allowed", parsed.changed.size(), kGroupsLimit));
  }
  for (const std::string& group : parsed.changed) {
    if (auto checked = check_line("changed", group, kNameLimit); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
  }
  if (!(parsed.threshold > 0 && parsed.threshold < 1)) {
    return invalid(fmt::format("threshold: {} is no share between 0 and 1, such as 0.01", parsed.threshold));
  }
  return parsed;
}

Result<core::PlanRequest> parse_plan_options(const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kPlanOptions); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::PlanRequest parsed;
  parsed.effect = value_of<double>(options, "effect").value_or(parsed.effect);
  parsed.power = value_of<double>(options, "power").value_or(parsed.power);
  parsed.repeat = value_of<std::uint32_t>(options, "repeat");
  if (const auto name = value_of<std::string>(options, "figure")) {
    auto figure = parse_figure(*name);
    if (!figure) return std::unexpected(std::move(figure.error()));
    parsed.figure = std::move(*figure);
  }
  return parsed;  // core::plan_runs() checks the other values
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
