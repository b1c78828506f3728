// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs `relabel` and `note`, which change words about what was measured.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct WordsArguments {
  std::string of;  // a job, or a run
  std::string text;
};

Outcome<Exit> run_relabel(const Settings& settings, const WordsArguments& arguments) {
  const auto job = job_number(arguments.of);
  if (!job) return std::unexpected(job.error());
  if (!is_utf8(arguments.text)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (const auto done = daemon->set_label(*job, arguments.text); !done) return std::unexpected(done.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, arguments.text.empty()
                           ? fmt::format("job {} has no label\n", *job)
                           : fmt::format("job {} is labelled {}\n", *job, printable(arguments.text)));
      break;
    case Format::json:
      put(labelled_json(*job, arguments.text));
      break;
    case Format::csv:
      put(numbers_csv("job", std::span{&*job, 1}));
      break;
  }
  return Exit::ok;
}

Outcome<Exit> run_note(const Settings& settings, const WordsArguments& arguments) {
  auto run = run_number(arguments.of);
  if (!run) return std::unexpected(run.error());
  if (!is_utf8(arguments.text)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (*run == 0) {
    const auto newest = daemon->run(0);
    if (!newest) return std::unexpected(newest.error());
    run = newest->run.run;
  }
  if (const auto done = daemon->set_note(*run, arguments.text); !done) return std::unexpected(done.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, arguments.text.empty() ? fmt::format("run {} has no note\n", *run)
                                              : fmt::format("run {}: {}\n", *run, printable(arguments.text)));
      break;
    case Format::json:
      put(noted_json(*run, arguments.text));
      break;
    case Format::csv:
      put(numbers_csv("run", std::span{&*run, 1}));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_relabel(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("relabel", "Give a job that has ended another label");
  const auto arguments = std::make_shared<WordsArguments>();
  command->add_option("JOB", arguments->of, "Number of the job, or job:N")->required()->type_name("");
  command->add_option("LABEL", arguments->text, "The label of all its runs from now on; '' for none")
      ->required()
      ->type_name("");
  command->footer("Example:\n  netperfctl relabel 12 before");
  return {command, [&settings, arguments] { return run_relabel(settings, *arguments); }};
}

Verb add_note(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("note", "Write a line about a run, which its page and lists show");
  const auto arguments = std::make_shared<WordsArguments>();
  command->add_option("RUN", arguments->of, "Number of the run, or `last`: the newest that has ended")
      ->required()
      ->type_name("");
  command->add_option("TEXT", arguments->text, "One line, in place of the note before; '' for none")
      ->required()
      ->type_name("");
  command->footer("Example:\n  netperfctl note 43 'cable replaced during this run'");
  return {command, [&settings, arguments] { return run_note(settings, *arguments); }};
}

}  // namespace netperfctl
