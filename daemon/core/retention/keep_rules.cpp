// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/retention/keep_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>
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

// The greatest share for which what each owner has up to it is no more than `all`; `all` if everything fits.
std::uint64_t share_of_each(std::uint64_t all, std::vector<std::uint64_t> by_owner) {
  std::ranges::sort(by_owner);
  std::uint64_t left = all;
  std::uint64_t owners = by_owner.size();
  for (const std::uint64_t bytes : by_owner) {
    if (bytes > left / owners) return left / owners;
    left -= bytes;
    --owners;
  }
  return all;
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
    : rules_(std::move(rules)), kept_(rules_.size()), sized_(rules_.size()), now_(now) {}

void KeepPlan::look_at(const StoredJob& job) {
  if (job.damaged) return;
  const auto matches = [&](const KeepRule& rule) {
    return fits_pattern(rule.scenario, job.scenario) && fits_pattern(rule.label, job.label);
  };
  const auto found = std::ranges::find_if(rules_, matches);
  if (found == rules_.end()) return;
  const KeepRule& rule = *found;
  const auto i = static_cast<std::size_t>(found - rules_.begin());
  Kept& kept = kept_[i][job.owner];
  if (!job.open) {
    if (rule.age && now_ - job.newest > *rule.age) {
      old_.push_back({job, fmt::format("older than {} (keep[{}].age)", age_text(*rule.age), i)});
      return;
    }
    kept.full = kept.full || (rule.count && kept.jobs > 0 && kept.runs + job.runs > *rule.count);
    if (kept.full) {
      old_.push_back({job, fmt::format("beyond the newest {} run{} (keep[{}].count)", *rule.count,
                                       *rule.count == 1 ? "" : "s", i)});
      return;
    }
  }
  ++kept.jobs;
  kept.runs += job.runs;
  kept.stored_bytes += job.stored_bytes;
  if (rule.stored_bytes) sized_[i].push_back(job);
}

void KeepPlan::take_beyond_size(std::size_t rule) {
  const std::uint64_t all = *rules_[rule].stored_bytes;
  std::vector<std::uint64_t> by_owner;
  for (const auto& [owner, kept] : kept_[rule]) by_owner.push_back(kept.stored_bytes);
  const std::uint64_t share = share_of_each(all, std::move(by_owner));
  KeptByOwner kept_by_owner;
  for (StoredJob& job : sized_[rule]) {
    Kept& kept = kept_by_owner[job.owner];
    if (!job.open) {
      kept.full = kept.full || (kept.jobs > 0 && kept.stored_bytes + job.stored_bytes > share);
      if (kept.full) {
        std::string why = fmt::format("beyond the newest {}", size_text(share));
        if (share < all) why += fmt::format(", the share of uid {} in {}", job.owner, size_text(all));
        old_.push_back({std::move(job), fmt::format("{} (keep[{}].size)", why, rule)});
        continue;
      }
    }
    ++kept.jobs;
    kept.stored_bytes += job.stored_bytes;
  }
  sized_[rule].clear();
}

std::vector<KeepPlan::OldJob> KeepPlan::old_jobs() {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].stored_bytes) take_beyond_size(i);
  }
  std::ranges::sort(old_, std::greater{}, [](const OldJob& old) { return old.job.id; });
  return std::move(old_);
}

}  // namespace netperfd::core
