// SPDX-License-Identifier: GPL-2.0-or-later
// Selections of runs (`label:before since:2h`), as far as the client must understand them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/base/outcome.hpp"

namespace netperfctl {

// Converts `selection` to the daemon's form: the times of since: and until:, given in the client's time zone
// as for `runs --since`, become seconds since 1970, and the user of owner: becomes a uid. The daemon checks
// the rest.
[[nodiscard]] Outcome<std::string> for_the_daemon(std::string_view selection, std::uint64_t now_us);

// The same runs for whoever types it: if `selection` means the caller's, it says that they are of `owner`.
[[nodiscard]] std::string with_owner(std::string_view selection, const std::string& owner);

// Whether the selected runs change over time: it contains `last`, or a time relative to now.
[[nodiscard]] bool is_of_the_moment(std::string_view selection);

// The words of a command line as one selection, in the daemon's form.
[[nodiscard]] Outcome<std::string> selection_of_words(const std::vector<std::string>& words,
                                                      std::uint64_t now_us);

// "41-44,47": these runs and no others.
[[nodiscard]] std::string selection_of(std::vector<std::uint64_t> runs);

}  // namespace netperfctl
