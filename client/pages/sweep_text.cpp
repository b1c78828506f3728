// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of a sweep as a page, as a mail and as Markdown.
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_setting.hpp"
#include "client/pages/mail_parts.hpp"
#include "client/pages/markdown_parts.hpp"
#include "client/pages/render.hpp"
#include "client/pages/sweep_parts.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

Lines below_the_tables(const SweepView& view) {
  Lines lines = sweeping::without_figures(view);
  std::ranges::move(sweeping::trends(view), std::back_inserter(lines));
  std::ranges::move(sweeping::evidence(view), std::back_inserter(lines));
  return lines;
}

Lines commands(const Screen& screen, const SweepView& view) {
  Lines lines;
  if (const std::string command = sweeping::command_of_point(view); !command.empty())
    lines.push_back(comparing::command_line(screen, "next", command));
  lines.push_back(comparing::command_line(screen, "again", view.command));
  return lines;
}

// On what all of it was measured.
Lines sweep_setting(const SweepView& view) {
  Lines lines = sweeping::swept(view);
  if (!view.scenario.empty()) lines.push_back({"scenario", view.scenario});
  std::ranges::move(comparing::machine(view.setting, view.setting), std::back_inserter(lines));
  const auto parts = sweeping::title_parts(view);
  lines.push_back({"runs", parts[3] + (view.asked.job ? ", of " + parts.back() : "")});
  return lines;
}

}  // namespace

std::string sweep_text(const Screen& shown_on, const SweepView& asked) {
  Screen screen = shown_on;  // as the page of a comparison
  screen.width = prose_width(shown_on);
  screen.glyphs = false;
  const SweepView view = sweeping::printable_view(asked);
  std::string text = comparing::title_text(screen, sweeping::title_parts(view)) +
                     lines_text(screen, sweeping::verdict(view));
  for (Grid& grid : sweeping::tables(view, false)) text += grid_text(screen, std::move(grid));
  return text + "\n" + lines_text(screen, below_the_tables(view)) +
         lines_text(screen, commands(screen, view));
}

std::string sweep_mail(const SweepView& asked) {
  const SweepView view = sweeping::printable_view(asked);
  const Screen screen = mail_screen();
  std::string text = mail_paragraph(sweeping::question(view)) + "\n" + mail_lines(sweep_setting(view)) +
                     "\n" + mail_lines(sweeping::verdict(view));
  for (Grid& grid : sweeping::tables(view, true)) {
    text += "\n" + mail_paragraph(grid.heading) +
            indented(render_table(narrower(screen, kIndent), std::move(grid.columns), std::move(grid.rows)),
                     kIndent);
  }
  return finished_mail(text + "\n" + mail_lines(below_the_tables(view)) + mail_lines(commands(screen, view)));
}

std::string sweep_markdown(const SweepView& asked) {
  const SweepView view = sweeping::printable_view(asked);
  std::string text = markdown::bold_line(sweeping::question(view)).substr(1) + "\n" +
                     markdown::setting_table(sweep_setting(view)) + markdown::items(sweeping::verdict(view));
  for (const Grid& grid : sweeping::tables(view, true)) text += markdown::grid_table(grid);
  return text + markdown::items(below_the_tables(view)) + "\nAgain:\n" +
         markdown::command_block(view.command);
}

}  // namespace netperfctl
