// netperfd's command line.
#pragma once

#include <expected>
#include <optional>
#include <string>

namespace netperfd {

struct Options {
  std::optional<std::string> config;
  bool check = false;
  bool clean_up = false;
};

// An exit code if the program has nothing further to do.
std::expected<Options, int> parse_options(int argc, char** argv);

}  // namespace netperfd
