#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "client/daemon.hpp"
#include "client/render.hpp"
#include "client/selection.hpp"
#include "client/text.hpp"
#include "client/verbs.hpp"

namespace netperfctl {
namespace {

struct CompareArguments {
  CompareRequest request;
  std::string threshold;
  std::vector<std::string> fail_on{"regression", "inconclusive"};
  bool all = false;
};

// "1%", "0.5 %" as a share.
Outcome<double> share_of(std::string_view text) {
  double percent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, percent, std::chars_format::fixed);
  std::string_view unit{end, static_cast<std::size_t>(last - end)};
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error == std::errc{} && unit == "%" && percent > 0 && percent < 100) return percent / 100;
  return fail(Exit::usage,
              fmt::format("--threshold: \"{}\" is no share: a number above 0 and below 100 with %, "
                          "like 1%, was expected",
                          text));
}

// `word` as a shell takes it for one word.
std::string for_a_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:,.-_/@%+=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return quoted + "'";
}

std::string command_of(const CompareArguments& arguments) {
  const CompareRequest& request = arguments.request;
  std::string command =
      fmt::format("netperfctl compare {} {}", for_a_shell(request.a), for_a_shell(request.b));
  for (const std::string& group : request.changed) command += " --changed " + for_a_shell(group);
  if (request.despite) command += " --despite";
  if (!arguments.threshold.empty()) command += " --threshold " + for_a_shell(arguments.threshold);
  return command;
}

Exit exit_of(const std::string& verdict, const std::vector<std::string>& fail_on) {
  const auto has = [&](std::string_view word) { return std::ranges::find(fail_on, word) != fail_on.end(); };
  const auto fails = [&](std::string_view on) { return has(on) && !has("never"); };
  if (verdict == "improvement" || verdict == "equivalent") return Exit::ok;
  if (verdict == "regression") return fails("regression") ? Exit::regression : Exit::ok;
  return fails("inconclusive") ? Exit::inconclusive : Exit::ok;
}

// As the daemon takes it, beside what the caller wrote.
Outcome<CompareRequest> request_of(const CompareArguments& arguments, std::uint64_t now_us) {
  CompareRequest request = arguments.request;
  const bool text = is_utf8(request.a) && is_utf8(request.b) && std::ranges::all_of(request.changed, is_utf8);
  if (!text) return fail(Exit::usage, "the arguments are not UTF-8 text");
  for (std::string* const side : {&request.a, &request.b}) {
    auto instants = with_instants(*side, now_us);
    if (!instants) return std::unexpected(instants.error());
    *side = std::move(*instants);
  }
  if (!arguments.threshold.empty()) {
    const auto share = share_of(arguments.threshold);
    if (!share) return std::unexpected(share.error());
    request.threshold = *share;
  }
  return request;
}

Outcome<Exit> run_compare(const Settings& settings, const CompareArguments& arguments) {
  const Screen screen = screen_of(stdout);
  const auto request = request_of(arguments, screen.now_us);
  if (!request) return std::unexpected(request.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  auto details = daemon->compare(*request);
  if (!details) return std::unexpected(details.error());
  const CompareView view{arguments.request, command_of(arguments), arguments.all, std::move(*details)};
  switch (settings.format) {
    case Format::table:
      put_text(stdout, compare_text(screen, view));
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
  CompareRequest& request = arguments->request;
  command
      ->add_option("A", request.a,
                   "The runs before: numbers and ranges (41,43-45), label:TEXT, scenario:NAME, job:NUMBER, "
                   "since:TIME, until:TIME, last or last:N; several together, apart by spaces or commas")
      ->required()
      ->type_name("");
  command->add_option("B", request.b, "The runs after, likewise")->required()->type_name("");
  command
      ->add_option(
          "--changed", request.changed,
          "What A and B are meant to differ in: kernel, module:NAME, sysctl:KEY, nic, cpu, irq, rps, xps, "
          "qdisc, clock, iperf3, topology or trace; may be given again")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  command->add_flag("--despite", request.despite,
                    "Compare even where something else differs that can explain the result");
  command
      ->add_option("--threshold", arguments->threshold,
                   "A difference below this is none to speak of: within it runs are equivalent (1%)")
      ->type_name("PERCENT");
  command
      ->add_option("--fail-on", arguments->fail_on,
                   "What ends with an error: regression (exit code 1), inconclusive (6; too few and refused "
                   "too), both with a comma between them (the default), or never")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"regression", "inconclusive", "never"}))
      ->type_name("VERDICT");
  command->add_flag("--all", arguments->all, "Show all functions, counters and facts");
  command->footer(
      "Example:\n"
      "  netperfctl compare label:before label:after --changed kernel\n"
      "  netperfctl compare 41-48 'scenario:hsr-ring since:2h'\n"
      "  netperfctl compare job:12 job:15 --fail-on regression");
  return {command, [&settings, arguments] { return run_compare(settings, *arguments); }};
}

}  // namespace netperfctl
