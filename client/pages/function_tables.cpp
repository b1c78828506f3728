// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/function_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "client/pages/function_text.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

using Count = std::optional<std::uint64_t>;

// The better figure where there is one, for all functions alike.
Count self_of(const FunctionStatsView& function) {
  return function.corrected_self_ns ? function.corrected_self_ns : function.self_ns;
}

Count self_of(const ProfileDetails& details) {
  std::uint64_t sum = 0;
  for (const FunctionStatsView& function : details.functions) {
    if (!self_of(function)) return {};
    sum += *self_of(function);
  }
  return sum;
}

// Less than the tracer's own cost can be told from is not nothing.
template <class Value, class Format>
std::string self_text(const FunctionStatsView& function, const std::optional<Value>& value, Format format) {
  const bool corrected_away = function.corrected_self_ns == 0 && function.self_ns.value_or(0) > 0;
  if (corrected_away && value) return "~0";
  return or_dash(value, format);
}

std::optional<double> self_per_call(const FunctionStatsView& function) {
  return function.self_ns_per_call ? function.self_ns_per_call : ratio(self_of(function), function.hits);
}

// How a table of functions is made: a column, and what stands in it.
struct FunctionColumn {
  Column column;
  std::function<std::string(const FunctionStatsView&)> cell;
};
using FunctionColumns = std::vector<FunctionColumn>;

FunctionColumn figures(const char* title, std::size_t leaves,
                       std::function<std::string(const FunctionStatsView&)> cell) {
  return {{.title = title, .right = true, .optional = true, .leaves = leaves}, std::move(cell)};
}

FunctionColumn duration(const char* title, std::size_t leaves, Count FunctionStatsView::* member) {
  return figures(title, leaves,
                 [member](const FunctionStatsView& row) { return or_dash(row.*member, format_count); });
}

FunctionColumn time(const char* title, std::size_t leaves, Count FunctionStatsView::* member) {
  return figures(title, leaves, [member](const FunctionStatsView& row) {
    return or_dash(row.*member, format_as_milliseconds);
  });
}

FunctionColumn name_column(const Screen& screen, const ProfileDetails& details) {
  // What is left beside the figures of a usual table.
  const std::size_t columns = screen.width.value_or(0) / 3;
  return {{.title = "FUNCTION", .shrink_to = 16},
          [name = FunctionNames{screen, details, std::max<std::size_t>(columns, 16)}](
              const FunctionStatsView& row) { return name(row.function, row.module, row.duplicate); }};
}

FunctionColumns cost_columns(std::optional<std::uint64_t> all) {
  return {
      figures("CALLS", 0, [](const FunctionStatsView& row) { return or_dash(row.hits, format_count); }),
      figures("/PACKET", 2,
              [](const FunctionStatsView& row) { return or_dash(row.calls_per_packet, format_hundredths); }),
      figures("ns/CALL", 0,
              [](const FunctionStatsView& row) { return self_text(row, self_per_call(row), format_figure); }),
      figures("ns/BYTE", 1,
              [](const FunctionStatsView& row) {
                return self_text(row, row.self_ns_per_byte, format_hundredths);
              }),
      figures("SHARE", 0, [all](const FunctionStatsView& row) {
        return self_text(row, ratio(self_of(row), all), format_share);
      })};
}

FunctionColumns time_columns(const ProfileDetails& details) {
  const bool corrected = has_corrected(details);
  FunctionColumns columns{time("TOTAL ms", 0, &FunctionStatsView::total_ns)};
  if (corrected) {
    columns.push_back(figures("SELF ms", 0, [](const FunctionStatsView& row) {
      return self_text(row, row.corrected_self_ns, format_as_milliseconds);
    }));
  }
  columns.push_back(time(corrected ? "RAW SELF ms" : "SELF ms", 0, &FunctionStatsView::self_ns));
  // The daemon has 0 where it could not know.
  if (details.profile.off_cpu_known != false)
    columns.push_back(time("OFF CPU ms", 2, &FunctionStatsView::off_cpu_ns));
  columns.push_back(time("IRQ ms", 1, &FunctionStatsView::interrupted_ns));
  return columns;
}

