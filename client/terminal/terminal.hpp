// SPDX-License-Identifier: GPL-2.0-or-later
// Output: the properties of the two streams, and writing to them.
#pragma once

#include <cstdio>
#include <string_view>

#include "client/base/outcome.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl {

enum class Format { table, json, csv };

// The current state of `stream`: its width may change while a view is shown.
[[nodiscard]] Screen screen_of(std::FILE* stream);

// Writes data to stdout. On a terminal, control characters are escaped.
void put(std::string_view text);
// Text of a renderer, which has no control characters but its own colours. No line is wider than the screen.
void put_text(std::FILE* stream, std::string_view text);
// The same as it is: what moves the cursor, and documents.
void put_bytes(std::FILE* stream, std::string_view text);
// The same, of whole lines, broken at spaces where the terminal is narrower.
void put_lines(std::FILE* stream, std::string_view text);
// "netperfctl: ..." to stderr.
void complain(std::string_view message);
// Whether all that was written to stdout has arrived.
[[nodiscard]] Outcome<void> flush_output();

}  // namespace netperfctl
