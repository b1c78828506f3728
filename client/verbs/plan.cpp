// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/base/command_words.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/plan_steps.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/launch.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/plan_boots.hpp"
#include "client/verbs/selection.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

// The daemon's limits (PlanRuns in org.netperfd1.Manager.xml).
constexpr std::uint32_t kFewestUntil = 6;
constexpr std::uint32_t kMostUntil = 500;

struct PlanArguments {
  LaunchArguments launch;
  std::string power = "80%";
  std::string effect, threshold;               // empty: the daemon's
  std::string runs;                            // empty: of a pilot
  std::string figure;                          // empty: the first one that the scenario declares
  bool yes = false;                            // the pilot may reboot the machine
  std::optional<std::uint32_t> until_decided;  // the most blocks; absent: as the scenario says
};

// What is planned from, and what is to be found.
struct Question {
  PlanRequest request;
  std::optional<std::uint64_t> pilot;
  std::string scenario;  // the job's own name
};

// Of the newest job of the scenario that was a measurement: runs, or blocks of a design.
std::optional<std::uint32_t> last_repeat(Daemon& daemon, const std::string& scenario) {
  RunFilter filter;
  filter.scenario = scenario;
  filter.purpose = "measurement";
  filter.owner = "me";
  const auto page = daemon.runs(filter, 1);
  return page && !page->runs.empty() ? page->runs.front().repeat : std::nullopt;
}

// The newest job of the scenario with two sides, or the pilot's.
std::optional<JobDetails> sides_of(Daemon& daemon, const Question& question) {
  std::optional<std::uint64_t> job = question.pilot;
  if (!job) {
    RunFilter filter;
    filter.scenario = question.scenario;
    filter.owner = "me";
    const auto page = daemon.runs(filter, 1);
    if (page && !page->runs.empty()) job = page->runs.front().job;
  }
  if (!job) return {};
  auto details = daemon.job(*job);
  return details ? std::optional{std::move(*details)} : std::nullopt;
}

// None where the daemon does not say what it would accept, such as to a user who may not start anything.
PlanSteps steps_for(Daemon& daemon, const PlanArguments& arguments, const Question& question,
                    const PlanView& plan) {
  if (arguments.launch.what == "-") return {};  // it has been read
  const auto size = job_size(daemon, arguments.launch);
  if (!size) return {};
  PlanQuestion steps{.start = command_of("start", arguments.launch),
                     .label = {},
                     .name_a = {},
                     .name_b = {},
                     .reboots = plan.pairing == "boots",
                     .size = *size};
  steps.label = question.pilot ? fmt::format("plan-{}", *question.pilot)
                               : fmt::format("plan-{}-blocks", plan.needed.value_or(0));
  if (const auto sides = sides_of(daemon, question)) {
    steps.name_a = sides->job.variant_a.value_or("");
    steps.name_b = sides->job.variant_b.value_or("");
  }
  PlanSteps found = steps_of(plan, steps);
  if (found.most.value_or(0) == 0) return found;
  PlanRequest request = question.request;
  request.repeat = found.most;
  if (const auto of_most = daemon.plan(request)) found.most_detectable = of_most->detectable;
  return found;
}

Outcome<PlanPageView> ask(const PlanArguments& arguments, const Question& question) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  PlanPageView page;
  page.scenario = arguments.launch.what;
  page.runs = question.request.runs;
  page.job = question.pilot;
  PlanRequest request = question.request;
  request.repeat = page.repeat = last_repeat(*daemon, question.scenario);
  auto plan = daemon->plan(request);
  if (plan && plan->blocks_each && request.repeat) {  // which counts blocks
    request.repeat.reset();
    page.repeat.reset();
    plan = daemon->plan(request);
  } else if (plan && plan->pairing == "boots" && request.repeat) {
    request.repeat = page.repeat = *request.repeat * kBootsOfSideInBlock;
    plan = daemon->plan(request);
  }
  if (!plan) return std::unexpected(plan.error());
  page.plan = std::move(*plan);
  page.steps = steps_for(*daemon, arguments, question, page.plan);
  request.repeat.reset();
  for (const double factor : std::array{1.0, 1.5, 2.0, 3.0, 5.0, 10.0}) {
    request.effect = std::min(1.0, factor * page.plan.threshold.value_or(0.01));
    auto of_effect = daemon->plan(request);
    if (!of_effect) return std::unexpected(of_effect.error());
    page.effects.push_back(std::move(*of_effect));
  }
  return page;
}

void show(Format format, const PlanPageView& page) {
  switch (format) {
    case Format::table:
      put_text(stdout, (page.job ? "\n" : "") + plan_text(screen_of(stdout), page));
      break;
    case Format::json:
      put(plan_json(page));
      break;
    case Format::csv:
      put(plan_csv(page));
      break;
  }
}

