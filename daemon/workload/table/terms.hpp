// SPDX-License-Identifier: GPL-2.0-or-later
// Name, unit and direction of a figure in a table of numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/model/named_figure.hpp"

namespace netperfd::workload {

class TableTerms {
 public:
  // Of what the table calls it: a run's own figure, or one of the registry, which is known as table.NAME and
  // has the unit and the direction of the registry. invalid_argument, with a clause, if it is neither.
  [[nodiscard]] static Result<TableTerms> of(std::string_view given);

  [[nodiscard]] const std::string& name() const { return name_; }
  // What a line says; empty: nothing. invalid_argument, with a clause, if it is none, or if another line or
  // the registry says something else.
  [[nodiscard]] Status agree_on_unit(std::string_view unit);
  [[nodiscard]] Status agree_on_better(std::string_view better);
  // The column that no line fills, and what it should say; empty: nothing is missing.
  [[nodiscard]] std::pair<std::string_view, std::string_view> missing() const;
  // Nothing may be missing.
  [[nodiscard]] NamedFigure with(double value) const;

 private:
  std::string name_;
  std::optional<std::string> unit_;
  std::optional<Better> better_;
  bool of_registry_ = false;
};

}  // namespace netperfd::workload
