// SPDX-License-Identifier: GPL-2.0-or-later
// Options whose value is one of a few words.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "dbus/rows/nearest_word.hpp"

namespace netperfctl {

// The words are the validator's description, "{a,b}", from which help and completion take them.
[[nodiscard]] inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](const std::string& text) {
            if (std::ranges::find(words, text) != words.end()) return std::string{};
            const std::vector<std::string_view> known{words.begin(), words.end()};
            const auto meant = netperfd::rows::nearest(text, known);
            return fmt::format("`{}` is none of {}{}", text, fmt::join(words, ", "),
                               meant ? fmt::format("; did you mean `{}`?", *meant) : "");
          },
          fmt::format("{{{}}}", fmt::join(words, ","))};
}

}  // namespace netperfctl
