// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/keep_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <string>
#include <utility>
#include <vector>

namespace netperfd::core {
namespace {

bool fits_pattern(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

std::string age_text(std::chrono::seconds age) {
  const auto hours = std::chrono::ceil<std::chrono::hours>(age).count();
  constexpr int kDay = 24;
  if (hours % kDay != 0) return fmt::format("{} hours", hours);
  return fmt::format("{} days", hours / kDay);
}

std::string size_text(std::uint64_t bytes) {
  constexpr double kMebibyte = 1U << 20U;
  constexpr double kGibibyte = 1U << 30U;
  const auto value = static_cast<double>(bytes);
  return value < kGibibyte ? fmt::format("{:.1f} MiB", value / kMebibyte)
                           : fmt::format("{:.1f} GiB", value / kGibibyte);
}

}  // namespace

std::string describe(const KeepRule& rule) {
  const auto word = [](const std::string& pattern) {
    if (pattern == "*") return std::string{"any"};
    return pattern.empty() ? std::string{"none"} : pattern;
  };
  std::vector<std::string> bounds;
  if (rule.age) bounds.push_back(age_text(*rule.age));
  if (rule.count) bounds.push_back(fmt::format("{} run{}", *rule.count, *rule.count == 1 ? "" : "s"));
  if (rule.stored_bytes) bounds.push_back(size_text(*rule.stored_bytes));
  return fmt::format("scenario {}, label {}: {}", word(rule.scenario), word(rule.label),
                     bounds.empty() ? "keep all" : fmt::format("at most {}", fmt::join(bounds, ", ")));
}

KeepPlan::KeepPlan(std::vector<KeepRule> rules, WallTime now)
    : rules_(std::move(rules)), kept_(rules_.size()), now_(now) {}

std::optional<std::string> KeepPlan::reason_to_remove(const StoredJob& job) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const KeepRule& rule = rules_[i];
    if (!fits_pattern(rule.scenario, job.scenario) || !fits_pattern(rule.label, job.label)) continue;
    Kept& kept = kept_[i][job.owner];
    const auto exceeded = [&](const auto& bound, std::uint64_t sum) {
      return bound && kept.jobs > 0 && sum > *bound;
    };
    if (!job.open) {
      if (rule.age && now_ - job.newest > *rule.age) {
        return fmt::format("older than {} (keep[{}].age)", age_text(*rule.age), i);
      }
      if (kept.full.empty() && exceeded(rule.count, kept.runs + job.runs)) {
        kept.full = fmt::format("beyond the newest {} run{} (keep[{}].count)", *rule.count,
                                *rule.count == 1 ? "" : "s", i);
      }
      if (kept.full.empty() && exceeded(rule.stored_bytes, kept.stored_bytes + job.stored_bytes)) {
        kept.full = fmt::format("beyond the newest {} (keep[{}].size)", size_text(*rule.stored_bytes), i);
      }
      if (!kept.full.empty()) return kept.full;
    }
    ++kept.jobs;
    kept.runs += job.runs;
    kept.stored_bytes += job.stored_bytes;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace netperfd::core
