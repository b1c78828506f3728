// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "client/base/command_words.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/terminal.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "client/verbs/comparison_request.hpp"
#include "client/verbs/new_file.hpp"
#include "client/verbs/report_contents.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct ReportArguments {
  ComparisonArguments sides;
  std::string file;  // empty: stdout
};

// The command that makes the report: the same words and options as those of `compare`.
std::string again(const std::string& compare, const std::string& file) {
  constexpr std::string_view kCompare = "netperfctl compare";
  return fmt::format("netperfctl report{}{}", compare.substr(kCompare.size()),
                     file.empty() ? "" : " -O " + for_a_shell(file));
}

Outcome<Exit> run_report(const Settings& settings, const ReportArguments& arguments) {
  if (settings.format != Format::table)
    return fail(Exit::usage, "a report is HTML: -o json is an option of compare and show");
  if (arguments.file.empty() && ::isatty(STDOUT_FILENO) != 0)
    return fail(Exit::usage, "a report is a page for a browser: -O FILE.html writes it to a file");
  if (!is_utf8(arguments.sides.request.a)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  auto report = report_contents(*daemon, arguments.sides);
  if (!report) return std::unexpected(report.error());
  report->again = again(report->again, arguments.file);
  const std::string text = report::html(*report);
  if (arguments.file.empty()) {
    put(text);
    return Exit::ok;
  }
  if (const auto written = write_file(arguments.file, text); !written)
    return std::unexpected(written.error());
  put_text(stdout, fmt::format("{}: {} written to {}\n", report->title, format_bytes(text.size()),
                               printable(arguments.file)));
  return Exit::ok;
}

}  // namespace

Verb add_report(CLI::App& app, const Settings& settings) {
  CLI::App* command =
      app.add_subcommand("report", "Write a comparison, a job or runs as one page for a browser");
  const auto arguments = std::make_shared<ReportArguments>();
  add_sides(*command, arguments->sides,
            "Without B: a job (job:NUMBER, or last, the newest with a design), a run or several");
  add_comparison_options(*command, arguments->sides);
  command->add_option("-O,--to", arguments->file, "The file to write; without it stdout")->type_name("FILE");
  command->footer(
      "Example:\n"
      "  netperfctl report job:31 -O report.html\n"
      "  netperfctl report label:before label:after --changed kernel -O report.html\n"
      "  netperfctl report 43 -O run43.html");
  return {command, [&settings, arguments] { return run_report(settings, *arguments); }};
}

}  // namespace netperfctl
