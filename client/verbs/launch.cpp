// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/launch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "client/base/command_words.hpp"
#include "client/pages/render.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/terminal.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "client/verbs/numbers.hpp"

namespace netperfctl {
namespace {

// The user reads the file, not the daemon, which is root and may read more.
Outcome<std::string> read_job(const std::string& path) {
  constexpr std::size_t kLimit = 65536;  // the daemon's
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  const File opened{path == "-" ? nullptr : std::fopen(path.c_str(), "re"), &std::fclose};
  if (path != "-" && !opened) {
    return fail(Exit::usage, fmt::format("{}: {}", path, std::generic_category().message(errno)));
  }
  std::FILE* file = opened ? opened.get() : stdin;
  std::string text(kLimit + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  if (std::ferror(file) != 0) return fail(Exit::usage, path + ": cannot be read");
  if (text.size() > kLimit)
    return fail(Exit::usage, fmt::format("{}: a job is {} bytes at most", path, kLimit));
  // D-Bus would cut the text at a NUL and refuses other encodings without saying where.
  if (text.contains('\0') || !is_utf8(text)) return fail(Exit::usage, path + ": is not UTF-8 text");
  return text;
}

Outcome<void> check_words(const LaunchArguments& arguments) {
  const std::string label = arguments.options.label.value_or("");
  if (!is_utf8(arguments.what) || !is_utf8(label) ||
      !std::ranges::all_of(arguments.options.overrides, is_utf8)) {
    return fail(Exit::usage, "the arguments are not UTF-8 text");
  }
  return {};
}

// The errors of an invalid job, one per line, followed by the outcome.
Failure with_count(Failure failure) {
  if (failure.exit != Exit::usage) return failure;
  while (failure.message.ends_with('\n')) failure.message.pop_back();
  const auto errors = static_cast<std::uint64_t>(std::ranges::count(failure.message, '\n')) + 1;
  put_lines(stderr, printable(failure.message, "\n"));
  if (failure.may_be_forced) {
    return {
        Exit::usage,
        fmt::format("This could not end in an answer, for {}; nothing was started. `--force` measures all "
                    "the same.",
                    plural(errors, "reason")),
        Step::asked,
        {}};
  }
  return {Exit::usage, fmt::format("{}; nothing was started.", plural(errors, "error")), Step::asked, {}};
}

Failure with_hint(Failure failure, const std::string& scenario) {
  if (failure.exit != Exit::not_found) return failure;
  std::error_code ignored;
  failure.message +=
      std::filesystem::is_regular_file(scenario, ignored)
          ? fmt::format("\nThere is a file of that name here: `netperfctl start ./{}`.", scenario)
          : "\n`netperfctl scenarios` lists those there are.";
  return failure;
}

Outcome<std::uint64_t> start(Daemon& daemon, const LaunchArguments& arguments) {
  if (!is_job_file(arguments.what)) {
    auto job = daemon.start_scenario(arguments.what, arguments.options);
    if (!job) return std::unexpected(with_count(with_hint(job.error(), arguments.what)));
    return job;
  }
  const auto text = read_job(arguments.what);
  if (!text) return std::unexpected(text.error());
  auto job = daemon.start_job(*text, arguments.what == "-" ? "stdin" : arguments.what, arguments.options);
  if (!job) return std::unexpected(with_count(job.error()));
  return job;
}

// A job of so many bytes has no planned length either, and ends by itself.
Outcome<bool> goes_on_until_stopped(Daemon& daemon, const LiveJobView& job) {
  if (job.planned_s) return false;
  const auto view = fetch_start_view(daemon, job.job);
  if (!view) return std::unexpected(view.error());
  return std::ranges::any_of(view->runs, [](const RunView& run) { return page_of(run).until_stopped; });
}

Outcome<LaunchedJob> find_job(Daemon& daemon, std::uint64_t number) {
  const auto jobs = daemon.live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  const auto found = std::ranges::find(*jobs, number, &LiveJobView::job);
  if (found == jobs->end()) {
    return fail(Exit::other, fmt::format("job {} was accepted, but the daemon does not list it", number));
  }
  const auto until_stopped = goes_on_until_stopped(daemon, *found);
  if (!until_stopped) return std::unexpected(until_stopped.error());
  const auto before = std::ranges::count_if(
      *jobs, [&](const LiveJobView& job) { return job.job < number && !has_ended(job.state.value_or("")); });
  return LaunchedJob{*found, *until_stopped, static_cast<std::size_t>(before)};
}

// The difference that so many runs detect, judging by the scenario's stored runs of the same test: others
// spread in another way. Empty if these are not enough.
std::string power_of(Daemon& daemon, const LaunchedJob& launched, const std::string& what) {
  const LiveJobView& job = launched.job;
  const std::size_t runs = job.runs ? job.runs->size() : 0;
  if (runs < 2 || !job.scenario || job.purpose.value_or("measurement") != "measurement") return {};
  const std::uint32_t samples = job.blocks.value_or(static_cast<std::uint32_t>(runs));
  // A block whose letters run plain and traced is eight runs.
  const auto plan = daemon.plan({.runs = selection_term("scenario", *job.scenario) + " last:200",
                                 .effect = {},
                                 .power = {},
                                 .repeat = samples,
                                 .like_job = job.job});
  // Stored runs that were not in blocks do not tell of blocks.
  const char* pairing = job.variant_a ? "blocks" : "runs";
  return plan && plan->pairing == pairing ? power_text(*plan, what) : std::string{};
}

}  // namespace

bool is_job_file(const std::string& what) {
  return what == "-" || what.contains('/') || what.ends_with(".yaml") || what.ends_with(".yml");
}

void add_launch_options(CLI::App& command, LaunchArguments& arguments, const std::string& repeat_words) {
  command
      .add_option("SCENARIO|FILE", arguments.what,
                  "An installed scenario or, if it has a '/' or ends in .yaml or .yml, a job file of "
                  "your own; `-` reads the job from stdin")
      ->required()
      ->type_name("");
  command
      .add_option("--set", arguments.options.overrides,
                  "Override a key of the job, such as workload.iperf3.streams=8; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--label", arguments.options.label, "Your word for these runs, such as before or after")
      ->type_name("LABEL");
  command.add_option("--repeat", arguments.options.repeat, repeat_words)
      ->type_name("N")
      ->check(count_above_zero());
  command.add_flag(
      "--force", arguments.options.force,
      "Start also what is known not to end in an answer: too few blocks or answers, or something "
      "that is missing");
  command.add_flag("--cancel-on-interrupt", arguments.options.tied,
                   "The job ends with this command, by Ctrl-C or in any other way; without this option "
                   "it goes on");
}

std::string command_of(const char* verb, const LaunchArguments& arguments) {
  std::string command = fmt::format("netperfctl {} {}", verb, for_a_shell(arguments.what));
  for (const std::string& key : arguments.options.overrides) command += " --set " + for_a_shell(key);
  return command;
}

std::string until_decided(std::uint32_t most) {
  return fmt::format("until={{decided: true, most: {}}}", most);
}

Outcome<JobSize> job_size(Daemon& daemon, const LaunchArguments& arguments) {
  StartOptions options;
  options.overrides = arguments.options.overrides;
  options.repeat = 1;
  if (!is_job_file(arguments.what)) return daemon.check_scenario(arguments.what, options);
  const auto text = read_job(arguments.what);
  if (!text) return std::unexpected(text.error());
  return daemon.check_job(*text, arguments.what, options);
}

Outcome<LaunchedJob> launch(Daemon& daemon, const LaunchArguments& arguments) {
  if (const auto checked = check_words(arguments); !checked) return std::unexpected(checked.error());
  const auto number = start(daemon, arguments);
  if (!number) return std::unexpected(number.error());
  return find_job(daemon, *number);
}

Outcome<Exit> exit_without_result(const Followed& followed, const Failure& failure) {
  if (followed.exit == Exit::ok) return std::unexpected(failure);
  complain(failure.message);
  return followed.exit;
}

Outcome<Followed> launch_and_follow(Format format, const LaunchArguments& arguments) {
  auto loop = Loop::create();
  if (!loop) return std::unexpected(loop.error());
  Follower follower{*loop, format, arguments.options.tied};
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (const auto following = daemon->follow(*loop, follower); !following)
    return std::unexpected(following.error());
  const auto launched = launch(*daemon, arguments);
  if (!launched) return std::unexpected(launched.error());
  put_lines(
      format == Format::table ? stdout : stderr,
      started_text(launched->job, launched->before, arguments.options.tied, launched->until_stopped,
                   power_of(*daemon, *launched, for_a_shell(arguments.what)), screen_of(stdout).now_us));
  return follower.follow(*daemon, launched->job);
}

}  // namespace netperfctl
