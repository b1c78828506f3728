// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a comparison: the answer, where the difference is, what else differs, how good the evidence is,
// and the command that repeats it. It holds nothing but ASCII of its own, since it is meant to be pasted into
// commit messages and mails.
#include <string>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_refusal.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/render.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/escaped.hpp"

namespace netperfctl {
namespace {

std::string attribution(const Screen& screen, const CompareView& view) {
  // The samples are of runs that nothing slowed; the traced functions explain them.
  return lines_text(screen, comparing::cost(view)) + comparing::sampled_table(screen, view) +
         comparing::functions_table(screen, view) + lines_text(screen, comparing::account(view)) +
         comparing::confirmation_table(screen, view);
}

}  // namespace

std::string compare_text(const Screen& shown_on, const CompareView& asked) {
  // It is pasted from a pipe as often as from a terminal: the tables have a width there too.
  Screen screen = shown_on;
  screen.width = prose_width(shown_on);
  screen.glyphs = false;
  CompareView view = asked;
  view.details = escaped(std::move(view.details));
  const ComparisonView& head = view.details.comparison;
  std::string text = comparing::title_text(screen, comparing::title_parts(view)) +
                     lines_text(screen, comparing::when(head, screen.now_us)) +
                     lines_text(screen, comparing::owners(view)) +
                     lines_text(screen, comparing::changed(screen, view));
  text += comparing::headline(screen, view);
  if (const auto refusal = comparing::refusal(view)) {
    text += lines_text(screen, {{"", refusal->words}}) +
            lines_text(screen, comparing::refusing_facts(screen, view)) +
            lines_text(screen, comparing::next_lines(screen, *refusal));
  }
  if (!comparing::hides_figures(view))
    text += attribution(screen, view) + comparing::counters_table(screen, view);
  text += comparing::environment_and_evidence(screen, view);
  return text + lines_text(screen, comparing::selftest(view, screen.now_us)) +
         lines_text(screen, {comparing::command_line(screen, "again", view.command)});
}

}  // namespace netperfctl
