// SPDX-License-Identifier: GPL-2.0-or-later
// netperfd's command line.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace netperfd {

struct Options {
  std::optional<std::string> config;
  bool check = false;
  bool clean_up = false;
  bool reread = false;
  bool apply = false;  // only with `reread`
};

struct OptionText {
  std::string_view name;   // "config"
  std::string_view value;  // "FILE", or empty
  std::string_view about;
};

// For the help and netperfd(8).
[[nodiscard]] std::span<const OptionText> option_texts();

// An exit code if the program has nothing further to do.
std::expected<Options, int> parse_options(int argc, char** argv);

}  // namespace netperfd
