// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/follower.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct ShowArguments {
  std::string run = "last";
  bool intervals = false, streams = false, environment = false, counters = false, tcp = false,
       profile = false;
  TraceLists trace;
  FunctionLists functions;
  std::string document;
  bool with_page = false;

  [[nodiscard]] bool lists_anything() const {
    return intervals || streams || environment || counters || tcp || profile || trace.any() ||
           functions.functions || functions.tree || functions.callers || !document.empty();
  }
};

Outcome<void> fetch_trace(Daemon& daemon, ShowView& view) {
  const RunView& run = view.details.run;
  if (!run.trace_events && !run.trace_skipped && !run.trace_broken) return {};
  auto trace = daemon.trace(run.run);
  if (!trace && trace.error().exit == Exit::not_found) return {};
  if (!trace) return std::unexpected(trace.error());
  view.trace = std::move(*trace);
  if (view.trace->trace.skipped) return {};
  constexpr std::uint32_t kOnThePage = 3;
  auto stacks =
      daemon.trace_stacks(run.run, view.trace_lists.stacks ? std::nullopt : std::optional{kOnThePage});
  if (!stacks) return std::unexpected(stacks.error());
  view.stacks = std::move(*stacks);
  if (!view.trace_lists.events) return {};
  auto samples = daemon.trace_samples(run.run);
  if (!samples) return std::unexpected(samples.error());
  view.samples = std::move(*samples);
  return {};
}

Outcome<void> fetch_functions(Daemon& daemon, ShowView& view) {
  if (!view.trace || view.trace->trace.skipped) return {};
  auto profile = daemon.profile(view.details.run.run, view.function_lists, view.trace_lists.over_time);
  // Events alone were traced.
  if (!profile && profile.error().exit == Exit::not_found) return {};
  if (!profile) return std::unexpected(profile.error());
  view.functions = std::move(*profile);
  if (!view.details.run.job) return {};
  auto budget = daemon.budget(*view.details.run.job);
  if (!budget) return std::unexpected(budget.error());
  view.budget = std::move(*budget);
  return {};
}

Outcome<void> fetch_counters(Daemon& daemon, ShowView& view, Format format) {
  // The page has the noise of the host, and that of a TCP run its counter of retransmissions, whether it
  // lists all or not.
  const bool on_the_page = format == Format::table && view.with_page && view.details.run.protocol.has_value();
  if (!view.list_counters && !view.list_tcp && !on_the_page) return {};
  auto counters = daemon.counters(view.details.run.run, view.list_tcp);
  if (!counters && counters.error().exit == Exit::not_found) return {};
  if (!counters) return std::unexpected(counters.error());
  view.counters = std::move(*counters);
  return {};
}

Outcome<void> fetch_samples(Daemon& daemon, ShowView& view) {
  // The stacks of a traced run are those of its events.
  const bool stacks = view.trace_lists.stacks && !view.trace;
  if (!view.list_profile && !stacks) return {};
  auto sampled = daemon.samples(view.details.run.run, view.list_profile, stacks);
  if (!sampled && sampled.error().exit == Exit::not_found) return {};
  if (!sampled) return std::unexpected(sampled.error());
  view.sampled = std::move(*sampled);
  return {};
}

Outcome<void> fetch_environment(Daemon& daemon, ShowView& view) {
  if (!view.list_environment) return {};
  auto environment = daemon.environment(view.details.run.run);
  if (!environment && environment.error().exit == Exit::not_found) return {};
  if (!environment) return std::unexpected(environment.error());
  view.environment = std::move(*environment);
  return {};
}

Outcome<ShowView> fetch(Daemon& daemon, std::uint64_t run, const ShowArguments& arguments, Format format) {
  ShowView view;
  view.with_page = arguments.with_page || !arguments.lists_anything();
  view.list_intervals = arguments.intervals;
  view.list_streams = arguments.streams;
  view.list_environment = arguments.environment;
  view.list_counters = arguments.counters;
  view.list_tcp = arguments.tcp;
  view.list_profile = arguments.profile;
  view.trace_lists = arguments.trace;
  view.function_lists = arguments.functions;
  auto details = daemon.run(run);
  if (!details) return std::unexpected(details.error());
  view.details = std::move(*details);
  const std::uint64_t number = view.details.run.run;
  if (view.details.run.job) {
    auto job = daemon.job(*view.details.run.job);
    if (!job && job.error().exit != Exit::not_found) return std::unexpected(job.error());
    if (job) view.job = std::move(*job);
  }
  // The page draws its sparkline of the intervals, whether it lists them or not.
  const bool table_or_csv = format == Format::table || (format == Format::csv && !arguments.streams);
  if (table_or_csv || arguments.intervals) {
    auto intervals = daemon.intervals(number);
    if (!intervals) return std::unexpected(intervals.error());
    view.intervals = std::move(*intervals);
  }
  if (arguments.streams) {
    auto streams = daemon.streams(number);
    if (!streams) return std::unexpected(streams.error());
    view.streams = std::move(*streams);
  }
  if (const auto done = fetch_counters(daemon, view, format); !done) return std::unexpected(done.error());
  if (const auto done = fetch_environment(daemon, view); !done) return std::unexpected(done.error());
  if (const auto traced = fetch_trace(daemon, view); !traced) return std::unexpected(traced.error());
  if (const auto traced = fetch_functions(daemon, view); !traced) return std::unexpected(traced.error());
  if (const auto done = fetch_samples(daemon, view); !done) return std::unexpected(done.error());
  return view;
}

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
  if (!run) return std::unexpected(run.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (!arguments.document.empty()) return show_document(*daemon, *run, arguments.document);
  const auto view = fetch(*daemon, *run, arguments, settings.format);
  if (!view) return std::unexpected(view.error());
  switch (settings.format) {
    case Format::table:
      put_page(show_text(screen_of(stdout), *view));
      break;
    case Format::json:
      put(show_json(*view));
      break;
    case Format::csv:
      put(show_csv(*view));
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
  command->add_flag("--with-page", arguments->with_page,
                    "Show the page of the run too, above the lists of the other options");
  command->add_flag("--intervals", arguments->intervals, "List its intervals");
  command->add_flag("--streams", arguments->streams, "List its streams");
  command->add_flag("--counters", arguments->counters,
                    "List the counters of the kernel during the run: protocols, devices, softirqs, CPU time");
  command->add_flag("--tcp", arguments->tcp, "List samples of its TCP connections, twice a second");
  command->add_flag("--profile", arguments->profile,
                    "List what the CPUs did in a run that was not traced, by samples: functions and shares");
  command->add_flag("--environment", arguments->environment,
                    "List the kernel, modules, settings and devices of the run");
  TraceLists& trace = arguments->trace;
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
  FunctionLists& functions = arguments->functions;
  command->add_flag("--functions", functions.functions,
                    "List all functions that were called, with all of their figures");
  command->add_flag("--tree", functions.tree, "List who called whom, from the first traced caller on");
  command->add_flag("--callers", functions.callers, "List each function with its callers");
  command
      ->add_option(
          "--document", arguments->document,
          "Write a document byte for byte: client.stdout, client.stderr, server.stdout and server.stderr "
          "of iperf3, "
          "or trace.dat (for root)")
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
