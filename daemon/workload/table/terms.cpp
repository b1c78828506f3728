// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/table/terms.hpp"

#include <fmt/format.h>

#include "daemon/model/counter_figure.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/figure_registry.hpp"
#include "daemon/model/named_figure_check.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::workload {
namespace {

std::unexpected<Error> no_term(std::string clause) {
  return fail(ErrorKind::invalid_argument, std::move(clause));
}

// As runs' own figures have it: "bits_per_second" is bits/s, "ns_per_byte" ns/byte.
std::string own_unit(std::string_view of_registry) {
  constexpr std::string_view kPer = "_per_", kSecond = "second";
  const auto per = of_registry.find(kPer);
  if (per == std::string_view::npos) return std::string(of_registry);
  const std::string_view what = of_registry.substr(per + kPer.size());
  return fmt::format("{}/{}", of_registry.substr(0, per), what == kSecond ? "s" : what);
}

// Null: the registry has no figure of just this name.
const FigureEntry* entry_of(std::string_view name) {
  const FigureEntry* entry = is_counter_figure(name) ? nullptr : find_figure(name);
  return entry == nullptr || entry->terms_in_name ? nullptr : entry;
}

}  // namespace

Result<TableTerms> TableTerms::of(std::string_view given) {
  TableTerms terms;
  if (const FigureEntry* entry = entry_of(given)) {
    terms.name_ = fmt::format("table.{}", given);
    terms.unit_ = own_unit(entry->unit);
    terms.better_ = entry->better;
    terms.of_registry_ = true;
    return terms;
  }
  if (!is_own_figure(given)) {
    return no_term(
        fmt::format("expected is a figure that netperfd knows, such as received or latency.p99, or another "
                    "word of at most "
                    "{} letters, digits and the signs '.', '_' and '-' that begins with a letter and not "
                    "like one of those "
                    "figures, not {}",
                    kOwnFigureName, in_quotes(given)));
  }
  terms.name_ = given;
  return terms;
}

Status TableTerms::agree_on_unit(std::string_view unit) {
  if (unit.empty()) return {};
  if (unit.size() > kLongestNamedFigureUnit || !is_printable(unit)) {
    return no_term(fmt::format("expected is a printable unit of at most {} bytes, such as Mbit/s, not {}",
                               kLongestNamedFigureUnit, in_quotes(unit)));
  }
  if (!unit_) unit_ = unit;
  if (*unit_ == unit) return {};
  return no_term(
      of_registry_ ? fmt::format("{} is in {}, not in {}: convert its values, or give it a name of your own",
                                 name_, *unit_, in_quotes(unit))
                   : fmt::format("{} is in {} in an earlier line, and in {} here: expected is one unit",
                                 name_, in_quotes(*unit_), in_quotes(unit)));
}

Status TableTerms::agree_on_better(std::string_view better) {
  if (better.empty()) return {};
  if (better != to_string(Better::higher) && better != to_string(Better::lower))
    return no_term(fmt::format("expected is higher or lower, not {}", in_quotes(better)));
  const Better told = better == to_string(Better::higher) ? Better::higher : Better::lower;
  if (!better_) better_ = told;
  if (*better_ == told) return {};
  return no_term(fmt::format("{} is better where it is {}{}, and where it is {} here", name_,
                             to_string(*better_), of_registry_ ? "" : " in an earlier line", better));
}

std::pair<std::string_view, std::string_view> TableTerms::missing() const {
  if (!unit_) return {"unit", "the unit"};
  if (!better_) return {"better", "what is better, higher or lower,"};
  return {};
}

NamedFigure TableTerms::with(double value) const {
  return {.name = name_, .unit = *unit_, .better = *better_, .value = value};
}

}  // namespace netperfd::workload
