// SPDX-License-Identifier: GPL-2.0-or-later
// No cell of a text is a formula for a spreadsheet, in CSV of whatever list; figures stay figures.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "client/pages/render.hpp"
#include "client/rows/fields.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using CsvCells = std::vector<std::string>;

// The cells of all records but the first, which is the header.
CsvCells cells_of(std::string_view csv) {
  CsvCells cells;
  csv.remove_prefix(csv.find("\r\n") + 2);
  while (!csv.empty()) {
    std::string& cell = cells.emplace_back();
    const bool quoted = csv.starts_with('"');
    if (quoted) csv.remove_prefix(1);
    while (!csv.empty()) {
      if (quoted && csv.starts_with("\"\""))
        csv.remove_prefix(1);
      else if (quoted ? csv.starts_with('"') : csv.starts_with(',') || csv.starts_with("\r\n"))
        break;
      cell += csv.front();
      csv.remove_prefix(1);
    }
    if (quoted) csv.remove_prefix(1);
    csv.remove_prefix(csv.starts_with(',') ? 1 : 2);
  }
  return cells;
}

// A row of which every text is this one.
template <class Row>
Row full_of(const std::string& text) {
  Row row;
  each_field(row, [&](std::string_view, auto& member, std::string_view) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string> || std::is_same_v<Member, std::optional<std::string>>) {
      member = text;
    } else if constexpr (std::is_same_v<Member, std::optional<std::vector<std::string>>> ||
                         std::is_same_v<Member, std::vector<std::string>>) {
      member = std::vector{text, text};
    }
  });
  return row;
}

// CSV of every list, with this text wherever a text can be.
std::vector<std::string> lists_of(const std::string& text) {
  ShowView show = samples::traced();
  FunctionPage page;
  page.functions = {full_of<FunctionView>(text)};
  std::vector<std::string> lists{runs_csv(std::vector{full_of<RunView>(text)}),
                                 history_csv(std::vector{full_of<JobView>(text)}),
                                 jobs_csv(std::vector{full_of<LiveJobView>(text)}),
                                 scenarios_csv(std::vector{full_of<ScenarioView>(text)}),
                                 store_csv(full_of<StoreView>(text)),
                                 restored_csv(full_of<RestoredView>(text)),
                                 pruned_csv(std::vector{full_of<OldJobView>(text)}),
                                 doctor_csv(std::vector{full_of<CapabilityView>(text)}),
                                 modules_csv(std::vector{full_of<ModuleView>(text)}),
                                 functions_csv(page),
                                 events_csv(std::vector{full_of<EventView>(text)}),
                                 event_csv({.event = {}, .fields = {full_of<EventFieldView>(text)}}),
                                 tracers_csv(std::vector{full_of<TracerView>(text)})};
  AuditLogView log;
  log.entries = {full_of<AuditView>(text)};
  lists.push_back(audit_csv(log));
  show.trace->drops = {full_of<DropView>(text)};
  show.trace->marks = {full_of<MarkView>(text)};
  show.stacks.stacks = {full_of<StackView>(text)};
  SampleView sample = full_of<SampleView>(text);
  sample.fields = {{.name = text, .value = text, .text = text}};
  show.samples = {sample};
  for (bool TraceLists::* list :
       {&TraceLists::events, &TraceLists::drops, &TraceLists::stacks, &TraceLists::marks}) {
    show.trace_lists = {};
    show.trace_lists.*list = true;
    lists.push_back(show_csv(show));
  }
  show.trace_lists = {};
  show.counters.emplace().counters = {full_of<CounterView>(text)};
  show.counters->queues = {full_of<QueueSampleView>(text)};
  show.environment.emplace().facts = {full_of<FactView>(text)};
  for (bool ShowView::* list :
       {&ShowView::list_counters, &ShowView::list_queues, &ShowView::list_environment}) {
    show.*list = true;
    lists.push_back(show_csv(show));
    show.*list = false;
  }
  return lists;
}

TEST(CsvCells, of_texts_are_no_formulas_in_any_list) {
  for (const std::string sign :
       {"=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
    const std::string text = sign + "cmd|' /C calc'!A0,\"x\"";
    for (const std::string& list : lists_of(text)) {
      bool found = false;
      for (const std::string& cell : cells_of(list)) {
        EXPECT_FALSE(cell.starts_with(sign)) << list;
        found = found || cell.starts_with("'" + text);
      }
      EXPECT_TRUE(found) << "nobody put the text there: " << list;
    }
  }
}

TEST(CsvCells, of_figures_and_of_texts_that_are_numbers_stay) {
  FactView fact = full_of<FactView>("-12.5e3");
  ShowView show;
  show.list_environment = true;
  show.environment.emplace().facts = {fact};
  EXPECT_NE(show_csv(show).find(",-12.5e3,-12.5e3"), std::string::npos) << show_csv(show);
  for (const char* text : {"-", "-1+1", "-inf", "-1 2", "-0x10"}) {
    show.environment->facts = {full_of<FactView>(text)};
    EXPECT_NE(show_csv(show).find(std::string{",'"} + text), std::string::npos) << show_csv(show);
  }
}

TEST(CsvCells, are_as_they_were_in_json) {
  EXPECT_NE(jobs_json(std::vector{full_of<LiveJobView>("=1+1")}).find("\"=1+1\""), std::string::npos);
}

}  // namespace
}  // namespace netperfctl
