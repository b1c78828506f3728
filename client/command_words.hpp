// Words of a command line: those that a person writes, and those that are written for one.
#pragma once

#include <string>
#include <string_view>

#include "client/outcome.hpp"

namespace netperfctl {

// "1%", "0.5 %" as a share of one; `option` is whose value it is.
[[nodiscard]] Outcome<double> share_of(std::string_view option, std::string_view text);

// A share as a person writes it: "1 %", "0.5 %".
[[nodiscard]] std::string percent_text(double share);

// `word` as a shell takes it for one word.
[[nodiscard]] std::string for_a_shell(const std::string& word);

// `key:value` as a selection of runs has it: in double quotes where else it would be several terms.
[[nodiscard]] std::string selection_term(std::string_view key, const std::string& value);

}  // namespace netperfctl