FunctionColumns call_columns() {
  return {duration("MIN ns", 0, &FunctionStatsView::min_ns),
          duration("p50 ns", 0, &FunctionStatsView::p50_ns),
          duration("p90 ns", 2, &FunctionStatsView::p90_ns),
          duration("p99 ns", 0, &FunctionStatsView::p99_ns),
          duration("p99.9 ns", 1, &FunctionStatsView::p999_ns),
          duration("MAX ns", 0, &FunctionStatsView::max_ns)};
}

struct Rendered {
  std::vector<Column> columns;
  std::vector<Cells> rows;
};

Rendered lay_out(const FunctionColumns& columns, const std::vector<FunctionStatsView>& functions) {
  Rendered table;
  for (const FunctionColumn& column : columns) table.columns.push_back(column.column);
  for (const FunctionStatsView& function : functions) {
    Cells row;
    for (const FunctionColumn& column : columns) row.push_back({column.cell(function)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<FunctionStatsView> by_self_time(const ProfileDetails& details) {
  std::vector<FunctionStatsView> functions;
  for (const std::size_t place : by_shown_self_time(details)) functions.push_back(details.functions[place]);
  return functions;
}

std::vector<std::optional<double>> shares_of(const std::vector<FunctionStatsView>& functions,
                                             const Count& all) {
  std::vector<std::optional<double>> shares;
  for (const FunctionStatsView& function : functions) shares.push_back(ratio(self_of(function), all));
  return shares;
}

template <class Columns>
void append(FunctionColumns& to, const Columns& columns) {
  std::ranges::copy(columns, std::back_inserter(to));
}

}  // namespace

bool has_corrected(const ProfileDetails& details) {
  return std::ranges::any_of(details.functions,
                             [](const FunctionStatsView& row) { return row.corrected_self_ns.has_value(); });
}

std::vector<std::size_t> by_shown_self_time(const ProfileDetails& details) {
  std::vector<std::size_t> places(details.functions.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::greater{},
                           [&details](std::size_t place) { return self_of(details.functions[place]); });
  return places;
}

std::string top_functions(const Screen& screen, const ProfileDetails& details) {
  constexpr std::size_t kMost = 10;
  const Count all = self_of(details);
  std::vector<FunctionStatsView> functions = by_self_time(details);
  functions.resize(std::min(kMost, functions.size()));
  FunctionColumns columns{name_column(screen, details)};
  append(columns, cost_columns(all));
  // Beside what a call takes in the mean stands what it takes at worst.
  columns.insert(columns.end() - 1, duration("p99 ns", 3, &FunctionStatsView::p99_ns));
  auto [titles, rows] = lay_out(columns, functions);
  std::string text =
      render_table_with_bars(screen, std::move(titles), std::move(rows), shares_of(functions, all));
  const std::uint64_t known =
      std::max<std::uint64_t>(details.profile.functions.value_or(0), details.functions.size());
  if (known > functions.size())
    text += fmt::format("...{} more: --functions\n", format_count(known - functions.size()));
  return text;
}

std::string all_functions(const Screen& screen, const ProfileDetails& details) {
  const Count all = self_of(details);
  const std::vector<FunctionStatsView> functions = by_self_time(details);
  const FunctionColumns name{name_column(screen, details)};
  const std::vector<FunctionColumns> parts{cost_columns(all), time_columns(details), call_columns()};
  FunctionColumns columns = name;
  for (const FunctionColumns& part : parts) append(columns, part);
  const auto [titles, rows] = lay_out(columns, functions);
  Screen unlimited = screen;
  unlimited.width.reset();
  std::string whole = render_table(unlimited, titles, rows);
  if (!screen.width || table_width(whole) <= *screen.width) return whole;
  std::string text;
  for (const FunctionColumns& part : parts) {
    columns = name;
    append(columns, part);
    auto [part_titles, part_rows] = lay_out(columns, functions);
    text += text.empty() ? render_table_with_bars(screen, std::move(part_titles), std::move(part_rows),
                                                  shares_of(functions, all))
                         : "\n" + render_table(screen, std::move(part_titles), std::move(part_rows));
  }
  return text;
}

}  // namespace netperfctl::show
