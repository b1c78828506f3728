// SPDX-License-Identifier: GPL-2.0-or-later
// Any text as what a command wrote. The input is a letter that says how its figure is found (p, j or c; in
// capitals: the first one counts), the place, a NUL, and the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/workload/command/figures.hpp"
#include "daemon/workload/command/job/pattern.hpp"
#include "tests/fuzz/require.hpp"

using netperfd::DeclaredFigure;
using netperfd::FigureForm;
using netperfd::FigureTake;
using netperfd::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const std::string whole = netperfd::fuzz::text_of(input, size);
  const std::size_t end = whole.find('\0');
  if (end == std::string::npos || end == 0) return 0;
  DeclaredFigure figure{.name = "rate", .unit = "ns", .place = whole.substr(1, end - 1), .document = "text"};
  switch (whole.front()) {
    case 'P':
    case 'p':
      // The scenario would have been refused.
      if (!netperfd::workload::compile_pattern(figure.place)) return 0;
      break;
    case 'J':
    case 'j':
      figure.form = FigureForm::pointer;
      break;
    case 'C':
    case 'c':
      figure.form = FigureForm::column;
      break;
    default:
      return 0;
  }
  if (whole.front() < 'a') figure.take = FigureTake::first;
  const std::string text = whole.substr(end + 1);
#ifdef NETPERFD_PLANTED_BUG
  if (text.contains("\"\"")) netperfd::fuzz::read_too_far(text);
#endif
  const auto values = netperfd::workload::read_command_figures({figure}, {{"text", text}});
  if (values) {
    require(values->size() == 1 && std::isfinite(values->front()));
  } else {
    netperfd::fuzz::require_printable_lines(values.error().message);
    require(!values.error().message.contains('\n'));
  }
  return 0;
}
