// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/export_bundle.hpp"

#include <fmt/format.h>

#include <utility>

#include "client/verbs/numbers.hpp"
#include "client/verbs/report_contents.hpp"

namespace netperfctl {
namespace {

// The page about the job or its run that becomes the entry report.html.
Outcome<std::string> report_page(Daemon& daemon, const BundleTarget& target) {
  ComparisonArguments asked;
  asked.request.a = target.run > 0 ? fmt::format("{}", target.run) : fmt::format("job:{}", target.job);
  const auto report = report_contents(daemon, asked);
  if (!report) return std::unexpected(report.error());
  return report::html(*report);
}

}  // namespace

Outcome<BundleTarget> bundle_target(Daemon& daemon, const std::string& words) {
  if (words.starts_with("job:")) {
    const auto job = job_number(words);
    if (!job) return std::unexpected(job.error());
    return BundleTarget{.job = *job, .run = 0};
  }
  const auto number = run_number(words);
  if (!number) return std::unexpected(number.error());
  const auto details = daemon.run(*number);
  if (!details) return std::unexpected(details.error());
  return BundleTarget{.job = details->run.job.value_or(0), .run = details->run.run};
}

Outcome<OwnedFd> open_bundle(Daemon& daemon, const BundleTarget& target, bool redact, bool recordings) {
  BundleOptions options{.run = target.run, .redact = redact, .recordings = recordings, .report = {}};
  // A page would show what is taken out of the rest.
  if (!redact) {
    auto page = report_page(daemon, target);
    if (!page) return std::unexpected(page.error());
    options.report = std::move(*page);
  }
  return daemon.open_bundle(target.job, options);
}

}  // namespace netperfctl
