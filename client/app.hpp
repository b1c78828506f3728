// SPDX-License-Identifier: GPL-2.0-or-later
// netperfctl's command line: all verbs and the options that each of them takes.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "client/verbs/verbs.hpp"

namespace netperfctl {

// Stays where it is: the verbs refer to its members.
class App {
 public:
  App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Parses the arguments and runs the verb. Errors have been printed.
  [[nodiscard]] Exit run(int argc, const char* const* argv);
  [[nodiscard]] const CLI::App& parser() const { return app_; }

 private:
  [[nodiscard]] Exit run_verb() const;

  Settings settings_;
  CLI::App app_;
  std::vector<Verb> verbs_;
};

}  // namespace netperfctl
