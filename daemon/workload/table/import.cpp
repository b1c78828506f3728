// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/table/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/model/design.hpp"
#include "daemon/model/named_figure_check.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"
#include "daemon/workload/csv_row.hpp"
#include "daemon/workload/table/terms.hpp"
#include "daemon/workload/tool_runs.hpp"

namespace netperfd::workload {
namespace {

constexpr const char* kTable = "table";

enum class TableColumn : std::size_t { figure, side, value, unit, better, block, point };
constexpr std::array<std::string_view, 7> kTableColumns = {"figure", "side",  "value", "unit",
                                                           "better", "block", "point"};

std::unexpected<Error> refuse_cell(std::size_t line, TableColumn column, std::string_view why) {
  return refuse_line(line,
                     fmt::format("column {}: {}", kTableColumns[static_cast<std::size_t>(column)], why));
}

// Where a value belongs: the numbers of its point, its block, its figure and its side.
struct TableCell {
  std::size_t point = 0, block = 0, figure = 0, side = 0;

  auto operator<=>(const TableCell&) const = default;
};

struct TableRun {
  std::size_t point = 0, block = 0, side = 0;
  std::map<std::size_t, double> values;  // by the number of the figure
  std::string text;
};

class TableReader {
 public:
  explicit TableReader(std::string_view text) : rest_(text) {}

  Result<ImportedFile> read() {
    if (auto head = read_head(); !head) return std::unexpected(std::move(head.error()));
    while (true) {
      auto row = next_row();
      if (!row) return std::unexpected(std::move(row.error()));
      if (!*row) break;
      if (auto taken = take(**row); !taken) return std::unexpected(std::move(taken.error()));
    }
    if (auto whole = check_whole(); !whole) return std::unexpected(std::move(whole.error()));
    return make_file();
  }

 private:
  // The next one that is not empty; absent at the end.
  Result<std::optional<CsvRow>> next_row() {
    while (!rest_.empty()) {
      line_ = next_line_;
      if (line_ > kMostLinesOfTable)
        return refuse_line(line_, fmt::format("a table has at most {} lines", kMostLinesOfTable));
      CsvRow row = take_csv_row(rest_, kLongestTableRow);
      row_text_ = rest_.substr(0, row.size);
      rest_.remove_prefix(row.size);
      next_line_ += static_cast<std::size_t>(std::ranges::count(row_text_, '\n'));
      if (row.too_long) {
        return refuse_line(line_, fmt::format("it has more than {} bytes: expected are a figure, a side, a "
                                              "value and few words more",
                                              kLongestTableRow));
      }
      if (row.open) return refuse_line(line_, "it has a quote that does not end");
      if (row.stray_quote) {
        return refuse_line(line_,
                           fmt::format("cell {} has a quote within: expected is a cell without, or one "
                                       "in quotes whose own quotes are doubled",
                                       *row.stray_quote + 1));
      }
      if (!std::ranges::all_of(row.cells, &std::string::empty)) return std::optional(std::move(row));
    }
    return std::nullopt;
  }

  Status read_head() {
    const auto row = next_row();
    if (!row) return std::unexpected(row.error());
    if (!*row)
      return refuse_line(1, "expected are the names of the columns, figure, side and value among them");
    head_text_ = row_text_;
    const std::vector<std::string>& names = (*row)->cells;
    for (std::size_t at = 0; at < names.size(); ++at) {
      const auto* const known = std::ranges::find(kTableColumns, names[at]);
      if (known == kTableColumns.end()) {
        return refuse_line(line_, fmt::format("{} is no column of a table: expected are {}",
                                              in_quotes(names[at]), fmt::join(kTableColumns, ", ")));
      }
      auto& place = columns_[static_cast<std::size_t>(known - kTableColumns.begin())];
      if (place) return refuse_line(line_, fmt::format("the column {} is there twice", *known));
      place = at;
    }
    for (const TableColumn needed : {TableColumn::figure, TableColumn::side, TableColumn::value}) {
      if (!has(needed))
        return refuse_line(
            line_, fmt::format("there is no column {}", kTableColumns[static_cast<std::size_t>(needed)]));
    }
    width_ = names.size();
    return {};
  }

  [[nodiscard]] bool has(TableColumn column) const {
    return columns_[static_cast<std::size_t>(column)].has_value();
  }

  // Empty if the table has no such column.
  [[nodiscard]] std::string_view cell(const CsvRow& row, TableColumn column) const {
    const auto at = columns_[static_cast<std::size_t>(column)];
    return at ? std::string_view(row.cells[*at]) : std::string_view();
  }

