// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_setting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::comparing {
namespace {

constexpr const char* kNotKnown = "not known";

// Empty: not known.
std::string fact_of(const EnvironmentView& environment, std::string_view group, std::string_view key) {
  const auto found = std::ranges::find_if(
      environment.facts, [&](const FactView& fact) { return fact.group == group && fact.key == key; });
  return found == environment.facts.end() ? "" : found->value;
}

std::string machine_of(const EnvironmentView& environment) {
  std::string words = fact_of(environment, "cpu", "model");
  const auto add = [&](const char* what, std::string_view key) {
    const std::string value = fact_of(environment, "cpu", key);
    if (!value.empty()) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", what, value);
  };
  add("CPUs", "online");
  add("governor", "governor");
  return words;
}

std::string kernel_of(const EnvironmentView& environment) {
  return fact_of(environment, "kernel", "release");
}

// "mlx5_core (firmware 16.35): eth0; veth: veth0@ring-a, veth1"
std::string devices_of(const EnvironmentView& environment) {
  constexpr std::string_view kDriver = " driver";
  std::map<std::string, std::vector<std::string>> devices;  // by driver
  for (const FactView& fact : environment.facts) {
    if (fact.group != "nic" || !fact.key.ends_with(kDriver) || fact.value.empty()) continue;
    const std::string device = fact.key.substr(0, fact.key.size() - kDriver.size());
    const std::string firmware = fact_of(environment, "nic", device + " firmware");
    const bool has_one = !firmware.empty() && firmware != "N/A";
    devices[has_one ? fmt::format("{} (firmware {})", fact.value, firmware) : fact.value].push_back(device);
  }
  std::vector<std::string> words;
  for (const auto& [driver, names] : devices)
    words.push_back(fmt::format("{}: {}", driver, fmt::join(names, ", ")));
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string workload_of(const SettingView& setting) {
  return page_of(setting.run).what(setting.run);
}

std::string of_both(std::string a, const std::string& b) {
  if (a == b) return a.empty() ? kNotKnown : std::move(a);
  return fmt::format("A: {}; B: {}", a.empty() ? kNotKnown : a, b.empty() ? kNotKnown : b);
}

std::string in_environments(const std::optional<SettingView>& a, const std::optional<SettingView>& b,
                            const std::function<std::string(const EnvironmentView&)>& words) {
  const auto side = [&](const std::optional<SettingView>& setting) {
    return setting && setting->environment ? words(*setting->environment) : std::string{};
  };
  return of_both(side(a), side(b));
}

std::string workload(const CompareView& view) {
  const auto side = [](const std::optional<SettingView>& setting) {
    return setting ? workload_of(*setting) : std::string{};
  };
  const std::string words = of_both(side(view.setting_a), side(view.setting_b));
  const std::string scenario = scenario_words(view.details.comparison);
  if (scenario.empty()) return words;
  return words == kNotKnown ? "scenario " + scenario : fmt::format("{}, scenario {}", words, scenario);
}

std::string runs_words(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  const auto count = [](const auto& runs) { return runs ? format_count(runs->size()) : kNotKnown; };
  std::string words = fmt::format("A {}, B {}", count(head.runs_a), count(head.runs_b));
  const std::string pairing = pairing_words(head, !view.asked.job || !view.name_a.empty());
  if (!pairing.empty()) words += ", in " + pairing;
  if (view.asked.job) words += fmt::format(", of job {}", *view.asked.job);
  if (const std::string point = point_words(head); !point.empty()) words += ", " + point;
  return words;
}

}  // namespace

std::optional<SettingView> printable_setting(std::optional<SettingView> setting) {
  if (!setting) return setting;
  setting->run = escaped(std::move(setting->run));
  if (setting->environment) setting->environment = escaped(std::move(*setting->environment));
  return setting;
}

Lines machine(const std::optional<SettingView>& a, const std::optional<SettingView>& b) {
  const bool recorded = (a && a->environment) || (b && b->environment);
  if (!recorded) return {{"machine", "not known, and neither are kernel and devices"}};
  return {{"machine", in_environments(a, b, machine_of)},
          {"kernel", in_environments(a, b, kernel_of)},
          {"devices", in_environments(a, b, devices_of)}};
}

CompareView printable_view(CompareView view) {
  view.details = escaped(std::move(view.details));
  view.setting_a = printable_setting(std::move(view.setting_a));
  view.setting_b = printable_setting(std::move(view.setting_b));
  return view;
}

std::string question(const CompareView& view) {
  const auto [a, b] = side_names(view);
  if (view.asked.job && view.name_a.empty())
    return "What does tracing cost? The runs of A are plain, those of B traced.";
  return fmt::format("Is B ({}) better than A ({})?", b, a);
}

Lines setting(const Screen& screen, const CompareView& view) {
  Lines lines = changed(screen, view);
  if (lines.empty()) lines.push_back({"changed", "nothing was declared"});
  lines.push_back({"workload", workload(view)});
  std::ranges::move(machine(view.setting_a, view.setting_b), std::back_inserter(lines));
  lines.push_back({"runs", runs_words(view)});
  std::ranges::move(when(view.details.comparison, 0), std::back_inserter(lines));
  std::ranges::move(owners(view), std::back_inserter(lines));
  return lines;
}

Lines overall_verdict(const CompareView& view) {
  if (judged_figures(view).size() < 2) return {};
  const Answer overall = overall_answer(view);
  return {{overall.figure, overall.verdict}};
}

Lines explanation(const CompareView& view) {
  Lines lines = account(view);
  std::erase_if(lines, [](const Line& line) { return line.key != "explained" && line.key != "traced"; });
  return lines;
}

Lines own_noise(const CompareView& view) {
  Lines lines = selftest(view, 0);
  for (Line& line : lines) {
    if (line.key == "next") line = {"self-test", "none of this scenario is known of this host"};
  }
  return lines;
}

}  // namespace netperfctl::comparing
