// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/named_figure_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string_view>

#include "daemon/model/figure.hpp"
#include "daemon/model/text.hpp"

namespace netperfd {

std::string problem_of(std::span<const NamedFigure> figures) {
  if (figures.size() > kMostNamedFigures)
    return fmt::format("{} figures: at most {} are stored of a run", figures.size(), kMostNamedFigures);
  std::set<std::string_view> names;
  for (const NamedFigure& figure : figures) {
    // The name is printed only once it is known to be a word.
    if (!is_own_figure(figure.name)) {
      return fmt::format(
          "the name of a figure: expected is a word of at most {} letters, digits and the signs '.', '_' and "
          "'-' that begins with a letter and not like a figure that netperfd knows",
          kOwnFigureName);
    }
    if (!names.insert(figure.name).second) return fmt::format("the figure {} is there twice", figure.name);
    if (figure.unit.size() > kLongestNamedFigureUnit || !is_printable(figure.unit)) {
      return fmt::format("the unit of the figure {}: expected is a printable line of at most {} bytes",
                         figure.name, kLongestNamedFigureUnit);
    }
    if (!std::isfinite(figure.value))
      return fmt::format("the value of the figure {}: expected is a finite number", figure.name);
  }
  return {};
}

}  // namespace netperfd