  Status take(const CsvRow& row) {
    if (row.cells.size() != width_) {
      return refuse_line(line_, fmt::format("it has {} cells: expected are {}, as in the first line",
                                            row.cells.size(), width_));
    }
    TableCell place;
    if (auto found = find_point(row, place); !found) return found;
    if (auto found = find_block(row, place); !found) return found;
    if (auto found = find_side(row, place); !found) return found;
    if (auto found = find_figure_of(row, place); !found) return found;
    const auto number = number_of_cell(cell(row, TableColumn::value));
    if (!number) {
      return refuse_cell(line_, TableColumn::value,
                         fmt::format("expected is a number of at least 0, such as 9414.2, without unit and "
                                     "separators, not {}",
                                     in_quotes(cell(row, TableColumn::value))));
    }
    return put(place, *number);
  }

  static std::optional<double> number_of_cell(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return std::isfinite(number) && number >= 0 ? std::optional(number + 0.0) : std::nullopt;
  }

  // The name of a point or a block.
  Status check_label(std::string_view label, TableColumn column) const {
    if (!label.empty() && label.size() <= kLongestTableLabel && not_distinct(label).empty()) return {};
    return refuse_cell(line_, column,
                       fmt::format("expected is a printable name of 1 to {} bytes, not {}",
                                   kLongestTableLabel, in_quotes(label)));
  }

  Status find_point(const CsvRow& row, TableCell& place) {
    if (!has(TableColumn::point)) return {};
    const std::string_view label = cell(row, TableColumn::point);
    if (auto checked = check_label(label, TableColumn::point); !checked) return checked;
    place.point = static_cast<std::size_t>(std::ranges::find(points_, label) - points_.begin());
    if (place.point < points_.size()) return {};
    if (points_.size() == kMostPointsOfTable) {
      return refuse_cell(line_, TableColumn::point,
                         fmt::format("{} is one point more than the {} that are read of a table",
                                     in_quotes(label), kMostPointsOfTable));
    }
    points_.emplace_back(label);
    return {};
  }

  // Numbered from 1 in each point, in the order of their first lines.
  Status find_block(const CsvRow& row, TableCell& place) {
    if (!has(TableColumn::block)) return {};
    const std::string_view label = cell(row, TableColumn::block);
    if (auto checked = check_label(label, TableColumn::block); !checked) return checked;
    auto& of_point = blocks_[place.point];
    place.block = of_point.try_emplace(std::string(label), of_point.size() + 1).first->second;
    return {};
  }

  Status find_side(const CsvRow& row, TableCell& place) {
    const std::string_view name = cell(row, TableColumn::side);
    place.side = static_cast<std::size_t>(std::ranges::find(sides_, name) - sides_.begin());
    if (place.side < sides_.size()) return {};
    if (!is_word(name, "._-", kMaxVariantName)) {
      return refuse_cell(
          line_, TableColumn::side,
          fmt::format("expected is a word of at most {} letters, digits and the signs '.', '_' "
                      "and '-', not {}",
                      kMaxVariantName, in_quotes(name)));
    }
    if (sides_.size() == 2) {
      return refuse_cell(line_, TableColumn::side,
                         fmt::format("{} is a third side: expected is {} or {}", name, sides_[0], sides_[1]));
    }
    sides_.emplace_back(name);
    return {};
  }

  Status find_figure_of(const CsvRow& row, TableCell& place) {
    const std::string_view given = cell(row, TableColumn::figure);
    auto known = numbers_.find(given);
    if (known == numbers_.end()) {
      auto terms = TableTerms::of(given);
      if (!terms) return refuse_cell(line_, TableColumn::figure, terms.error().message);
      const auto same = std::ranges::find(figures_, terms->name(), &TableTerms::name);
      if (same == figures_.end() && figures_.size() == kMostNamedFigures) {
        return refuse_cell(line_, TableColumn::figure,
                           fmt::format("{} is one figure more than the {} that are read of a table",
                                       in_quotes(given), kMostNamedFigures));
      }
      known = numbers_.emplace(given, static_cast<std::size_t>(same - figures_.begin())).first;
      if (same == figures_.end()) {
        figures_.push_back(std::move(*terms));
        first_lines_.push_back(line_);
      }
    }
    place.figure = known->second;
    TableTerms& terms = figures_[place.figure];
    if (auto agreed = terms.agree_on_unit(cell(row, TableColumn::unit)); !agreed)
      return refuse_cell(line_, TableColumn::unit, agreed.error().message);
    if (auto agreed = terms.agree_on_better(cell(row, TableColumn::better)); !agreed)
      return refuse_cell(line_, TableColumn::better, agreed.error().message);
    return {};
  }

