// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/choices.hpp"
#include "client/verbs/comparison_request.hpp"
#include "client/verbs/export_stacks.hpp"
#include "client/verbs/fail_on.hpp"
#include "client/verbs/new_file.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct CompareArguments {
  ComparisonArguments sides;
  FailOn fail_on{"regression", "inconclusive"};
  bool all = false;
  bool host = false;
  std::string flame;  // the file for the differential flame graph
  std::string form;   // of --format; empty: that of -o
};

// On what the runs of a side were measured.
Outcome<std::optional<SettingView>> setting_of(Daemon& daemon,
                                               const std::optional<std::vector<std::uint64_t>>& runs) {
  if (!runs || runs->empty()) return std::nullopt;
  auto details = daemon.run(runs->front());
  if (!details && details.error().exit == Exit::not_found) return std::nullopt;  // deleted in the meantime
  if (!details) return std::unexpected(details.error());
  SettingView setting{.run = std::move(details->run), .environment = {}};
  auto environment = daemon.environment(runs->front());
  if (environment) {
    setting.environment = std::move(*environment);
  } else if (environment.error().exit != Exit::not_found) {
    return std::unexpected(environment.error());
  }
  return setting;
}

Outcome<void> add_settings(Daemon& daemon, CompareView& view) {
  auto a = setting_of(daemon, view.details.comparison.runs_a);
  if (!a) return std::unexpected(a.error());
  auto b = setting_of(daemon, view.details.comparison.runs_b);
  if (!b) return std::unexpected(b.error());
  view.setting_a = std::move(*a);
  view.setting_b = std::move(*b);
  return {};
}

Outcome<void> put_form(Daemon& daemon, const std::string& form, CompareView& view) {
  if (form == "csv") {
    put(compare_figures_csv(view));
    return {};
  }
  if (const auto added = add_settings(daemon, view); !added) return added;
  put(form == "mail" ? compare_mail(view) : form == "junit" ? compare_junit(view) : compare_markdown(view));
  return {};
}

// The whole of a sweep.
Outcome<Exit> put_sweep(Daemon& daemon, const Settings& settings, const CompareArguments& arguments,
                        SweepView& view) {
  if (!arguments.flame.empty())
    return fail(Exit::usage, "this job is a sweep, and --flame is of one of its points: --point NUMBER");
  view.all = arguments.all;
  const std::string& form = arguments.form;
  if (!form.empty() && form != "csv") {
    const auto job = daemon.job(*view.asked.job);
    if (!job) return std::unexpected(job.error());
    auto setting = setting_of(daemon, job->job.runs);
    if (!setting) return std::unexpected(setting.error());
    view.setting = std::move(*setting);
  }
  if (form.empty() && settings.format == Format::table) {
    put_page(sweep_text(screen_of(stdout), view));
  } else if (form.empty() && settings.format == Format::json) {
    put(sweep_json(view));
  } else if (form == "mail" || form == "markdown") {
    put(form == "mail" ? sweep_mail(view) : sweep_markdown(view));
  } else {
    put(form == "junit" ? sweep_junit(view) : sweep_csv(view));
  }
  return exit_of(view.details, arguments.fail_on);
}

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
  auto compared = compare_asked(*daemon, *request, arguments.sides);
  if (!compared) return std::unexpected(compared.error());
  if (auto* swept = std::get_if<SweepView>(&*compared))
    return put_sweep(*daemon, settings, arguments, *swept);
  auto& view = std::get<CompareView>(*compared);
  view.all = arguments.all;
  if (const auto drawn = draw_difference(*daemon, arguments, view); !drawn)
    return std::unexpected(drawn.error());
  const Exit exit = exit_of(view.details.comparison.verdict, arguments.fail_on);
  if (!arguments.form.empty()) {
    const auto written = put_form(*daemon, arguments.form, view);
    return written ? Outcome<Exit>{exit} : std::unexpected(written.error());
  }
  switch (settings.format) {
    case Format::table:
      put_page(compare_text(screen, view));
      break;
    case Format::json:
      put(compare_json(view));
      break;
    case Format::csv:
      put(compare_csv(view));
      if (const std::string lacks = left_out_of_csv(view); !lacks.empty()) complain(lacks);
      break;
  }
  return exit;
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
      ->add_option(
          "--format", arguments->form,
          "Print the comparison for a place of its own, instead of in the format of --output: mail (72 "
          "columns of plain text, for a mail or a commit message), markdown, csv (the judged figures "
          "with their verdicts) or junit (XML for CI). The exit code is the same")
      ->check(one_of({"mail", "markdown", "csv", "junit"}))
      ->excludes(app.get_option("--output"))
      ->type_name("FORM");
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
      "  netperfctl compare job:31                          the sides of its design\n"
      "  netperfctl compare job:32 --point 3                one point of a sweep\n"
      "  netperfctl compare last --format mail              for a commit message");
  return {command, [&settings, arguments] { return run_compare(settings, *arguments); }};
}

}  // namespace netperfctl
