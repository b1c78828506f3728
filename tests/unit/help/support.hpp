// SPDX-License-Identifier: GPL-2.0-or-later
// netperfctl's own command line, for the tests of what is made from it.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "client/app.hpp"
#include "client/help/usage_errors.hpp"

namespace netperfctl {

// Made once: with sanitizers it takes a second.
inline CLI::App& parser() {
  static App app;
  // CLI11 changes what it parses.
  return const_cast<CLI::App&>(app.parser());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

// What netperfctl complains of; empty if it takes the words.
inline std::string complaint_about(std::vector<std::string> words) {
  std::ranges::reverse(words);
  try {
    parser().parse(words);
  } catch (const CLI::ParseError& error) {
    return usage_error(parser(), error);
  }
  return {};
}

}  // namespace netperfctl
