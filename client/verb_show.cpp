#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "client/daemon.hpp"
#include "client/render.hpp"
#include "client/verbs.hpp"

namespace netperfctl {
namespace {

struct ShowArguments {
  std::string run = "last";
  bool intervals = false, streams = false;
  std::string document;
};

// 0 for "last", as GetRun has it.
Outcome<std::uint64_t> run_number(const std::string& text) {
  if (text == "last") return 0;
  std::uint64_t run = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), run);
  if (error == std::errc{} && end == text.data() + text.size() && run > 0) return run;
  return fail(Exit::usage, fmt::format("\"{}\" is no run: its number, or `last`, was expected", text));
}

Outcome<ShowView> fetch(Daemon& daemon, std::uint64_t run, const ShowArguments& arguments, Format format) {
  ShowView view{.details = {},
                .job = {},
                .intervals = {},
                .streams = {},
                .list_intervals = arguments.intervals,
                .list_streams = arguments.streams};
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

Outcome<Exit> run_show(const Settings& settings, const ShowArguments& arguments) {
  const auto run = run_number(arguments.run);
  if (!run) return std::unexpected(run.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (!arguments.document.empty()) return show_document(*daemon, *run, arguments.document);
  const auto view = fetch(*daemon, *run, arguments, settings.format);
  if (!view) return std::unexpected(view.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, show_text(screen_of(stdout), *view));
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
      ->add_option("RUN", arguments->run,
                   "Number of the run, or `last` (the default): the newest that has ended")
      ->type_name("");
  command->add_flag("--intervals", arguments->intervals, "List its intervals");
  command->add_flag("--streams", arguments->streams, "List its streams");
  command
      ->add_option(
          "--document", arguments->document,
          "Write the bytes that iperf3 gave, as they came: client.stdout, client.stderr, server.stdout, "
          "server.stderr")
      ->type_name("NAME");
  command->footer(
      "Example:\n"
      "  netperfctl show last\n"
      "  netperfctl show 43 --document client.stdout > run43.json");
  return {command, [&settings, arguments] { return run_show(settings, *arguments); }};
}

}  // namespace netperfctl
