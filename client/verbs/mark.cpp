// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct MarkArguments {
  std::uint64_t job = 0;  // 0: mine
  std::string text;
};

// The only live job that the caller started.
Outcome<std::uint64_t> own_job(Daemon& daemon) {
  const auto jobs = daemon.live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  std::vector<std::uint64_t> mine;
  for (const LiveJobView& job : *jobs) {
    if (job.owner == ::geteuid() && !has_ended(job.state.value_or(""))) mine.push_back(job.job);
  }
  if (mine.size() == 1) return mine.front();
  if (mine.empty()) {
    const bool others = ::geteuid() == 0 && !jobs->empty();
    return fail(Exit::not_found, fmt::format("no job of yours is live; `netperfctl jobs` lists them{}",
                                             others ? "; with --job N root marks any" : ""));
  }
  return fail(Exit::usage, fmt::format("these jobs of yours are live: {}. Say which: --job {}",
                                       fmt::join(mine, ", "), mine.front()));
}

Outcome<Exit> run_mark(const Settings& settings, const MarkArguments& arguments) {
  if (!is_utf8(arguments.text)) return fail(Exit::usage, "the text is not UTF-8");
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto job = arguments.job > 0 ? Outcome<std::uint64_t>{arguments.job} : own_job(*daemon);
  if (!job) return std::unexpected(job.error());
  if (const auto marked = daemon->mark(*job, arguments.text); !marked) return std::unexpected(marked.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, fmt::format("job {}: marked.\n", *job));
      break;
    case Format::json:
      put(marked_json(*job, arguments.text));
      break;
    case Format::csv:
      put(numbers_csv("job", std::array{*job}));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_mark(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("mark", "Write a line of text into the trace, at this moment");
  const auto arguments = std::make_shared<MarkArguments>();
  command->add_option("--job", arguments->job, "The job; without it the one of yours that is live")
      ->transform(without_job_key())
      ->check(number_of("job"))
      ->type_name("JOB");
  command->add_option("TEXT", arguments->text, "One line of at most 200 bytes")->required()->type_name("");
  command->footer("Example:\n  netperfctl mark 'second phase'");
  return {command, [&settings, arguments] { return run_mark(settings, *arguments); }};
}

}  // namespace netperfctl
