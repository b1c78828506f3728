// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/design_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace netperfd::store {

DesignColumns columns_of(const std::optional<Design>& design) {
  DesignColumns columns;
  if (!design) return columns;
  columns.seed = fmt::to_string(design->seed.value_or(0));
  if (design->a) columns.variant_a = design->a->name;
  if (design->b) columns.variant_b = design->b->name;
  columns.plain = design->plain;
  columns.changed = fmt::format("{}", fmt::join(design->changed, "\n"));
  return columns;
}

std::optional<Design> design_of(const DesignColumns& columns) {
  if (!columns.seed) return std::nullopt;
  Design design;
  std::uint64_t seed = 0;
  const char* const end = columns.seed->data() + columns.seed->size();
  if (std::from_chars(columns.seed->data(), end, seed).ptr == end) design.seed = seed;
  if (columns.variant_a)
    design.a = Variant{.name = *columns.variant_a, .apply = {}, .verify = {}, .builds = {}};
  if (columns.variant_b)
    design.b = Variant{.name = *columns.variant_b, .apply = {}, .verify = {}, .builds = {}};
  design.plain = columns.plain;
  for (std::size_t begin = 0; begin < columns.changed.size();) {
    const std::size_t line = std::min(columns.changed.find('\n', begin), columns.changed.size());
    design.changed.push_back(columns.changed.substr(begin, line - begin));
    begin = line + 1;
  }
  return design;
}

}  // namespace netperfd::store
