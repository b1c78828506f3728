// SPDX-License-Identifier: GPL-2.0-or-later
// Parses and formats words of a command line.
#pragma once

#include <string>
#include <string_view>

#include "client/base/outcome.hpp"

namespace netperfctl {

// Parses "1%" or "0.5 %" to a share of 1; `option` names the option for errors.
[[nodiscard]] Outcome<double> share_of(std::string_view option, std::string_view text);

// Formats a share: "1 %", "0.5 %".
[[nodiscard]] std::string percent_text(double share);

// `word` quoted for a shell, if necessary.
[[nodiscard]] std::string for_a_shell(const std::string& word);

// `key:value` as a term of a selection of runs, in double quotes if it would be several terms otherwise.
[[nodiscard]] std::string selection_term(std::string_view key, const std::string& value);

}  // namespace netperfctl
