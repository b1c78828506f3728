// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/follower.hpp"
#include "client/verbs/job_words.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/shown_run.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct ShowArguments {
  std::string run = "last";
  RunParts parts;
  std::string document;

  [[nodiscard]] bool lists_anything() const { return parts.lists_anything() || !document.empty(); }
};

Outcome<Exit> show_document(Daemon& daemon, std::uint64_t run, const std::string& name) {
  if (run == 0) {
    const auto newest = daemon.run(0);
    if (!newest) return std::unexpected(newest.error());
    run = newest->run.run;
  }
  const auto document = daemon.document(run, name);
  if (!document) return std::unexpected(document.error());
  put(*document);
  return Exit::ok;
}

Outcome<Exit> show_job(const Settings& settings, const ShowArguments& arguments) {
  const auto number = job_number(arguments.run);
  if (!number) return std::unexpected(number.error());
  if (arguments.lists_anything()) {
    return fail(Exit::usage, fmt::format("{}: lists and documents are those of one run; `netperfctl runs {}` "
                                         "has the numbers of its runs",
                                         arguments.run, arguments.run));
  }
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  auto view = fetch_start_view(*daemon, *number);
  if (!view) return std::unexpected(view.error());
  auto boots = daemon->boots(*number);
  if (!boots) return std::unexpected(boots.error());
  view->boots = std::move(*boots);
  auto budget = daemon->budget(*number);
  if (!budget) return std::unexpected(budget.error());
  view->budget = std::move(*budget);
  const auto jobs = daemon->live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  const auto live = std::ranges::find(*jobs, *number, &LiveJobView::job);
  switch (settings.format) {
    case Format::table:
      put_page(job_text(screen_of(stdout), *view, live == jobs->end() ? nullptr : &*live));
      break;
    case Format::json:
      put(job_json(*view));
      break;
    case Format::csv:
      put(runs_csv(view->runs));
      break;
  }
  return Exit::ok;
}

Outcome<Exit> run_show(const Settings& settings, const ShowArguments& arguments) {
  if (arguments.run.starts_with("job:")) return show_job(settings, arguments);
  const auto run = run_number(arguments.run);
  if (!run) {
    return fail(Exit::usage,
                fmt::format("\"{}\" is neither a run (its number, or `last`) nor a job (job:NUMBER); "
                            "`netperfctl runs` takes a selection of runs",
                            arguments.run));
  }
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (!arguments.document.empty()) return show_document(*daemon, *run, arguments.document);
  const auto view = fetch_run(*daemon, *run, arguments.parts, settings.format);
  if (!view) return std::unexpected(with_other_meaning(*daemon, view.error(), arguments.run, "show"));
  switch (settings.format) {
    case Format::table:
      put_page(show_text(screen_of(stdout), *view));
      break;
    case Format::json:
      put(show_json(*view));
      break;
    case Format::csv:
      put(show_csv(*view));
      if (const std::string lacks = left_out_of_csv(*view); !lacks.empty()) complain(lacks);
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_show(CLI::App& app, const Settings& settings) {
  CLI::App* command =
      app.add_subcommand("show", "Show one run: what was measured, how good it is, and what next");
  const auto arguments = std::make_shared<ShowArguments>();
  command
      ->add_option(
          "RUN", arguments->run,
          "Number of the run, `last` (the default): the newest that has ended, or job:N: a whole job")
      ->type_name("");
  command->add_flag("--with-page", arguments->parts.with_page,
                    "Show the page of the run too, above the lists of the other options");
  command->add_flag("--intervals", arguments->parts.intervals, "List its intervals");
  command->add_flag("--streams", arguments->parts.streams, "List its streams");
  command->add_flag("--counters", arguments->parts.counters,
                    "List the counters of the kernel during the run: protocols, devices, softirqs, CPU time");
  command->add_flag("--tcp", arguments->parts.tcp, "List samples of its TCP connections, twice a second");
  command->add_flag("--queues", arguments->parts.queues,
                    "List samples of the queues of its network devices, twice a second");
  command->add_flag("--latency", arguments->parts.latency,
                    "List the latency of its probes: each phase and part of the way, and over time");
  command->add_flag("--figures", arguments->parts.figures,
                    "List the figures that its workload or its scenario brought");
  command->add_flag(
      "--samples,--profile", arguments->parts.samples,
      "List what the CPUs did in a run that was not traced, by samples: functions, their shares and what "
      "they take per byte, packet or transaction");
  command->add_flag("--environment", arguments->parts.environment,
                    "List the kernel, modules, settings and devices of the run");
  TraceLists& trace = arguments->parts.trace;
  command->add_flag(
      "--events", trace.events,
      "List the first and the last few kernel events with all fields (for the run's owner and root)");
  command->add_flag("--drops", trace.drops, "List all drops by reason and place");
  command->add_flag("--stacks", trace.stacks,
                    "List all stacks, a frame a line: of a trace its events, otherwise the samples");
  command->add_flag("--marks", trace.marks, "List all marks");
  command->add_flag("--cpus", trace.cpus, "List what each CPU's buffer held and lost");
  command->add_flag("--over-time", trace.over_time,
                    "List the events by time slice, and draw the functions over time");
  FunctionLists& functions = arguments->parts.functions;
  command->add_flag("--functions", functions.functions,
                    "List all functions that were called, with all of their figures");
  command->add_flag("--tree", functions.tree, "List who called whom, from the first traced caller on");
  command->add_flag("--callers", functions.callers, "List each function with its callers");
  command
      ->add_option(
          "--document", arguments->document,
          "Write a document byte for byte: client.stdout, client.stderr, server.stdout and server.stderr "
          "of iperf3, command.output of a side's command that failed, or trace.dat (for root)")
      ->type_name("NAME");
  command->footer(
      "Example:\n"
      "  netperfctl show last\n"
      "  netperfctl show job:12\n"
      "  netperfctl show 43 --functions --tree\n"
      "  netperfctl show 43 --document client.stdout > run43.json");
  return {command, [&settings, arguments] { return run_show(settings, *arguments); }};
}

}  // namespace netperfctl
