// SPDX-License-Identifier: GPL-2.0-or-later
// Shows a text that is longer than the terminal in the user's pager.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace netperfctl {

// The command that shows `text`; empty if it is to be printed as it is. `rows`: lines of the terminal; absent
// if there is none. `configured`: PAGER; absent: not set, which means less if `has_less`. An empty PAGER, and
// cat, mean none.
[[nodiscard]] std::string pager_for(std::string_view text, std::optional<std::size_t> rows,
                                    std::optional<std::string_view> configured, bool has_less);

// From now on put_page() is put_text().
void never_page();

// Text of a renderer, to stdout: through the pager if stdin and stdout are terminals.
void put_page(std::string_view page);

}  // namespace netperfctl
