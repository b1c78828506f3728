// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a comparison: the answer, where the difference is, what else differs, how good the evidence is,
// and the command that repeats it. It holds nothing but ASCII of its own, since it is meant to be pasted into
// commit messages and mails.
#include <string>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/render.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

std::string title(const Screen& screen, const CompareView& view) {
  std::string text;
  std::size_t used = 0;
  for (const std::string& part : comparing::title_parts(view)) {
    const bool fits = !screen.width || used + 3 + display_width(part) <= *screen.width;
    if (used > 0) text += fits ? "   " : "\n  ";
    used = (fits ? used + (used > 0 ? 3 : 0) : 2) + display_width(part);
    text += part;
  }
  return text + "\n";
}

std::string attribution(const Screen& screen, const CompareView& view) {
  return lines_text(screen, comparing::cost(view)) + comparing::functions_table(screen, view) +
         lines_text(screen, comparing::account(view)) + comparing::sampled_table(screen, view) +
         comparing::confirmation_table(screen, view);
}

}  // namespace

std::string compare_text(const Screen& screen, const CompareView& asked) {
  CompareView view = asked;
  view.details = escaped(std::move(view.details));
  const ComparisonView& head = view.details.comparison;
  std::string text = title(screen, view) + lines_text(screen, comparing::when(head, screen.now_us)) +
                     lines_text(screen, comparing::owners(view)) +
                     lines_text(screen, comparing::changed(screen, view));
  text += comparing::headline(screen, view);
  if (comparing::hides_figures(view)) {
    if (const std::string words = comparing::refusal_words(view); !words.empty()) {
      text += lines_text(screen, {{"", words}}) + lines_text(screen, comparing::facts(screen, view, true)) +
              lines_text(screen, {{"next", comparing::kAfterRefusal}});
    }
  } else {
    text += attribution(screen, view) + comparing::counters_table(screen, view);
  }
  text += comparing::environment_and_evidence(screen, view);
  return text + lines_text(screen, comparing::selftest(view, screen.now_us)) +
         lines_text(screen, {{"again", printable(view.command)}});
}

}  // namespace netperfctl
