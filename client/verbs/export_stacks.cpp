// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/export_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "client/flame/other_tools.hpp"
#include "client/flame/picture.hpp"
#include "client/flame/stacks.hpp"
#include "client/pages/found_rows.hpp"

namespace netperfctl {
namespace {

// `details` is of samples or of calls.
template <class Details>
Outcome<std::string> in_format(Daemon& daemon, std::uint64_t run, std::string_view format,
                               const Details& details) {
  const auto shown = daemon.run(run);
  if (!shown) return std::unexpected(shown.error());
  if (format == "flame") return flame::svg(flame::flame_graph(shown->run, details));
  const flame::Stacks stacks = flame::stacks_of(details);
  return format == "folded" ? flame::folded(stacks) : flame::speedscope(stacks, flame::name_of(shown->run));
}

bool is_missing(const Failure& failure) {
  return failure.exit == Exit::not_found;
}

Outcome<SampledDetails> sampled(Daemon& daemon, std::uint64_t run) {
  auto details = daemon.samples(run, false, true);
  if (!details && !is_missing(details.error())) return details;
  if (!details || details->profile.skipped) {
    return fail(Exit::not_found,
                fmt::format("run {} was not sampled{}", run,
                            details ? ": " + *details->profile.skipped
                                    : ". Samples need `sample: {rate: 99}` in its job, or a design."));
  }
  if (flame::stacks_of(*details).total() == 0) {
    return fail(Exit::not_found,
                fmt::format("run {} has no samples of a busy CPU: there is nothing to show", run));
  }
  return details;
}

Outcome<ProfileDetails> traced(Daemon& daemon, std::uint64_t run) {
  auto details = daemon.profile(run, {.tree = true}, false);
  if (!details) return details;
  if (!details->profile.timed.value_or(true)) {
    return fail(Exit::not_found,
                fmt::format("the calls of run {} have no times: the function tracer records no ends", run));
  }
  if (flame::stacks_of(*details).total() == 0)
    return fail(Exit::not_found,
                fmt::format("run {} has no traced calls with times: there is nothing to show", run));
  return details;
}

// `use` gets the samples or the traced calls of the run, and returns an Outcome<Result>.
template <class Result, class Use>
Outcome<Result> with_stacks(Daemon& daemon, std::uint64_t run, const std::string& from, Use use) {
  std::optional<Failure> not_sampled;
  if (from != kCalls) {
    const auto samples = sampled(daemon, run);
    if (samples) return use(*samples);
    if (from == kSamples || !is_missing(samples.error())) return std::unexpected(samples.error());
    not_sampled = samples.error();
  }
  const auto calls = traced(daemon, run);
  if (calls) return use(*calls);
  if (!not_sampled || !is_missing(calls.error())) return std::unexpected(calls.error());
  not_sampled->message += "\n" + calls.error().message;
  return std::unexpected(std::move(*not_sampled));
}

}  // namespace

bool is_of_stacks(std::string_view format) {
  return std::ranges::find(kStackFormats, format) != kStackFormats.end();
}

Outcome<std::string> exported_stacks(Daemon& daemon, std::uint64_t run, std::string_view format,
                                     const std::string& from) {
  return with_stacks<std::string>(
      daemon, run, from, [&](const auto& details) { return in_format(daemon, run, format, details); });
}

Outcome<flame::Picture> flame_of_run(Daemon& daemon, std::uint64_t run) {
  return with_stacks<flame::Picture>(daemon, run, {}, [&](const auto& details) -> Outcome<flame::Picture> {
    const auto shown = daemon.run(run);
    if (!shown) return std::unexpected(shown.error());
    return flame::flame_graph(shown->run, details);
  });
}

Outcome<flame::Picture> flame_of_difference(Daemon& daemon, const CompareView& view, bool host) {
  using Runs = std::vector<std::uint64_t>;
  const ComparisonView& head = view.details.comparison;
  auto stacks = daemon.compare_samples(head.runs_a.value_or(Runs{}), head.runs_b.value_or(Runs{}), host);
  if (!stacks) return std::unexpected(stacks.error());
  stacks->words_a = view.asked.a;
  stacks->words_b = view.asked.b;
  for (const FunctionDeltaView& function : view.details.functions) {
    if (function.sampled_shift && netperfd::rows::is_found(comparing::sampled_finding(function)))
      stacks->functions.push_back({function.function, function.module.value_or(""), *function.sampled_shift});
  }
  if (stacks->frames.empty() ||
      stacks->frames.front().total_a.value_or(0) + stacks->frames.front().total_b.value_or(0) <= 0) {
    return fail(Exit::not_found, "no side has samples of a busy CPU: no flame graph is made");
  }
  return flame::difference(*stacks);
}

}  // namespace netperfctl
