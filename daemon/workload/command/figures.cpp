// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/figures.hpp"

#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "daemon/workload/command/csv.hpp"
#include "daemon/workload/command/job/pattern.hpp"
#include "daemon/workload/command/text_lines.hpp"
#include "daemon/workload/command/tool_figures.hpp"

namespace netperfd::workload {
namespace {

using AnyJson = nlohmann::json;

std::unexpected<Error> missing(const DeclaredFigure& figure, const std::string& why) {
  return fail(ErrorKind::not_found, fmt::format("figure {}: {}", figure.name, why));
}

// Absent if the text is anything but one finite number.
std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Tools choose the unit of a time by its size, so that no `scale` would fit.
std::optional<double> number_of(std::string_view text, std::string_view unit) {
  constexpr std::pair<std::string_view, double> kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  if (unit == "ns") {
    for (const auto& [suffix, ns] : kTimes) {
      if (!text.ends_with(suffix)) continue;
      const auto number = number_of(text.substr(0, text.size() - suffix.size()));
      return number ? std::optional(*number * ns) : std::nullopt;
    }
  }
  return number_of(text);
}

Result<double> figure_at(const DeclaredFigure& figure, const core::FigureText& text, std::string_view found,
                         std::size_t byte) {
  const auto number = number_of(found, figure.unit);
  const double value = number ? *number * figure.scale : 0;
  if (number && std::isfinite(value)) return value;
  const LineOfText line = line_with_byte(text.bytes, byte);
  return missing(figure, fmt::format("expected is a finite number in line {} of {}, not \"{}\": {}",
                                     line.number, text.name, shown_line(found), shown_line(line.text)));
}

Result<double> by_pattern(const DeclaredFigure& figure, const core::FigureText& text) {
  const auto pattern = compile_pattern(figure.place);
  if (!pattern) return missing(figure, fmt::format("its pattern {}", pattern.error().message));
  const re2::StringPiece all(text.bytes.data(), text.bytes.size());
  std::optional<re2::StringPiece> found;
  for (std::size_t from = 0; from <= all.size();) {
    re2::StringPiece groups[2];
    if (!(*pattern)->Match(all, from, all.size(), re2::RE2::UNANCHORED, groups, 2)) break;
    if (groups[1].data() != nullptr) found = groups[1];
    if (found && figure.take == FigureTake::first) break;
    const auto end = static_cast<std::size_t>(groups[0].data() + groups[0].size() - all.data());
    // A match of nothing would be found again.
    from = groups[0].empty() ? end + 1 : end;
  }
  if (!found) {
    return missing(
        figure, fmt::format("nothing in {} matches {}; {}", text.name, figure.place, last_lines(text.bytes)));
  }
  return figure_at(figure, text, {found->data(), found->size()},
                   static_cast<std::size_t>(found->data() - all.data()));
}

// Some of the library's functions call themselves for each level of a document.
AnyJson parsed(std::string_view text) {
  static constexpr int kDeepest = 200;
  return AnyJson::parse(text, [](int depth, AnyJson::parse_event_t, const AnyJson&) {
    if (depth <= kDeepest) return true;
    throw AnyJson::other_error::create(502, fmt::format("more than {} levels", kDeepest), nullptr);
  });
}

// AnyJson's exceptions tell of a text that is no document, and of an index of a list that is no number.
Result<double> by_pointer(const DeclaredFigure& figure, const core::FigureText& text) {
  try {
    const AnyJson document = parsed(text.bytes);
    const AnyJson::json_pointer pointer(figure.place);
    if (!document.contains(pointer)) {
      return missing(
          figure, fmt::format("{} has nothing at {}; {}", text.name, figure.place, last_lines(text.bytes)));
    }
    const AnyJson& found = document.at(pointer);
    const double value = found.is_number() ? found.get<double>() * figure.scale : 0;
    if (found.is_number() && std::isfinite(value)) return value;
    const std::string there = found.is_structured()
                                  ? fmt::format("an {}", found.type_name())
                                  : found.dump(-1, ' ', true, AnyJson::error_handler_t::replace);
    return missing(figure, fmt::format("expected is a finite number at {} of {}, not {}", figure.place,
                                       text.name, shown_line(there)));
  } catch (const AnyJson::exception& error) {
    return missing(figure, fmt::format("{} cannot be read at {}: {}; {}", text.name, figure.place,
                                       shown_line(error.what()), last_lines(text.bytes)));
  }
}

Result<double> by_column(const DeclaredFigure& figure, const core::FigureText& text) {
  const auto cell = find_cell(text.bytes, figure.place, figure.take);
  if (!cell) {
    return missing(figure, fmt::format("{} {}; {}", text.name, cell.error().message, last_lines(text.bytes)));
  }
  return figure_at(figure, text, cell->text, cell->byte);
}

Result<double> value_of(const DeclaredFigure& figure, const core::FigureText& text) {
  switch (figure.form) {
    case FigureForm::pattern:
      return by_pattern(figure, text);
    case FigureForm::pointer:
      return by_pointer(figure, text);
    case FigureForm::column:
      return by_column(figure, text);
    case FigureForm::tool:
      return by_tool(figure, text);
  }
  std::unreachable();
}

}  // namespace

core::FigureReading::Values read_command_figures(const std::vector<DeclaredFigure>& figures,
                                                 const std::vector<core::FigureText>& texts) {
  std::vector<double> values;
  for (const DeclaredFigure& figure : figures) {
    const auto text = std::ranges::find(texts, figure.document, &core::FigureText::name);
    if (text == texts.end()) return missing(figure, fmt::format("there is no {}", figure.document));
    auto value = value_of(figure, *text);
    if (!value) return std::unexpected(std::move(value.error()));
    values.push_back(*value);
  }
  return values;
}

}  // namespace netperfd::workload
