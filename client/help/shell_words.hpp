// SPDX-License-Identifier: GPL-2.0-or-later
// Words as a shell has them on its command line: read from what was typed so far, and written so that the
// shell takes them literally.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace netperfctl {

struct TypedWord {
  std::string text;  // without quotation marks and backslashes
  char quote = 0;    // ' or " if the whole word stands in that mark, which is still open
};

// Nothing if a quotation mark is open that is not the word's first character: a shell replaces only what
// stands behind it. `$` and backquotes have no meaning here: nothing is expanded.
[[nodiscard]] std::optional<TypedWord> typed_word(std::string_view raw);

// `text` for bash, to be put where a word of this quotation mark was begun. Every character of `text` that
// means something to bash is quoted, also `!`, which an interactive bash replaces even in double quotes.
[[nodiscard]] std::string for_bash(std::string_view text, char quote);

}  // namespace netperfctl
