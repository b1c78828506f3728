// Where output goes: what the two streams can show, and writing to them.
#pragma once

#include <cstdio>
#include <string_view>

#include "client/outcome.hpp"
#include "client/screen.hpp"

namespace netperfctl {

enum class Format { table, json, csv };

// `stream` as it is now: its width may change while a view is up.
[[nodiscard]] Screen screen_of(std::FILE* stream);

// Data, to stdout. A terminal is shown control characters written out.
void put(std::string_view text);
// Text of a renderer, which is fit for a terminal already.
void put_text(std::FILE* stream, std::string_view text);
// The same, of whole lines, broken at spaces where the terminal is narrower.
void put_lines(std::FILE* stream, std::string_view text);
// "netperfctl: ..." to stderr.
void complain(std::string_view message);
// Whether all that was written to stdout has arrived.
[[nodiscard]] Outcome<void> flush_output();

}  // namespace netperfctl
