// SPDX-License-Identifier: GPL-2.0-or-later
// The options of a queueing discipline as words, for the facts of the environment.
#pragma once

#include <string>
#include <string_view>

#include "daemon/counters/namespace_sockets.hpp"

namespace netperfd::counters {

// " limit 7p" of the TCA_OPTIONS of a pfifo: each option with its name and, as the kernel has it, its value.
// Empty for kinds whose options are not known to hold still: they may be counters or drawn at random. No
// option has a comma.
//
// Older facts have a digest in place of these words; a comparison knows such a value by its form
// (analysis/compare/digested_options.hpp).
[[nodiscard]] std::string qdisc_option_words(std::string_view kind, const nlattr* options);

}  // namespace netperfd::counters
