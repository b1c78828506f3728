// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/comparison_request.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "client/base/command_words.hpp"
#include "client/base/users.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/selection.hpp"

namespace netperfctl {
namespace {

std::string command_of(const ComparisonArguments& arguments) {
  const CompareRequest& request = arguments.request;
  std::string command =
      request.job ? fmt::format("netperfctl compare job:{}", *request.job)
                  : fmt::format("netperfctl compare {} {}", for_a_shell(request.a), for_a_shell(request.b));
  for (const std::string& group : request.changed) command += " --changed " + for_a_shell(group);
  if (request.despite) command += " --despite";
  for (const std::string& figure : request.figures) command += " --figure " + for_a_shell(figure);
  if (!arguments.threshold.empty()) command += " --threshold " + for_a_shell(arguments.threshold);
  if (request.point) command += fmt::format(" --point {}", *request.point);
  return command;
}

// The runs themselves where the words would mean others at another time, and whose they are where the words
// would mean others if somebody else typed them.
std::string repeatable(const std::string& selection, const std::optional<std::vector<std::uint64_t>>& runs,
                       const std::optional<std::vector<std::uint32_t>>& owners) {
  if (runs && !runs->empty() && is_of_the_moment(selection)) return selection_of(*runs);
  return owners && owners->size() == 1 ? with_owner(selection, owner_word(owners->front())) : selection;
}

std::string command_of(const ComparisonArguments& arguments, const ComparisonView& head) {
  ComparisonArguments same = arguments;
  same.request.a = repeatable(arguments.request.a, head.runs_a, head.owners_a);
  same.request.b = repeatable(arguments.request.b, head.runs_b, head.owners_b);
  return command_of(same);
}

UserNames owners_of(const ComparisonView& head) {
  UserNames names;
  for (const auto* owners : {&head.owners_a, &head.owners_b}) {
    for (const std::uint32_t owner : owners->value_or(std::vector<std::uint32_t>{})) {
      if (auto name = user_name(owner)) names.emplace(owner, std::move(*name));
    }
  }
  return names;
}

}  // namespace

std::optional<std::uint64_t> job_of(std::string_view text) {
  constexpr std::string_view kKey = "job:";
  if (!text.starts_with(kKey)) return {};
  std::uint64_t job = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + kKey.size(), last, job);
  return error == std::errc{} && end == last && job > 0 ? std::optional{job} : std::nullopt;
}

Outcome<CompareRequest> comparison_request(const ComparisonArguments& arguments, std::uint64_t now_us) {
  CompareRequest request = arguments.request;
  const bool text = is_utf8(request.a) && is_utf8(request.b) &&
                    std::ranges::all_of(request.changed, is_utf8) &&
                    std::ranges::all_of(request.figures, is_utf8);
  if (!text) return fail(Exit::usage, "the arguments are not UTF-8 text");
  if (request.point && !request.b.empty())
    return fail(Exit::usage, "--point chooses a point of one job with a sweep, not of two selections");
  if (request.b.empty()) {
    request.job = job_of(request.a);
    if (!request.job && request.a != "last") {
      return fail(
          Exit::usage,
          fmt::format("\"{}\" alone says no two sides: `job:NUMBER` or `last` does, of a job with a design; "
                      "else B is missing",
                      request.a));
    }
  }
  for (std::string* const side : {&request.a, &request.b}) {
    auto instants = for_the_daemon(*side, now_us);
    if (!instants) return std::unexpected(instants.error());
    *side = std::move(*instants);
  }
  if (!arguments.threshold.empty()) {
    const auto share = share_of("--threshold", arguments.threshold);
    if (!share) return std::unexpected(share.error());
    request.threshold = *share;
  }
  return request;
}

Outcome<ComparedSides> compare_asked(Daemon& daemon, const CompareRequest& request,
                                     const ComparisonArguments& arguments) {
  ComparisonArguments asked = arguments;
  if (request.b.empty()) {
    const auto job = request.job ? Outcome<std::uint64_t>{*request.job} : newest_design(daemon);
    if (!job) return std::unexpected(job.error());
    asked.request.job = *job;
    CompareRequest of_job = request;
    of_job.job = *job;
    return compare_job(daemon, std::move(of_job), command_of(asked));
  }
  auto details = daemon.compare(request);
  if (!details) return std::unexpected(details.error());
  CompareView view{asked.request, command_of(asked, details->comparison), false, std::move(*details)};
  view.names = owners_of(view.details.comparison);
  return view;
}

void add_sides(CLI::App& command, ComparisonArguments& arguments, std::string_view alone) {
  CompareRequest& request = arguments.request;
  CLI::Option* const a = command.add_option(
      "A", request.a,
      fmt::format(
          "The runs before: numbers and ranges (41,43-45), label:TEXT, scenario:NAME, job:NUMBER, "
          "owner:USER, variant:NAME, arm:plain, arm:traced, since:TIME, until:TIME, last or last:N; "
          "several can be combined with spaces or commas. Only your own runs, unless you name an owner "
          "(a user, or any for everybody), runs or a job. {}",
          alone));
  a->required()->type_name("");
  command.add_option("B", request.b, "The runs after, likewise")->type_name("");
}

void add_comparison_options(CLI::App& command, ComparisonArguments& arguments) {
  CompareRequest& request = arguments.request;
  command
      .add_option("--figure", request.figures,
                  "The figure to compare: received, sent, delivered, retransmits, rtt, jitter, cpu, "
                  "cpu.packet, cpu.transaction, latency.STAT, counter.DEVICE@NETNS.NAME or one of the runs' "
                  "own, with a threshold of its own if you want (latency.p99:5%); repeatable, the first one "
                  "is the primary. Default: what the scenario declares, otherwise received")
      ->type_name("FIGURE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--changed", request.changed,
          "What differs on purpose between A and B: kernel, module:NAME, sysctl:KEY, nic, cpu, irq, "
          "rps, xps, qdisc, clock, iperf3, machine, topology or trace; several with commas between them, "
          "or repeated")
      ->type_name("GROUP")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--despite", request.despite,
                   "Compare even if something else differs that can explain the result");
  command
      .add_option("--threshold", arguments.threshold,
                  "Ignore differences smaller than this: within it, runs are equivalent (1%)")
      ->type_name("PERCENT");
  command
      .add_option(
          "--point", request.point,
          "Of a job with a sweep, compare only the point of this number; the page of the job lists them")
      ->type_name("NUMBER")
      ->check(count_above_zero());
}

}  // namespace netperfctl
