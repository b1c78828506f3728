// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of a command line that is being typed, from the same CLI11 app that parses it. The scripts of
// client/completion ask for it by `netperfctl __complete SHELL WORD...`, whose last word is the one under
// the cursor.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace netperfctl {

struct Candidate {
  std::string word;   // literally
  std::string about;  // a few words, or empty
};

// Words that only the daemon knows.
enum class Live { scenarios, runs, jobs, job_numbers, labels, owners, modules, functions, events };

struct LiveQuestion {
  Live kind = Live::scenarios;
  std::string begin;   // what the word begins with so far
  std::string module;  // of functions, if --module was given
};

using LiveWords = std::function<std::vector<Candidate>(const LiveQuestion&)>;

struct Completion {
  std::vector<Candidate> candidates;  // all begin with the word under the cursor
  bool files = false;                 // names of files are possible, too
};

inline constexpr std::size_t kMostCandidates = 200;

// `words` without quotation marks; the last one is being typed, perhaps empty. Candidates of `live` that
// cannot be typed (control characters, other encodings) or would be taken for options are left out.
[[nodiscard]] Completion complete(const CLI::App& app, std::span<const std::string> words,
                                  const LiveWords& live);

// Asks a running daemon, and never starts one. Empty if there is none or it does not answer at once.
[[nodiscard]] std::vector<Candidate> words_of_daemon(const LiveQuestion& question);

// Of `netperfctl __complete`: `arguments` are the shell and the words as typed. For bash a line a word as it
// is to be inserted, for zsh and fish the literal word, a tab and what it is. The first line is "files" or
// "words". Nothing for an unknown shell.
[[nodiscard]] std::string completion_lines(const CLI::App& app, std::span<const std::string> arguments,
                                           const LiveWords& live);

// Prints completion_lines() with words_of_daemon(). Ends the process if that takes longer than a second.
void print_completion(const CLI::App& app, std::span<const std::string> arguments);

}  // namespace netperfctl
