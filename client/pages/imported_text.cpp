// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "client/pages/render.hpp"

namespace netperfctl {
namespace {

// Runs that follow one another, of one job if it has sides.
std::string numbers_words(std::span<const ImportedView> runs) {
  if (runs.size() == 1) return fmt::format("run {}", runs.front().run);
  return fmt::format("runs {} to {}", runs.front().run, runs.back().run);
}

std::string group_text(std::span<const ImportedView> runs, bool with_flags) {
  const ImportedView& first = runs.front();
  std::string text = fmt::format("{}: {}", numbers_words(runs), fmt::join(first.files, " and "));
  text += first.label.empty() ? "\n" : fmt::format(", {}\n", first.label);
  for (const FlagView& flag : first.flags) {
    if (with_flags) text += fmt::format("  {}: {}\n", flag.code, flag.message);
  }
  if (first.job_of_sides)
    text += fmt::format("  its sides: netperfctl compare job:{}\n", *first.job_of_sides);
  return text;
}

}  // namespace

std::string imported_text(std::span<const ImportedView> runs) {
  std::string text;
  bool first_of_table = true;
  while (!runs.empty()) {
    const auto& job = runs.front().job_of_sides;
    std::size_t size = 1;
    while (job && size < runs.size() && runs[size].job_of_sides == job) ++size;
    // The jobs of a table lack the same.
    text += group_text(runs.first(size), !job || first_of_table);
    first_of_table = first_of_table && !job;
    runs = runs.subspan(size);
  }
  return text;
}

}  // namespace netperfctl
