// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/export_stacks.hpp"
#include "client/verbs/fail_on.hpp"
#include "client/verbs/job_comparison.hpp"
#include "client/verbs/selection.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct CompareArguments {
  CompareRequest request;
  std::string threshold;
  FailOn fail_on{"regression", "inconclusive"};
  bool all = false;
  std::string flame;  // the file for the differential flame graph
};

std::string command_of(const CompareArguments& arguments) {
  const CompareRequest& request = arguments.request;
  std::string command =
      request.job ? fmt::format("netperfctl compare job:{}", *request.job)
                  : fmt::format("netperfctl compare {} {}", for_a_shell(request.a), for_a_shell(request.b));
  for (const std::string& group : request.changed) command += " --changed " + for_a_shell(group);
  if (request.despite) command += " --despite";
  if (!arguments.threshold.empty()) command += " --threshold " + for_a_shell(arguments.threshold);
  return command;
}

// The runs themselves where the words would mean others at another time.
std::string repeatable(const std::string& selection, const std::optional<std::vector<std::uint64_t>>& runs) {
  return runs && !runs->empty() && is_of_the_moment(selection) ? selection_of(*runs) : selection;
}

std::string command_of(const CompareArguments& arguments, const ComparisonView& head) {
  CompareArguments same = arguments;
  same.request.a = repeatable(arguments.request.a, head.runs_a);
  same.request.b = repeatable(arguments.request.b, head.runs_b);
  return command_of(same);
}

// Of "job:12", whose design has sides.
std::optional<std::uint64_t> job_of(std::string_view text) {
  constexpr std::string_view kKey = "job:";
  if (!text.starts_with(kKey)) return {};
  std::uint64_t job = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + kKey.size(), last, job);
  return error == std::errc{} && end == last && job > 0 ? std::optional{job} : std::nullopt;
}

// As the daemon takes it, beside what the caller wrote.
Outcome<CompareRequest> request_of(const CompareArguments& arguments, std::uint64_t now_us) {
  CompareRequest request = arguments.request;
  const bool text = is_utf8(request.a) && is_utf8(request.b) && std::ranges::all_of(request.changed, is_utf8);
  if (!text) return fail(Exit::usage, "the arguments are not UTF-8 text");
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
    auto instants = with_instants(*side, now_us);
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

// The runs of each side in `view` as a flame graph, into the file that the arguments name.
Outcome<void> draw_difference(Daemon& daemon, const CompareArguments& arguments, const CompareView& view) {
  if (arguments.flame.empty()) return {};
  const ComparisonView& head = view.details.comparison;
  const auto picture =
      exported_difference(daemon, head.runs_a.value_or(std::vector<std::uint64_t>{}), view.asked.a,
                          head.runs_b.value_or(std::vector<std::uint64_t>{}), view.asked.b);
  if (!picture) return std::unexpected(picture.error());
  return write_file(arguments.flame, *picture);
}

Outcome<CompareView> compare(Daemon& daemon, const CompareRequest& request,
                             const CompareArguments& arguments) {
  CompareArguments asked = arguments;
  if (request.b.empty()) {
    const auto job = request.job ? Outcome<std::uint64_t>{*request.job} : newest_design(daemon);
    if (!job) return std::unexpected(job.error());
    asked.request.job = *job;
    CompareRequest of_job = request;
    of_job.job = *job;
    auto view = compare_sides(daemon, std::move(of_job), command_of(asked));
    if (view) view->all = arguments.all;
    return view;
  }
  auto details = daemon.compare(request);
  if (!details) return std::unexpected(details.error());
  std::string command = command_of(asked, details->comparison);
  return CompareView{asked.request, std::move(command), arguments.all, std::move(*details), {}, {}};
}

Outcome<Exit> run_compare(const Settings& settings, const CompareArguments& arguments) {
  const Screen screen = screen_of(stdout);
  const auto request = request_of(arguments, screen.now_us);
  if (!request) return std::unexpected(request.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto compared = compare(*daemon, *request, arguments);
  if (!compared) return std::unexpected(compared.error());
  const CompareView& view = *compared;
  if (const auto drawn = draw_difference(*daemon, arguments, view); !drawn)
    return std::unexpected(drawn.error());
  switch (settings.format) {
    case Format::table:
      put_page(compare_text(screen, view));
      break;
    case Format::json:
      put(compare_json(view));
      break;
    case Format::csv:
      put(compare_csv(view));
      break;
  }
  return exit_of(view.details.comparison.verdict, arguments.fail_on);
}

}  // namespace

Verb add_compare(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two sets of runs: was it faster, by how much, how sure, and in which function");
  const auto arguments = std::make_shared<CompareArguments>();
  CompareRequest& request = arguments->request;
  command
      ->add_option(
          "A", request.a,
          "The runs before: numbers and ranges (41,43-45), label:TEXT, scenario:NAME, job:NUMBER, "
          "variant:NAME, arm:plain, arm:traced, since:TIME, until:TIME, last or last:N; several "
          "can be combined with spaces or commas. Without B: job:NUMBER or last, a job with a design")
      ->required()
      ->type_name("");
  command->add_option("B", request.b, "The runs after, likewise")->type_name("");
  command
      ->add_option("--changed", request.changed,
                   "What differs on purpose between A and B: kernel, module:NAME, sysctl:KEY, nic, cpu, irq, "
                   "rps, xps, "
                   "qdisc, clock, iperf3, topology or trace; repeatable")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  command->add_flag("--despite", request.despite,
                    "Compare even if something else differs that can explain the result");
  command
      ->add_option("--threshold", arguments->threshold,
                   "Ignore differences smaller than this: within it, runs are equivalent (1%)")
      ->type_name("PERCENT");
  add_fail_on(*command, arguments->fail_on,
              "What ends with an error: regression (exit code 8), inconclusive (6; too few and refused too), "
              "both with a comma between them (the default), or never");
  command->add_flag("--all", arguments->all,
                    "Show all functions and facts, and retransmits even if they did not change");
  command
      ->add_option("--flame", arguments->flame,
                   "Also write a differential flame graph (SVG) of the samples of both sides to this file")
      ->type_name("FILE");
  command->footer(
      "Example:\n"
      "  netperfctl compare label:before label:after --changed kernel\n"
      "  netperfctl compare 41-48 'scenario:hsr-ring since:2h'\n"
      "  netperfctl compare job:12 job:15 --fail-on regression\n"
      "  netperfctl compare job:31                          the sides of its design");
  return {command, [&settings, arguments] { return run_compare(settings, *arguments); }};
}

}  // namespace netperfctl
