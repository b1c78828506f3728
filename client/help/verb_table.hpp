// SPDX-License-Identifier: GPL-2.0-or-later
// What help and manual pages say of a verb beside its own options: its task and what it is good for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "client/base/outcome.hpp"

namespace netperfctl {

struct VerbText {
  std::string_view verb;
  std::string_view task;     // the heading of its group in the list of verbs
  std::vector<Exit> exits;   // besides those that any verb can have
  std::string_view details;  // one paragraph; words in ` are literal
};

// In the order of the list of verbs: verbs of one task are neighbours.
[[nodiscard]] std::span<const VerbText> verb_texts();
// Null for a verb that the table lacks.
[[nodiscard]] const VerbText* text_of_verb(std::string_view verb);

}  // namespace netperfctl
