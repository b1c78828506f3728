// SPDX-License-Identifier: GPL-2.0-or-later
// Checks for text from outside, before it may reach the journal, a terminal, the store or the bus.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace netperfd {

// Well-formed UTF-8, as D-Bus requires for every string: no overlong forms, no surrogates, no NUL.
[[nodiscard]] bool is_utf8(std::string_view text);

// One line of UTF-8, without control characters, which could move a cursor or end a log line, and without
// characters that make a text look like another one (rows::is_hidden_character).
[[nodiscard]] bool is_printable(std::string_view text);

// A clause about the first character for which is_printable() is false: "character 7 is U+202E, which ...";
// empty if there is none. The first character is number 1.
[[nodiscard]] std::string not_printable(std::string_view text);

// The same for a word that tells runs apart, such as a label: two that look the same would be taken for one.
// It has no other blanks than single spaces within, and joiners and selectors only between letters of scripts
// that they change.
[[nodiscard]] std::string not_distinct(std::string_view text);

// ASCII letters, digits and characters of `signs`, beginning with a letter or digit, at most `limit`
// characters. Such a word cannot be an option, nor a path that leaves a directory.
[[nodiscard]] bool is_word(std::string_view text, std::string_view signs, std::size_t limit);

}  // namespace netperfd
