// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison as GitHub-flavoured Markdown: what the mail says, with tables.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_refusal.hpp"
#include "client/pages/comparison_setting.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/markdown_parts.hpp"
#include "client/pages/render.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

std::string answers_table(const CompareView& view) {
  std::string text = "\n" + markdown::row({"figure", "A -> B", "change", "verdict", "how sure"}) +
                     markdown::row({"---", "---:", "---:", "---", "---"});
  for (const comparing::Answer& answer : comparing::answers_of(view)) {
    std::string words;
    for (const Line& line : answer.lines) words += (words.empty() ? "" : "; ") + line.words;
    text += markdown::row({markdown::plain(answer.figure), markdown::plain(answer.medians),
                           markdown::plain(answer.change),
                           fmt::format("**{}**", markdown::plain(answer.verdict)), markdown::cell(words)});
  }
  return text;
}

std::string functions_in_markdown(const CompareView& view) {
  const Grid sampled = comparing::sampled_grid(view);
  const Grid traced = comparing::functions_grid(view);
  std::string text = markdown::items(comparing::cost(view));
  if (!sampled.rows.empty())
    text += markdown::grid_table(sampled) +
            markdown::paragraph(comparing::more_sampled(view, sampled.rows.size()));
  if (!traced.rows.empty()) {
    text += markdown::grid_table(traced) + markdown::paragraph(comparing::not_found_words(view)) +
            markdown::paragraph(comparing::more_functions(view, traced.rows.size()));
  }
  return text + markdown::items(comparing::explanation(view)) +
         markdown::grid_table(comparing::confirmation_grid(view));
}

std::string evidence_items(const CompareView& view) {
  Lines lines = comparing::evidence(view.details.comparison);
  if (lines.empty()) return {};
  std::string text = markdown::bold_line("evidence") + "\n";
  for (const Line& line : lines)
    text += markdown::item({"", line.words.starts_with("- ") ? line.words.substr(2) : line.words});
  return text;
}

}  // namespace

std::string compare_markdown(const CompareView& asked) {
  const Screen screen;
  const CompareView view = comparing::printable_view(asked);
  std::string text = markdown::bold_line(comparing::question(view)).substr(1) + "\n" +
                     markdown::setting_table(comparing::setting(screen, view)) +
                     markdown::items(comparing::overall_verdict(view)) + answers_table(view);
  if (const auto refusal = comparing::refusal(view)) {
    text += markdown::paragraph(refusal->words) + markdown::items(comparing::refusing_facts(screen, view));
    text += refusal->command.empty() ? markdown::items(comparing::next_lines(screen, *refusal))
                                     : fmt::format("\nThis command {}:\n", markdown::plain(refusal->effect)) +
                                           markdown::command_block(refusal->command);
  }
  if (!comparing::hides_figures(view)) text += functions_in_markdown(view);
  for (const Section& section : comparing::environment(screen, view))
    text += (section.heading.empty() ? "" : markdown::bold_line(section.heading)) +
            markdown::items(section.lines);
  return text + markdown::items(comparing::own_noise(view)) + evidence_items(view) + "\nAgain:\n" +
         markdown::command_block(view.command);
}

}  // namespace netperfctl
