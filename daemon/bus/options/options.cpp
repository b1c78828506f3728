// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bus/options/option_keys.hpp"
#include "daemon/bus/queries/store_answers.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::bus {
namespace {

constexpr std::array<Key, 8> kStartOptions{{
    {"overrides", "as", "a list of strings"},
    {"label", "s", "a string"},
    {"repeat", "u", "an unsigned 32-bit number"},
    {"tie_to_caller", "b", "a boolean"},
    {"purpose", "s", "a string"},
    {"confirms", "t", "an unsigned 64-bit number"},
    {"force", "b", "a boolean"},
    {"plan", "a{sv}", "a dictionary of options of PlanRuns"},
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

constexpr std::array<Key, 5> kOldJobRuleKeys{{
    {"scenario", "s", "a string"},
    {"label", "s", "a string"},
    {"age", "t", "an unsigned 64-bit number"},
    {"count", "t", "an unsigned 64-bit number"},
    {"size", "t", "an unsigned 64-bit number"},
}};

constexpr std::array<Key, 5> kCompareOptions{{
    {"figures", "as", "a list of strings"},
    {"changed", "as", "a list of strings"},
    {"despite", "b", "a boolean"},
    {"threshold", "d", "a floating-point number"},
    {"point", "u", "an unsigned 32-bit number"},
}};

constexpr std::array<Key, 1> kStackOptions{{
    {"host", "b", "a boolean"},
}};

constexpr std::array<Key, 7> kPlanOptions{{
    {"figure", "s", "a string"},
    {"effect", "d", "a floating-point number"},
    {"power", "d", "a floating-point number"},
    {"threshold", "d", "a floating-point number"},
    {"repeat", "u", "an unsigned 32-bit number"},
    {"until_most", "u", "an unsigned 32-bit number"},
    {"like_job", "t", "an unsigned 64-bit number"},
}};

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
  parsed.force = value_of<bool>(options, "force").value_or(false);
  parsed.tie_to_caller = value_of<bool>(options, "tie_to_caller").value_or(false);
  if (const auto plan = value_of<dbus::Row>(options, "plan")) {
    auto request = parse_plan_options(*plan);
    if (!request) return std::unexpected(std::move(request.error()));
    parsed.plan = std::move(*request);
  }
  if (auto checked = check_overrides(parsed.job.overrides); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = check_label(parsed.job.label.value_or("")); !checked) {
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
      value_of<std::vector<std::string>>(options, "figures").value_or(std::vector<std::string>{}),
      parse_any_figure);
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
    return invalid(fmt::format("threshold: {} is no share between 0 and 1, such as 0.01",
                               rows::plain_number(parsed.threshold, 6)));
  }
  parsed.point = value_of<std::uint32_t>(options, "point");
  if (parsed.point == 0) return invalid("point: 0 is none; the points of a sweep count from 1");
  return parsed;
}

Result<core::StackRequest> parse_stack_request(const std::vector<std::uint64_t>& a,
                                               const std::vector<std::uint64_t>& b,
                                               const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kStackOptions); !checked)
    return std::unexpected(std::move(checked.error()));
  core::StackRequest parsed;
  for (const auto& [given, runs] : {std::pair{&a, &parsed.a}, std::pair{&b, &parsed.b}}) {
    for (const std::uint64_t run : *given) {
      const auto id = parse_id(run, "run");
      if (!id) return std::unexpected(id.error());
      runs->push_back(*id);
    }
  }
  if (value_of<bool>(options, "host").value_or(false)) parsed.scope = analysis::StackScope::host;
  if (auto checked = core::check_stack_request(parsed); !checked)
    return std::unexpected(std::move(checked.error()));
  return parsed;
}

Result<core::PlanRequest> parse_plan_options(const dbus::Row& options) {
  if (auto checked = check_keys(options, "option", kPlanOptions); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  core::PlanRequest parsed;
  parsed.effect = value_of<double>(options, "effect");
  parsed.threshold = value_of<double>(options, "threshold");
  parsed.power = value_of<double>(options, "power").value_or(parsed.power);
  parsed.repeat = value_of<std::uint32_t>(options, "repeat");
  parsed.until_most = value_of<std::uint32_t>(options, "until_most");
  if (const auto like = value_of<std::uint64_t>(options, "like_job")) {
    const auto job = parse_id(*like, "job");
    if (!job) return std::unexpected(job.error());
    parsed.like_job = *job;
  }
  if (const auto name = value_of<std::string>(options, "figure")) {
    auto figure = parse_any_figure(*name);
    if (!figure) return std::unexpected(std::move(figure.error()));
    parsed.figure = std::move(*figure);
  }
  return parsed;  // core::plan_runs() checks the other values
}

}  // namespace netperfd::bus
