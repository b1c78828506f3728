// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/reboot_report.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/bus/queries/query_bytes.hpp"

namespace netperfd::bus {
namespace {

constexpr core::QueryCaller kDaemon{.uid = 0, .may_measure = true};

// A process without privileges made the row: a value may be missing or of another type.
std::string word_at(const Row& row, const char* key) {
  return row.get<std::string>(key).value_or("");
}
std::uint32_t count_at(const Row& row, const char* key) {
  return row.get<std::uint32_t>(key).value_or(0);
}

std::string percent(double ratio) {
  return fmt::format("{:+.1f} %", (ratio - 1) * 100);
}

std::string long_time(double seconds) {
  const auto minutes = static_cast<std::int64_t>(std::lround(seconds / 60));
  return minutes < 60 ? fmt::format("{} min", minutes)
                      : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string subject_of(const RebootSummary& summary) {
  if (!summary.no_comparison.empty() || !summary.ratio) {
    return fmt::format("{}: no comparison of {} and {}{}{}", summary.scenario, summary.name_a, summary.name_b,
                       summary.no_comparison.empty() ? "" : ": ", summary.no_comparison);
  }
  std::string text = fmt::format("{}: {}; throughput of {} against {}: {}", summary.scenario, summary.verdict,
                                 summary.name_b, summary.name_a, percent(*summary.ratio));
  if (summary.low && summary.high) {
    text += fmt::format(" ({} to {})", percent(*summary.low), percent(*summary.high));
  }
  return text;
}

std::string boots_of(const RebootSummary& summary) {
  std::string text = fmt::format("boots compared: {} of {}, {} of {}; reboots: {}", summary.boots_a,
                                 summary.name_a, summary.boots_b, summary.name_b, summary.boots);
  if (summary.failed_boots > 0) text += fmt::format(", {} failed", summary.failed_boots);
  if (summary.seconds) text += ", in " + long_time(*summary.seconds);
  if (!summary.last_failure.empty()) text += "; last failure: " + summary.last_failure;
  return text;
}

}  // namespace

std::string text_of(const RebootSummary& summary) {
  return fmt::format(
      "{}\n{}\njob {} {}: {} of {} runs finished; see `netperfctl compare job:{}` and "
      "`netperfctl show job:{}`",
      subject_of(summary), boots_of(summary), summary.job, summary.state, summary.finished, summary.runs,
      summary.job, summary.job);
}

void RebootReport::job_changed(const core::JobStatus& job) {
  if (!core::has_ended(job.state) || !job.design || !job.design->reboots) return;
  if (std::exchange(told_[job.id], true)) return;
  tell(job.id);
}

void RebootReport::tell(JobId job) {
  Pending& pending = pending_[job];
  pending.summary.job = job;
  auto query =
      runner_.run(kDaemon, to_query_bytes(std::string{query_name::kGetJob}, static_cast<std::uint64_t>(job)),
                  [this, job](const Result<std::string>& answer) {
                    add_job(answer, pending_.at(job).summary);
                    ask_comparison(job);
                  });
  if (query) {
    pending.query = std::move(*query);
  } else {
    pending_.erase(job);
    log_(fmt::format("has ended; no summary: {}", query.error().message), job);
  }
}

void RebootReport::add_job(const Result<std::string>& answer, RebootSummary& summary) {
  std::optional<double> ended;
  if (answer) {
    if (const auto values = from_query_bytes<Row, Rows>(*answer)) {
      const Row& row = std::get<0>(*values);
      summary.scenario = word_at(row, "scenario");
      summary.state = word_at(row, "state");
      summary.name_a = word_at(row, "variant_a");
      summary.name_b = word_at(row, "variant_b");
      summary.finished = count_at(row, "finished");
      const auto runs = row.get<std::vector<std::uint64_t>>("runs");
      summary.runs = runs ? static_cast<std::uint32_t>(runs->size()) : 0;
      if (const auto us = row.get<std::uint64_t>("ended_us")) ended = static_cast<double>(*us) / 1e6;
    }
  }
  const auto boots = queries_.boots_of_job(summary.job);
  if (!boots || boots->empty()) return;
  summary.boots = static_cast<std::uint32_t>(boots->size());
  for (const BootRecord& boot : *boots) {
    if (boot.failure.empty()) continue;
    ++summary.failed_boots;
    summary.last_failure = boot.failure;
  }
  const std::chrono::duration<double> first = boots->front().asked.time_since_epoch();
  if (ended) summary.seconds = std::max(*ended - first.count(), 0.0);
}

void RebootReport::ask_comparison(JobId job) {
  auto query = runner_.run(
      kDaemon,
      to_query_bytes(std::string{query_name::kCompareJob}, static_cast<std::uint64_t>(job), dbus::Row{}),
      [this, job](const Result<std::string>& answer) {
        RebootSummary& summary = pending_.at(job).summary;
        if (!answer) {
          summary.no_comparison = answer.error().message;
        } else if (const auto values = from_query_bytes<Row, Rows, Rows, Rows>(*answer)) {
          const Row& head = std::get<0>(*values);
          summary.verdict = word_at(head, "verdict");
          summary.ratio = head.get<double>("ratio");
          summary.low = head.get<double>("ratio_low");
          summary.high = head.get<double>("ratio_high");
          summary.boots_a = count_at(head, "samples_a");
          summary.boots_b = count_at(head, "samples_b");
        }
        say(job);
      });
  Pending& pending = pending_.at(job);
  if (query) {
    pending.query = std::move(*query);
  } else {
    pending.summary.no_comparison = query.error().message;
    say(job);
  }
}

void RebootReport::say(JobId job) {
  const Pending ended = std::move(pending_.at(job));
  pending_.erase(job);
  log_(text_of(ended.summary), job);
}

}  // namespace netperfd::bus
