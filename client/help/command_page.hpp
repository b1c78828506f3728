// SPDX-License-Identifier: GPL-2.0-or-later
// What is to be said of a command, read from the CLI11 app that parses it. Help, manual pages and completion
// are made from this.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "client/base/exit_codes.hpp"

namespace netperfctl {

struct ArgumentText {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its one name
  std::string value;               // "FORMAT"; empty for a flag and a positional
  std::string about;
  std::vector<std::string> choices;  // all values that it takes; empty: others
  bool positional = false;
  bool required = false;
  bool repeats = false;  // a positional that takes several words

  // "-o, --output FORMAT", "RUN..."
  [[nodiscard]] std::string heading() const;
};

struct VerbLine {
  std::string verb, task, about;
};

struct CommandPage {
  std::string name;   // "start"; empty for netperfctl itself
  std::string about;  // one line
  std::string details;
  std::vector<ArgumentText> positionals, options;
  std::vector<ArgumentText> common;  // of netperfctl itself, which every verb takes too
  std::vector<VerbLine> verbs;       // of netperfctl itself, grouped by task
  std::vector<std::string> examples;
  std::vector<ExitCode> exits;

  // "netperfctl start [OPTION...] SCENARIO|FILE"
  [[nodiscard]] std::string usage() const;
};

// `command` is netperfctl's app or one of its verbs.
[[nodiscard]] CommandPage page_of(const CLI::App& command);

// Null if `app` has no such verb.
[[nodiscard]] const CLI::App* verb_of(const CLI::App& app, const std::string& name);

}  // namespace netperfctl
