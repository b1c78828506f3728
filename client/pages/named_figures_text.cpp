// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/named_figures_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl::show {
namespace {

// Six digits, or all of a large number: how many of them mean something, only the workload knows.
std::string value_words(double value) {
  constexpr int kDigits = 6;
  return netperfd::rows::plain_number(value, kDigits);
}

std::string figures_table(const Screen& screen, const std::vector<NamedFigureView>& figures) {
  std::vector<Cells> rows;
  for (const NamedFigureView& figure : figures) {
    rows.push_back({{figure.name, Style::strong},
                    {value_words(figure.value)},
                    {figure.unit.value_or("")},
                    {figure.better, Style::faint}});
  }
  return render_table(screen,
                      {{.title = "FIGURE", .shrink_to = 12},
                       {.title = "VALUE", .right = true},
                       {.title = "UNIT", .shrink_to = 8, .optional = true},
                       {.title = "BETTER", .leaves = 1}},
                      std::move(rows));
}

}  // namespace

std::string figure_words(const NamedFigureView& figure) {
  if (figure.unit == "bits/s" && figure.value >= 0)
    return fmt::format("{} {}", figure.name, format_rate(figure.value));
  return fmt::format("{} {}{}{}", figure.name, value_words(figure.value), figure.unit ? " " : "",
                     figure.unit.value_or(""));
}

std::string figure_words(const RunView& run) {
  if (!run.figure || !run.figure_value) return {};
  return figure_words(NamedFigureView{
      .name = *run.figure, .unit = run.figure_unit, .better = {}, .value = *run.figure_value});
}

std::string figures_part(const Screen& screen, const ShowView& view) {
  if (view.figures.empty()) return {};
  return "\n" + indented(figures_table(narrower(screen, kIndent), view.figures), kIndent);
}

std::string figures_list(const Screen& screen, const ShowView& view) {
  if (!view.list_figures || view.with_page) return {};
  if (view.figures.empty()) return "\nThe workload of this run brought no figures of its own.\n";
  return figures_part(screen, view);
}

}  // namespace netperfctl::show