Outcome<PlanRequest> request_of(const PlanArguments& arguments) {
  PlanRequest request;
  for (const auto& [option, text, share] :
       {std::tuple{"--effect", &arguments.effect, &request.effect},
        std::tuple{"--threshold", &arguments.threshold, &request.threshold}}) {
    if (text->empty()) continue;
    const auto given = share_of(option, *text);
    if (!given) return std::unexpected(given.error());
    *share = *given;
  }
  if (arguments.until_decided &&
      (*arguments.until_decided < kFewestUntil || *arguments.until_decided > kMostUntil)) {
    return fail(Exit::usage, fmt::format("--until-decided: {}; expected is a number of blocks from {} to {}",
                                         *arguments.until_decided, kFewestUntil, kMostUntil));
  }
  request.until_most = arguments.until_decided;
  const auto power = share_of("--power", arguments.power);
  if (!power) return std::unexpected(power.error());
  request.power = *power;
  if (!is_utf8(arguments.figure)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  if (!arguments.figure.empty()) request.figure = arguments.figure;
  if (arguments.runs.empty()) return request;
  if (!is_utf8(arguments.runs)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  auto runs = for_the_daemon(arguments.runs, screen_of(stdout).now_us);
  if (!runs) return std::unexpected(runs.error());
  request.runs = std::move(*runs);
  return request;
}

// The defaults always have an answer. An older netperfd refuses the option `plan`.
bool says_what_to_find(const PlanArguments& arguments) {
  return !arguments.effect.empty() || !arguments.threshold.empty() || !arguments.figure.empty() ||
         arguments.power != PlanArguments{}.power;
}

// Absent: plan as for any other scenario. A pilot that would reboot the machine is not made if stored boots
// are enough: then they are what is planned from.
Outcome<std::optional<Exit>> plan_of_boots(const PlanArguments& arguments, const LaunchArguments& pilot,
                                           Question& question) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto boots = boots_of_pilot(*daemon, pilot);
  if (!boots) return std::unexpected(boots.error());
  if (boots->boots == 0) return std::nullopt;
  // Options that are about the pilot ask for one.
  const StartOptions& options = arguments.launch.options;
  if (!options.repeat && !options.label && options.overrides.empty()) {
    if (auto stored = stored_boots(*daemon, pilot.what)) {
      question.request.runs = std::move(*stored);
      return std::nullopt;
    }
  }
  auto started = start_pilot_with_boots(*daemon, pilot, *boots, arguments.yes);
  if (!started) return std::unexpected(started.error());
  return *started;
}

Outcome<Exit> run_plan(const Settings& settings, const PlanArguments& arguments) {
  const auto request = request_of(arguments);
  if (!request) return std::unexpected(request.error());
  Question question{*request, {}, arguments.launch.what};
  Followed pilot_end;  // all well where there is no pilot
  LaunchArguments pilot = arguments.launch;
  pilot.options.purpose = "pilot";
  // So the daemon refuses a scenario without such blocks before it measures.
  if (arguments.until_decided) pilot.options.overrides.push_back(until_decided(*arguments.until_decided));
  if (says_what_to_find(arguments)) pilot.options.plan = question.request;
  if (question.request.runs.empty()) {
    const auto done = plan_of_boots(arguments, pilot, question);
    if (!done) return std::unexpected(done.error());
    if (*done) return **done;
  }
  if (question.request.runs.empty()) {
    auto followed = launch_and_follow(settings.format, pilot);
    if (!followed) return std::unexpected(followed.error());
    if (!followed->view || followed->exit == Exit::interrupted) return followed->exit;
    question.pilot = followed->view->job.job.job;
    question.scenario = followed->view->job.job.scenario.value_or(arguments.launch.what);
    pilot_end = std::move(*followed);
    question.request.runs = fmt::format("job:{}", *question.pilot);
  }
  const auto page = ask(arguments, question);
  if (!page) return exit_without_result(pilot_end, page.error());
  show(settings.format, *page);
  return pilot_end.exit;
}

}  // namespace

Verb add_plan(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "plan",
      "Measure a few plain runs, and estimate how many runs a difference needs and how long they take");
  const auto arguments = std::make_shared<PlanArguments>();
  add_launch_options(*command, arguments->launch,
                     "Number of runs of the pilot, or of blocks if the scenario has a design");
  command
      ->add_option("--threshold", arguments->threshold,
                   "What the difference is to be shown to be at least (that of the figure, otherwise 1%)")
      ->type_name("PERCENT");
  command
      ->add_option("--effect", arguments->effect, "The difference that is to be found (twice the threshold)")
      ->type_name("PERCENT");
  command
      ->add_option("--figure", arguments->figure,
                   "The figure in which the difference is, such as latency.p99. Default: the first one that "
                   "the scenario declares, otherwise received")
      ->type_name("FIGURE");
  command
      ->add_option(
          "--until-decided", arguments->until_decided,
          "Plan also a job that measures blocks of a design until the comparison is decided, and this "
          "many at most (as the scenario says)")
      ->type_name("MOST")
      ->check(count_above_zero());
  command->add_option("--power", arguments->power, "How often it is to be found where it is there (80%)")
      ->type_name("PERCENT");
  auto* runs = command
                   ->add_option("--runs", arguments->runs,
                                "Plan from these stored runs, selected as compare does, without a pilot")
                   ->type_name("SELECTION");
  command->add_flag(
      "--yes", arguments->yes,
      "The pilot may reboot this machine, without a question, if the scenario's design does so");
  for (const char* option : {"--repeat", "--label", "--cancel-on-interrupt", "--yes"})
    runs->excludes(command->get_option(option));
  command->footer(
      "Example:\n"
      "  netperfctl plan veth-tcp --effect 3%\n"
      "  netperfctl plan hsr-ring --runs 'scenario:hsr-ring last:20'");
  return {command, [&settings, arguments] { return run_plan(settings, *arguments); }};
}

}  // namespace netperfctl
