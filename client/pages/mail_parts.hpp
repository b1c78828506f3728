// SPDX-License-Identifier: GPL-2.0-or-later
// What the comparisons for a mail or a commit message consist of: 72 columns, ASCII. A line begins with words
// of the page or with a space: Git cuts messages at lines that begin with # or ---.
#pragma once

#include <cstddef>
#include <string>

#include "client/pages/lines.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl {

inline constexpr std::size_t kMailWidth = 72;

[[nodiscard]] Screen mail_screen();
// Lines after the first are indented.
[[nodiscard]] std::string mail_paragraph(const std::string& words, std::size_t indent = 0);
[[nodiscard]] std::string mail_lines(Lines lines);
// Without spaces at the ends of lines, and without those that only held words together.
[[nodiscard]] std::string finished_mail(const std::string& text);

}  // namespace netperfctl
