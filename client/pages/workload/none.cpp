// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "client/pages/trace_text.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

std::string watched_words(const RunView& run) {
  if (!has_ended(run.state.value_or("finished"))) return "the kernel is watched until somebody ends it";
  if (!run.started_us || !run.ended_us || *run.ended_us < *run.started_us) return "the kernel was watched";
  const auto us = static_cast<double>(*run.ended_us - *run.started_us);
  return fmt::format("the kernel was watched for {}", format_seconds(us / 1e6));
}

}  // namespace

const WorkloadPage kNonePage{
    .answer =
        [](const ShowView& view) {
          const std::string found = show::trace_words(view.details.run, view.details.flags);
          return found.empty() ? "what was traced is not known" : found;
        },
    .what = [](const RunView& run) { return "none; " + watched_words(run); },
    .nothing = [](const RunView&) { return std::string{"nothing is known of it"}; },
    .makes_traffic = [](const RunView&) { return false; },
    .until_stopped = true,
};

}  // namespace netperfctl
