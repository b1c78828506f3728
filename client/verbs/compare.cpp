// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/comparison_request.hpp"
#include "client/verbs/export_stacks.hpp"
#include "client/verbs/fail_on.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct CompareArguments {
  ComparisonArguments sides;
  FailOn fail_on{"regression", "inconclusive"};
  bool all = false;
  bool host = false;
  std::string flame;  // the file for the differential flame graph
};

// The runs of each side in `view` as a flame graph, into the file that the arguments name.
Outcome<void> draw_difference(Daemon& daemon, const CompareArguments& arguments, const CompareView& view) {
  if (arguments.flame.empty()) return {};
  const auto picture = flame_of_difference(daemon, view, arguments.host);
  if (!picture) return std::unexpected(picture.error());
  return write_file(arguments.flame, flame::svg(*picture));
}

Outcome<Exit> run_compare(const Settings& settings, const CompareArguments& arguments) {
  const Screen screen = screen_of(stdout);
  const auto request = comparison_request(arguments.sides, screen.now_us);
  if (!request) return std::unexpected(request.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  auto compared = compare(*daemon, *request, arguments.sides);
  if (!compared) return std::unexpected(compared.error());
  compared->all = arguments.all;
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
  add_sides(*command, arguments->sides, "Without B: job:NUMBER or last, a job with a design");
  add_comparison_options(*command, arguments->sides);
  add_fail_on(*command, arguments->fail_on,
              "What ends with an error: regression (exit code 8; a trade-off too), inconclusive (6; too few "
              "and refused too), "
              "both with a comma between them (the default), or never");
  command->add_flag("--all", arguments->all,
                    "Show all functions and facts, and retransmits even if they did not change");
  command
      ->add_option("--flame", arguments->flame,
                   "Also write a differential flame graph (SVG) of the samples of both sides to this file")
      ->type_name("FILE");
  command
      ->add_flag("--host", arguments->host,
                 "With --flame: draw all tasks, not only the workload and its packets")
      ->needs("--flame");
  command->footer(
      "Example:\n"
      "  netperfctl compare label:before label:after --changed kernel\n"
      "  netperfctl compare 41-48 'scenario:hsr-ring since:2h'\n"
      "  netperfctl compare job:12 job:15 --fail-on regression\n"
      "  netperfctl compare job:31                          the sides of its design");
  return {command, [&settings, arguments] { return run_compare(settings, *arguments); }};
}

}  // namespace netperfctl
