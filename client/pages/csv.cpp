// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "client/pages/comparison_lines.hpp"
#include "client/pages/csv_table.hpp"
#include "client/pages/render.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/rows/fields.hpp"
#include "client/rows/trace_rows.hpp"

namespace netperfctl {
namespace {

std::string in_csv_quotes(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

bool is_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789.+-eE";
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// A spreadsheet computes what begins so. The last four are the signs in full width.
bool is_formula(std::string_view text) {
  constexpr std::array<std::string_view, 11> kBegins{"=",  "+",      "-",      "@",      "\t",    "\r",
                                                     "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return text.starts_with(begin); }) &&
         !is_number(text);
}

// Behind an apostrophe, a spreadsheet shows the text.
std::string text_cell(std::string_view text) {
  return in_csv_quotes(is_formula(text) ? fmt::format("'{}", text) : std::string{text});
}

std::string cell(const std::vector<SampleFieldView>& fields) {
  std::string text;
  for (const SampleFieldView& field : fields) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, shown_value(field));
  }
  return text_cell(text);
}

template <class Value>
std::string cell(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string{to_string(value)};
  } else if constexpr (requires { value.has_value(); }) {
    return value ? cell(*value) : std::string{};
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return text_cell(value);
  } else if constexpr (requires { value.begin(); }) {
    const std::string list = fmt::format("{}", fmt::join(value, " "));
    return std::is_arithmetic_v<typename Value::value_type> ? in_csv_quotes(list) : text_cell(list);
  } else {
    return fmt::format("{}", value);
  }
}

template <class Row>
std::string header() {
  std::string line;
  each_field(Row{}, [&line](std::string_view key, const auto&, std::string_view unit) {
    line += fmt::format("{}{}{}{}", line.empty() ? "" : ",", key, unit.empty() ? "" : "_", unit);
  });
  return line + "\r\n";
}

// Frames of a stack have spaces in them, and are told apart as folded stacks are.
std::string cell_of(std::string_view key, const std::optional<std::vector<std::string>>& list) {
  if (!list) return {};
  return text_cell(fmt::format("{}", fmt::join(*list, key == "frames" ? ";" : " ")));
}

template <class Value>
std::string cell_of(std::string_view, const Value& value) {
  return cell(value);
}

template <class Row>
std::string record(const Row& row) {
  std::string line;
  bool first = true;
  each_field(row, [&](std::string_view key, const auto& member, std::string_view /*unit*/) {
    if (!first) line += ',';
    first = false;
    line += cell_of(key, member);
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

// Of an older netperfd, the head alone.
std::vector<ComparedFigureView> judged_rows(const ComparisonView& head) {
  if (head.figures && !head.figures->empty()) return *head.figures;
  ComparedFigureView row;
  row.figure = head.figure;
  row.unit = "bits_per_second";
  row.better = "higher";
  row.verdict = head.verdict;
  row.leaning = head.leaning;
  row.threshold = head.threshold.value_or(0);
  row.pairing = head.pairing.value_or("");
  row.boot_spread = head.boot_spread;
  row.resolution = head.resolution;
  row.effect = head.effect;
  row.reach = head.reach;
  row.selftest = head.selftest;
  return {row};
}

// Each figure, and behind it what the comparison is of.
std::string figures_csv(const CompareView& view, const std::vector<ComparedFigureView>& judged,
                        const std::vector<ComparedFigureView>& beside) {
  const ComparisonView& head = view.details.comparison;
  const auto [a, b] = comparing::side_names(view);
  const auto count = [](const auto& runs) { return runs ? fmt::format("{}", runs->size()) : std::string{}; };
  const std::string common =
      fmt::format("{},{},{},{},{},{},{},{}\r\n", text_cell(head.verdict),
                  text_cell(comparing::scenario_words(head)), text_cell(a), text_cell(b), count(head.runs_a),
                  count(head.runs_b), cell(head.changed), text_cell(view.command));
  std::string text = header<ComparedFigureView>();
  text.replace(text.size() - 2, 2, ",role,overall_verdict,scenario,a,b,runs_a,runs_b,changed,command\r\n");
  for (const auto* rows : {&judged, &beside}) {
    for (const ComparedFigureView& row : *rows) {
      std::string line = record(row);
      line.resize(line.size() - 2);
      text += fmt::format("{},{},{}", line, rows == &judged ? "judged" : "beside", common);
    }
  }
  return text;
}

// A table of the run, with its number in each record.
template <class Row>
std::string table_of(std::uint64_t run, const std::vector<Row>& rows) {
  return "run," + header<Row>() + records_of(run, rows);
}

}  // namespace

std::string runs_csv(std::span<const RunView> runs) {
  return csv(runs);
}
std::string history_csv(std::span<const JobView> jobs) {
  return csv(jobs);
}
std::string jobs_csv(std::span<const LiveJobView> jobs) {
  return csv(jobs);
}
std::string scenarios_csv(std::span<const ScenarioView> scenarios) {
  return csv(scenarios);
}

std::string audit_csv(const AuditLogView& view) {
  return csv(std::span{view.entries});
}

std::string store_csv(const StoreView& store) {
  return csv(std::span{&store, 1});
}
std::string restored_csv(const RestoredView& restored) {
  return csv(std::span{&restored, 1});
}
std::string pruned_csv(std::span<const OldJobView> jobs) {
  return csv(jobs);
}

CsvTable csv_table(const ShowView& view) {
  const TraceLists& lists = view.trace_lists;
  const FunctionLists& functions = view.function_lists;
  if (view.list_streams) return CsvTable::streams;
  if (lists.events) return CsvTable::events;
  if (lists.drops) return CsvTable::drops;
  if (view.list_samples) return CsvTable::sampled_functions;
  if (lists.stacks) return view.sampled ? CsvTable::sampled_stacks : CsvTable::stacks;
  if (lists.marks) return CsvTable::marks;
  if (lists.cpus) return CsvTable::cpus;
  if (view.list_counters) return CsvTable::counters;
  if (view.list_tcp) return CsvTable::tcp;
  if (view.list_queues) return CsvTable::queues;
  if (view.list_latency || (page_of(view.details.run).probes_alone && view.with_page))
    return CsvTable::latency;
  // A workload that has no intervals has figures at most.
  if (view.list_figures || (view.with_page && view.intervals.empty() && !view.figures.empty()))
    return CsvTable::figures;
  if (view.list_environment) return CsvTable::environment;
  if (functions.tree) return CsvTable::tree;
  if (functions.callers) return CsvTable::callers;
  if (functions.functions) return lists.over_time ? CsvTable::functions_over_time : CsvTable::functions;
  if (lists.over_time) return CsvTable::events_over_time;
  if (!is_trace_only(view.details.run)) return CsvTable::intervals;
  return view.functions ? CsvTable::functions : CsvTable::events_over_time;
}

std::string show_csv(const ShowView& view) {
  const std::uint64_t run = view.details.run.run;
  const TraceDetails trace = view.trace.value_or(TraceDetails{});
  const CountersView counters = view.counters.value_or(CountersView{});
  const ProfileDetails profile = view.functions.value_or(ProfileDetails{});
  switch (csv_table(view)) {
    case CsvTable::streams:
      return table_of(run, view.details.sums) + records_of(run, view.streams);
    case CsvTable::events:
      return table_of(run, view.samples);
    case CsvTable::drops:
      return table_of(run, trace.drops);
    case CsvTable::sampled_functions:
      return table_of(run, view.sampled.value_or(SampledDetails{}).functions);
    case CsvTable::sampled_stacks:
      return table_of(run, view.sampled.value_or(SampledDetails{}).stacks);
    case CsvTable::stacks:
      return table_of(run, view.stacks.stacks);
    case CsvTable::marks:
      return table_of(run, trace.marks);
    case CsvTable::cpus:
      return table_of(run, trace.cpus);
    case CsvTable::counters:
      return table_of(run, counters.counters);
    case CsvTable::tcp:
      return table_of(run, counters.tcp);
    case CsvTable::queues:
      return table_of(run, counters.queues);
    case CsvTable::latency:
      return table_of(run, view.latency.value_or(LatencyDetails{}).intervals);
    case CsvTable::figures:
      return table_of(run, view.figures);
    case CsvTable::environment:
      return table_of(run, view.environment.value_or(EnvironmentView{}).facts);
    case CsvTable::tree:
      return table_of(run, profile.tree);
    case CsvTable::callers:
      return table_of(run, profile.edges);
    case CsvTable::functions_over_time:
      return table_of(run, slices_of(profile));
    case CsvTable::functions:
      return table_of(run, profile.functions);
    case CsvTable::events_over_time:
      return table_of(run, slices_of(trace));
    case CsvTable::intervals:
      break;
  }
  return table_of(run, view.intervals);
}

std::string compare_csv(const CompareView& view) {
  if (!view.asked.figures.empty() && view.details.comparison.figures)
    return figures_csv(view, judged_rows(view.details.comparison), {});
  return csv(std::span{view.details.functions});
}

std::string compare_figures_csv(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  return figures_csv(view, judged_rows(head), head.beside.value_or(std::vector<ComparedFigureView>{}));
}

std::string sweep_csv(const SweepView& view) {
  const SweepHeadView& head = view.details.sweep;
  const std::string common = fmt::format("{},{},{},{}\r\n", text_cell(view.scenario), text_cell(head.name_a),
                                         text_cell(head.name_b), text_cell(view.command));
  std::string text = header<SweepFigureView>();
  text.replace(text.size() - 2, 2, ",scenario,a,b,command\r\n");
  for (const SweepFigureView& row : view.details.figures) {
    std::string line = record(row);
    line.resize(line.size() - 2);
    text += fmt::format("{},{}", line, common);
  }
  return text;
}

std::string plan_csv(const PlanPageView& view) {
  return csv(std::span{view.effects});
}

std::string doctor_csv(std::span<const CapabilityView> capabilities) {
  return csv(capabilities);
}
std::string modules_csv(std::span<const ModuleView> modules) {
  return csv(modules);
}
std::string functions_csv(const FunctionPage& page) {
  return csv(std::span{page.functions});
}
std::string events_csv(std::span<const EventView> events) {
  return csv(events);
}
std::string event_csv(const EventDetails& details) {
  return csv(std::span{details.fields});
}
std::string tracers_csv(std::span<const TracerView> tracers) {
  return csv(tracers);
}

std::string numbers_csv(std::string_view title, std::span<const std::uint64_t> numbers) {
  std::string text = fmt::format("{}\r\n", title);
  for (const std::uint64_t number : numbers) text += fmt::format("{}\r\n", number);
  return text;
}

}  // namespace netperfctl
