// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "client/base/users.hpp"
#include "client/bus/daemon.hpp"
#include "client/help/completion.hpp"
#include "client/terminal/terminal.hpp"

namespace netperfctl {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

std::vector<Candidate> of_runs(Daemon& daemon, Live kind) {
  const auto page = daemon.runs({}, kMostCandidates);
  if (!page) return {};
  std::vector<Candidate> words;
  std::set<std::string> known;
  const auto add = [&](std::string word, std::string about) {
    if (known.insert(word).second) words.push_back({std::move(word), std::move(about)});
  };
  for (const RunView& run : page->runs) {
    const std::string scenario = run.scenario.value_or("");
    const std::string label = run.label.value_or("");
    const std::string about = label.empty() ? scenario : scenario + ", " + label;
    if (kind == Live::labels && !label.empty()) add(label, scenario);
    if (kind == Live::owners && run.owner) add(owner_word(*run.owner), "has runs");
    if (kind == Live::job_numbers && run.job) add(std::to_string(*run.job), about);
    if (kind == Live::runs) add(std::to_string(run.run), about);
  }
  if (kind == Live::runs) add("last", "the newest that has ended");
  if (kind == Live::owners) add("me", "you");
  if (kind == Live::owners) add("any", "everybody");
  return words;
}

template <class Rows, class Word>
std::vector<Candidate> of_rows(const Rows& rows, Word word) {
  if (!rows) return {};
  std::vector<Candidate> words;
  for (const auto& row : *rows) words.push_back(word(row));
  return words;
}

std::vector<Candidate> of_functions(Daemon& daemon, const LiveQuestion& question) {
  FunctionFilter filter;
  if (!question.module.empty()) filter.module = question.module;
  filter.pattern = question.begin + "*";
  const auto page = daemon.functions(filter, kMostCandidates);
  if (!page) return {};
  std::vector<Candidate> words;
  for (const auto& row : page->functions) words.push_back({row.name, row.module.value_or("")});
  return words;
}

// Whoever presses TAB waits for this.
void give_up(int /*signal*/) {
  ::_exit(0);
}

}  // namespace

std::vector<Candidate> words_of_daemon(const LiveQuestion& question) {
  auto daemon = Daemon::connect_if_running(kPatience);
  if (!daemon) return {};
  switch (question.kind) {
    case Live::scenarios:
      return of_rows(daemon->scenarios(), [](const ScenarioView& row) {
        return Candidate{row.name.value_or(""), row.description.value_or("")};
      });
    case Live::jobs:
      return of_rows(daemon->live_jobs(), [](const LiveJobView& row) {
        return Candidate{std::to_string(row.job), row.scenario.value_or("")};
      });
    case Live::modules:
      return of_rows(daemon->modules(question.begin + "*"),
                     [](const ModuleView& row) { return Candidate{row.name, {}}; });
    case Live::events:
      return of_rows(daemon->events(question.begin + "*"),
                     [](const EventView& row) { return Candidate{row.name, {}}; });
    case Live::functions:
      return of_functions(*daemon, question);
    case Live::runs:
    case Live::job_numbers:
    case Live::labels:
    case Live::owners:
      break;
  }
  return of_runs(*daemon, question.kind);
}

void print_completion(const CLI::App& app, std::span<const std::string> arguments) {
  std::signal(SIGALRM, give_up);
  const itimerval second{.it_interval = {}, .it_value = {.tv_sec = 1, .tv_usec = 0}};
  ::setitimer(ITIMER_REAL, &second, nullptr);
  put(completion_lines(app, arguments, words_of_daemon));
}

}  // namespace netperfctl
