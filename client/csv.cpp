#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "client/fields.hpp"
#include "client/render.hpp"

namespace netperfctl {
namespace {

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

template <class Value>
std::string cell(const Value& value) {
  if constexpr (requires { value.has_value(); }) {
    return value ? cell(*value) : std::string{};
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return quoted(value);
  } else if constexpr (requires { value.begin(); }) {
    return quoted(fmt::format("{}", fmt::join(value, " ")));  // numbers, names of documents
  } else {
    return fmt::format("{}", value);
  }
}

template <class Row>
std::string header() {
  std::string line;
  each_field(Row{}, [&line](const char* key, const auto&, const char* unit = "") {
    line += fmt::format("{}{}{}", line.empty() ? "" : ",", key, unit);
  });
  return line + "\r\n";
}

template <class Row>
std::string record(const Row& row) {
  std::string line;
  bool first = true;
  each_field(row, [&](const char*, const auto& member, const char* = "") {
    if (!first) line += ',';
    first = false;
    line += cell(member);
  });
  return line + "\r\n";
}

template <class Row>
std::string csv(std::span<const Row> rows) {
  std::string text = header<Row>();
  for (const Row& row : rows) text += record(row);
  return text;
}

template <class Row>
std::string records_of(std::uint64_t run, const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) text += fmt::format("{},{}", run, record(row));
  return text;
}

}  // namespace

std::string runs_csv(std::span<const RunView> runs) {
  return csv(runs);
}
std::string jobs_csv(std::span<const LiveJobView> jobs) {
  return csv(jobs);
}
std::string scenarios_csv(std::span<const ScenarioView> scenarios) {
  return csv(scenarios);
}

std::string show_csv(const ShowView& view) {
  const std::uint64_t run = view.details.run.run;
  if (!view.list_streams) return "run," + header<IntervalView>() + records_of(run, view.intervals);
  return "run," + header<SumView>() + records_of(run, view.details.sums) + records_of(run, view.streams);
}

std::string numbers_csv(std::string_view title, std::span<const std::uint64_t> numbers) {
  std::string text = fmt::format("{}\r\n", title);
  for (const std::uint64_t number : numbers) text += fmt::format("{}\r\n", number);
  return text;
}

}  // namespace netperfctl
