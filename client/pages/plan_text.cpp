// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a plan: how much runs vary, and how many a difference needs. ASCII only, as on the page of a
// comparison.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/pages/plan_steps.hpp"
#include "client/pages/render.hpp"
#include "client/pages/show_parts.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl {
namespace {

bool in_boots(const PlanView& plan) {
  return plan.pairing == "boots of blocks";
}

// Each letter of the design has a boot of its own.
bool in_own_boots(const PlanView& plan) {
  return plan.pairing == "boots";
}

bool in_builds(const PlanView& plan) {
  return plan.pairing == "builds of blocks";
}

bool in_blocks(const PlanView& plan) {
  return plan.pairing && plan.pairing->ends_with("blocks");
}

const char* noun(const PlanView& plan) {
  return in_boots(plan) || in_own_boots(plan) ? "boot"
         : in_builds(plan)                    ? "build"
         : in_blocks(plan)                    ? "block"
                                              : "run";
}

const char* a_side(const PlanView& plan) {
  return in_blocks(plan) && !in_builds(plan) ? "" : " a side";
}

std::string count_words(const PlanView& plan, std::uint64_t count) {
  std::string words = plural(count, noun(plan)) + a_side(plan);
  if (plan.blocks_each) words += fmt::format(" with {}", plural(*plan.blocks_each, "block"));
  return words + (plan.blocks_each ? " each" : "");
}

std::string title(const PlanPageView& view) {
  const std::string from = view.job ? fmt::format("the pilot, job {}", *view.job) : printable(view.runs);
  return fmt::format("{}   planned from {}\n", printable(view.scenario), from);
}

// Which figure, where it is not the throughput alone.
std::string figure_words(const PlanView& plan) {
  const std::string figure = plan.figure.value_or("received");
  if (!plan.figures) return figure == "received" ? "" : figure;
  return fmt::format(
      "{}, whose interval has {:.1f} %: a comparison judges {} together; --figure plans another", figure,
      plan.level.value_or(0) * 100, fmt::join(*plan.figures, ", "));
}

std::string spread_words(const PlanView& plan) {
  if (!plan.sd) return "not known";
  std::string text = format_percent(std::expm1(*plan.sd) * 100);
  text += fmt::format(" from {0} to {0}", noun(plan));
  if (in_own_boots(plan)) text += " of a side";
  if (plan.samples) text += fmt::format(", of {}", plural(*plan.samples, noun(plan)));
  return text;
}

std::string needed_words(const PlanView& plan) {
  const std::string threshold = or_dash(plan.threshold, percent_text);
  if (plan.threshold && plan.effect && *plan.effect <= *plan.threshold)
    return fmt::format(
        "is not above the threshold of {}, so no number shows it to be that: --threshold sets "
        "another, as does that of the figure in the scenario's key `figures`",
        threshold);
  if (!plan.needed) return fmt::format("more than a million {}s{} are needed", noun(plan), a_side(plan));
  std::string text = fmt::format("{} find it {}{}", count_words(plan, *plan.needed),
                                 plan.threshold ? fmt::format("to be at least {} ", threshold) : "",
                                 power_words(plan.power.value_or(0.8)));
  if (in_own_boots(plan))
    text += fmt::format(", {} in total", plural(std::uint64_t{2} * *plan.needed, "boot"));
  if (plan.seconds) text += ", in about " + format_seconds(*plan.seconds);
  return text;
}

std::string rounded(double blocks) {
  return format_count(static_cast<std::uint64_t>(std::lround(blocks)));
}

std::string rounded_blocks(double blocks) {
  return plural(static_cast<std::uint64_t>(std::lround(blocks)), "block");
}

// A job that ends once it is decided.
std::string until_words(const PlanView& plan) {
  const auto in_about = [](const std::optional<double>& seconds) {
    return seconds ? ", in about " + format_seconds(*seconds) : "";
  };
  const auto blocks = [](const std::optional<double>& mean) { return or_dash(mean, rounded_blocks); };
  const auto decided = [](const std::optional<double>& share) {
    return or_dash(share, [](double of_jobs) { return netperfd::rows::whole_percent(100 * of_jobs) + " %"; });
  };
  std::string text = fmt::format(
      "a job until decided, of at most {}, takes {} on average if there is a difference of {}{} ({} of such "
      "jobs are decided); {} if there is none{} ({}); {} at worst{}",
      plural(*plan.until_most, "block"), blocks(plan.until_blocks), or_dash(plan.effect, percent_text),
      in_about(plan.until_seconds), decided(plan.until_decided), blocks(plan.until_blocks_same),
      in_about(plan.until_seconds_same), decided(plan.until_decided_same), plural(*plan.until_most, "block"),
      in_about(plan.until_most_seconds));
  if (plan.figures) text += ". The other figures may take more";
  return text;
}

std::string table(const Screen& screen, const PlanPageView& view) {
  const auto count = [](std::uint32_t n) { return format_count(std::uint64_t{n}); };
  std::vector<Cells> rows;
  for (const PlanView& row : view.effects) {
    rows.push_back({{or_dash(row.effect, percent_text)},
                    {or_dash(row.needed, count)},
                    {or_dash(row.needed_for_equivalence, count)},
                    {row.needed ? or_dash(row.seconds, format_seconds) : "-"},
                    {or_dash(row.until_blocks, rounded)}});
  }
  const std::string text = render_table(narrower(screen, kIndent),
                                        {{.title = "DIFFERENCE", .right = true},
                                         {.title = in_boots(view.plan)       ? "BOOTS"
                                                   : in_own_boots(view.plan) ? "BOOTS A SIDE"
                                                   : in_builds(view.plan)    ? "BUILDS A SIDE"
                                                   : in_blocks(view.plan)    ? "BLOCKS"
                                                                             : "RUNS A SIDE",
                                          .right = true},
                                         {.title = "TO RULE OUT", .right = true, .optional = true},
                                         {.title = "TIME", .right = true, .optional = true},
                                         {.title = "UNTIL DECIDED", .right = true, .optional = true}},
                                        std::move(rows));
  return "\n" + indented(text, kIndent) + "\n";
}

// What the scenario has been started with so far.
std::string so_far_words(const PlanPageView& view) {
  if (!view.repeat || !view.plan.detectable || view.plan.until_most == view.repeat) return {};
  std::string text = count_words(view.plan, *view.repeat) + ", as it was started last, ";
  text += fmt::format("find a difference of {}", format_percent((*view.plan.detectable - 1) * 100));
  if (view.plan.repeat_seconds) text += ", in about " + format_seconds(*view.plan.repeat_seconds);
  return text;
}

// More than one comparison can have.
std::string cannot_words(const PlanPageView& view) {
  if (!view.steps.most) return {};
  if (*view.steps.most == 0) return "this host takes no job that large: limits.repeat of its netperfd.yaml";
  std::string text = fmt::format("this host can compare {} at most (a comparison has up to {} runs a side)",
                                 count_words(view.plan, *view.steps.most), format_count(kMostRunsOfSide));
  if (view.steps.most_detectable)
    text += fmt::format(", which find a difference of {}",
                        format_percent((*view.steps.most_detectable - 1) * 100));
  return text;
}

// Each on a line of its own that is never broken, so that it can be pasted.
std::string lines_of(std::span<const std::string> commands) {
  std::string text;
  for (const std::string& command : commands) {
    std::string line = printable(command);
    for (std::size_t at = 0; (at = line.find(' ', at)) != std::string::npos; at += kNoBreak.size())
      line.replace(at, 1, kNoBreak);
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

}  // namespace

std::string pilot_with_boots_text(std::string_view what, const BootCheck& boots) {
  std::string text = fmt::format(
      "{} reboots this machine, and the store has not enough of its boots to plan from.\n", printable(what));
  text += fmt::format("A pilot takes {}", plural(boots.boots, "boot"));
  if (boots.seconds) text += ", about " + format_seconds(*boots.seconds);
  return text + ". It goes on by itself after each boot; `netperfctl stop JOB` ends it.\n";
}

std::string plan_text(const Screen& screen, const PlanPageView& asked) {
  PlanPageView view = asked;
  view.plan = escaped(std::move(view.plan));
  std::string text = title(view);
  if (const std::string words = figure_words(view.plan); !words.empty())
    text += show::field(screen, "figure", words);
  text += show::field(screen, "spread", spread_words(view.plan));
  text +=
      show::field(screen, or_dash(view.plan.effect, percent_text), needed_words(view.plan), Style::strong);
  if (view.plan.until_most) text += show::field(screen, "sooner", until_words(view.plan));
  text += table(screen, view);
  if (const std::string words = so_far_words(view); !words.empty())
    text += show::field(screen, "so far", words);
  if (view.job) {
    text += show::field(screen, "time",
                        "of plain runs as in the pilot; where the job traces, each traced run comes on top");
  }
  if (view.plan.boot_seconds) {
    text += show::field(screen, "a boot",
                        fmt::format("takes about {}, from one reboot to the next with its runs",
                                    format_seconds(*view.plan.boot_seconds)));
  }
  if (in_boots(view.plan) && view.plan.needed) {
    text += show::field(screen, "next", "one job in each boot, then compare their variants");
  }
  if (in_builds(view.plan) && view.plan.needed) {
    text += show::field(screen, "next", "as many builds of both sides in the scenario");
  }
  if (const std::string words = cannot_words(view); !words.empty())
    text += show::field(screen, "cannot", words);
  const std::span<const std::string> commands = view.steps.commands;
  const std::size_t first = view.steps.before_change > 0 ? view.steps.before_change : commands.size();
  text += show::field(screen, "next", lines_of(commands.first(first)));
  if (first < commands.size()) {
    text += show::field(screen, "then", "make the change, and");
    text += show::field(screen, "", lines_of(commands.subspan(first)));
  }
  return text;
}

}  // namespace netperfctl