  // The n-th value of a cell is of the n-th run of its side, or of its side's letters in the block.
  Status put(const TableCell& place, double number) {
    auto& of_cell = seen_[place];
    if (of_cell.values++ == 0) of_cell.first_line = line_;
    std::vector<std::size_t>& of_side = runs_of_[{place.point, place.block, place.side}];
    if (of_cell.values > of_side.size()) {
      if (runs_.size() == kMostRunsOfTable) {
        return refuse_line(line_, fmt::format("the table has more than the {} runs that are read of one: "
                                              "divide it",
                                              kMostRunsOfTable));
      }
      of_side.push_back(runs_.size());
      runs_.push_back(
          {.point = place.point, .block = place.block, .side = place.side, .values = {}, .text = {}});
    }
    TableRun& run = runs_[of_side[of_cell.values - 1]];
    run.values.emplace(place.figure, number);
    run.text += row_text_;
    if (!row_text_.ends_with('\n')) run.text += '\n';
    return {};
  }

  [[nodiscard]] Status check_whole() const {
    if (sides_.size() < 2) {
      return refuse_cell(next_line_, TableColumn::side,
                         fmt::format("the table ends with {}: expected are two",
                                     sides_.empty() ? "no side" : "one side, " + sides_[0]));
    }
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      if (const auto [column, what] = figures_[i].missing(); !what.empty()) {
        return refuse_cell(first_lines_[i], column == "unit" ? TableColumn::unit : TableColumn::better,
                           fmt::format("no line has {} of {}: netperfd does not know this figure", what,
                                       figures_[i].name()));
      }
    }
    for (const auto& [place, told] : seen_) {
      TableCell other = place;
      other.side = 1 - place.side;
      if (seen_.contains(other)) continue;
      return refuse_cell(
          told.first_line, TableColumn::side,
          fmt::format("{}{}{} has values of {} and none of {}: expected are values of both",
                      figures_[place.figure].name(), words_of_point(place.point),
                      place.block > 0 ? " in this block" : "", sides_[place.side], sides_[other.side]));
    }
    return {};
  }

  [[nodiscard]] std::string words_of_point(std::size_t number) const {
    return points_.empty() ? "" : fmt::format(" at the point {}", in_quotes(points_[number]));
  }

  // Letters are in the order of their lines.
  void sort_runs() {
    const bool in_blocks = has(TableColumn::block);
    std::ranges::stable_sort(runs_, {}, [in_blocks](const TableRun& run) {
      return std::tuple(run.point, in_blocks ? run.block : run.side);
    });
  }

  ImportedFile make_file() {
    sort_runs();
    ImportedFile file;
    for (TableRun& run : runs_) {
      ToolRun told;
      for (const auto& [number, of_run] : run.values) told.figures.push_back(figures_[number].with(of_run));
      const std::string label = points_.empty() ? "" : points_[run.point];
      add_fact(told, kTable, "point", label);
      ImportedWorkload workload;
      workload.tool = kTable;
      workload.facts = std::move(told.facts);
      workload.figures = std::move(told.figures);
      workload.place = TablePlace{.point = label,
                                  .side = sides_[run.side],
                                  .is_b = run.side == 1,
                                  .block = static_cast<std::uint32_t>(run.block)};
      std::string text = head_text_;
      if (!text.ends_with('\n')) text += '\n';
      text += run.text;
      if (!file.workload) {
        file.workload = std::move(workload);
        file.raw = std::move(text);
      } else {
        file.more.push_back({.workload = std::move(workload), .raw = std::move(text)});
      }
    }
    return file;
  }

  struct Seen {
    std::size_t values = 0;
    std::size_t first_line = 0;
  };

  std::string_view rest_, row_text_;
  std::string head_text_;
  std::size_t line_ = 1, next_line_ = 1, width_ = 0;
  std::array<std::optional<std::size_t>, kTableColumns.size()> columns_;
  std::vector<std::string> points_, sides_;
  std::vector<TableTerms> figures_;
  std::vector<std::size_t> first_lines_;                              // of each figure
  std::map<std::string, std::size_t, std::less<>> numbers_;           // of figures, as the table names them
  std::map<std::size_t, std::map<std::string, std::size_t>> blocks_;  // of each point, with their numbers
  std::map<TableCell, Seen> seen_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<std::size_t>> runs_of_;
  std::vector<TableRun> runs_;
};

}  // namespace

Result<ImportedFile> read_table_file(std::span<const std::byte> file) {
  if (file.size() > kMostTableBytes) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("the table is too large: it has more than {} MiB", kMostTableBytes >> 20U));
  }
  return TableReader({reinterpret_cast<const char*>(file.data()), file.size()}).read();
}

}  // namespace netperfd::workload
