// What a text from outside must be before it may reach the journal, a terminal, the store or the bus.
#pragma once

#include <cstddef>
#include <string_view>

namespace netperfd {

// Well-formed UTF-8, as D-Bus asks of every string: no overlong forms, no surrogates, no NUL.
[[nodiscard]] bool is_utf8(std::string_view text);

// UTF-8 of one line: also without the control characters that could move a cursor or end a log line.
[[nodiscard]] bool is_printable(std::string_view text);

// ASCII letters, digits and characters of `signs`, beginning with a letter or digit, at most `limit`: neither
// an option nor a path that leads elsewhere can look like that.
[[nodiscard]] bool is_word(std::string_view text, std::string_view signs, std::size_t limit);

}  // namespace netperfd
