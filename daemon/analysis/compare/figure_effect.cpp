// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/figure_effect.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/work.hpp"

namespace netperfd::analysis {
namespace {

RunList measured_runs(const std::vector<ComparedRun>& runs, const FigureOf& figure, bool traced) {
  RunList chosen;
  for (const ComparedRun& run : runs) {
    if (figure.is_measured(run) && run.trace.has_value() == traced) chosen.push_back(&run);
  }
  return chosen;
}

bool all_started(const RunList& runs) {
  return std::ranges::all_of(runs, [](const ComparedRun* run) { return run->started.has_value(); });
}

bool all_before(const RunList& first, const RunList& second) {
  const auto started = [](const ComparedRun* run) { return *run->started; };
  return started(*std::ranges::max_element(first, {}, started)) <
         started(*std::ranges::min_element(second, {}, started));
}

void note_order(const Grouping& grouping, Caveats& caveats) {
  if (grouping.in_blocks()) {
    if (grouping.runs_left_out() > 0) {
      caveats.add(
          Gravity::weakens,
          fmt::format(
              "Not counted, because their blocks lack one side or fell into two boots: {} of {} runs.",
              grouping.runs_left_out(), grouping.a().size() + grouping.b().size()));
    }
    if (grouping.pairing() == Pairing::boots_of_blocks) {
      caveats.add(Gravity::told,
                  grouping.is_crossed()
                      ? "The blocks are of several boots and of several builds: the interval allows for both."
                      : "The blocks are of several boots, and each boot counts as one sample.");
    }
    if (grouping.pairing() == Pairing::builds_of_blocks) {
      caveats.add(Gravity::told,
                  "The blocks are of several builds, and each pair of them counts as one sample.");
    }
    if (grouping.uneven_blocks() > 0) {
      caveats.add(
          Gravity::weakens,
          fmt::format(
              "Blocks with more runs of one side than of the other, in which a drift of the host does "
              "not cancel: {}.",
              grouping.uneven_blocks()));
    }
    if (grouping.partial_blocks() > 0) {
      caveats.add(Gravity::weakens,
                  fmt::format("Blocks that are not whole, whose differences spread more than those of the "
                              "others: {}.",
                              grouping.partial_blocks()));
    }
    return;
  }
  if (grouping.boots_for_each_letter()) {
    caveats.add(Gravity::told,
                "Each letter of a block has a boot of its own, and each boot counts as one sample.");
    return;
  }
  if (!all_started(grouping.a()) || !all_started(grouping.b())) {
    caveats.add(Gravity::verdict,
                "Not interleaved in blocks, and it is not known when each run was: a drift of the host "
                "cannot be told from the change.");
  } else if (all_before(grouping.a(), grouping.b())) {
    caveats.add(Gravity::verdict,
                "Not interleaved: all runs of A were before all of B, so that a drift of the host cannot be "
                "told from the change.");
  } else if (all_before(grouping.b(), grouping.a())) {
    caveats.add(Gravity::verdict,
                "Not interleaved: all runs of B were before all of A, so that a drift of the host cannot be "
                "told from the change.");
  } else {
    caveats.add(Gravity::weakens,
                "Not interleaved in blocks: a drift of the host need not cancel, and the interval does not "
                "allow for it.");
  }
}

void note_boots(const Grouping& grouping, Caveats& caveats) {
  const auto boots_a = boots_of(grouping.a()), boots_b = boots_of(grouping.b());
  if (boots_a.size() == 1 && boots_b.size() == 1 && boots_a != boots_b) {
    caveats.add(Gravity::verdict, "One boot each: not separable from boot-to-boot variation.");
  }
  const auto has_build = [](const ComparedRun* run) { return !run->build.empty(); };
  if (!grouping.in_blocks() &&
      (std::ranges::any_of(grouping.a(), has_build) || std::ranges::any_of(grouping.b(), has_build))) {
    caveats.add(Gravity::verdict,
                "The runs are of several builds, but not in blocks that they share: those of one build have "
                "its luck, which the interval does not know.");
  }
  const bool all_known =
      std::ranges::all_of(grouping.a(), knows_boot) && std::ranges::all_of(grouping.b(), knows_boot);
  if (!all_known && (boots_a.size() > 1 || boots_b.size() > 1)) {
    caveats.add(
        Gravity::verdict,
        fmt::format("The runs are of several boots, but not of all of them the boot is known: each {} "
                    "counts as a sample, though those of one boot share its luck.",
                    grouping.in_blocks() ? "block" : "run"));
  }
}

std::string silent_traced_words(const FigureOf& figure, std::string_view side, std::ptrdiff_t dead,
                                std::ptrdiff_t traced) {
  if (const FigureWords* words = figure.words()) {
    return fmt::format("{} of {} traced runs of {} {}: the {} is that of plain ones.", dead, traced, side,
                       words->nothing, words->name);
  }
  return fmt::format("In {} of {} traced runs of {}, {} is 0: the figure is that of plain ones.", dead,
                     traced, side, figure.name());
}

std::string unknown_words(const FigureOf& figure, std::string_view side, std::ptrdiff_t unknown,
                          std::size_t all) {
  if (const FigureWords* words = figure.words()) {
    return fmt::format("Of {} of {} runs of {} it is not known {}: they are not counted.", unknown, all, side,
                       words->what);
  }
  return fmt::format("In {} of {} runs of {}, {} is not known: they are not counted.", unknown, all, side,
                     figure.name());
}

void note_silent_side(const std::vector<ComparedRun>& runs, std::string_view side, TakenFrom from,
                      const FigureOf& figure, Caveats& caveats) {
  const auto unknown =
      std::ranges::count_if(runs, [&](const ComparedRun& run) { return !figure(run).has_value(); });
  const auto dead_traced = std::ranges::count_if(
      runs, [&](const ComparedRun& run) { return !is_plain(run) && figure.is_nothing(run); });
  if (from == TakenFrom::plain && dead_traced > 0) {
    const auto traced = static_cast<std::ptrdiff_t>(runs.size()) - std::ranges::count_if(runs, is_plain);
    caveats.add(Gravity::weakens, silent_traced_words(figure, side, dead_traced, traced));
  }
  if (unknown > 0) caveats.add(Gravity::weakens, unknown_words(figure, side, unknown, runs.size()));
}

std::string first_source(const Figure& figure, const std::vector<ComparedRun>& a,
                         const std::vector<ComparedRun>& b) {
  const std::string name = to_string(figure);
  for (const auto* side : {&a, &b}) {
    for (const ComparedRun& run : *side) {
      if (const auto found = run.sources.find(name); found != run.sources.end()) return found->second;
    }
  }
  return {};
}

}  // namespace

std::optional<double> whole_cost(const ComparedRun& run) {
  const auto work = work_of(run);
  if (!run.busy_ns || !work || *run.busy_ns == 0) return std::nullopt;
  return static_cast<double>(*run.busy_ns) / *work;
}

std::optional<double> FigureOf::operator()(const ComparedRun& run) const {
  if (entry_ == nullptr) {
    const auto own = std::ranges::find(run.own_figures, name_, &NamedFigure::name);
    return own == run.own_figures.end() ? std::nullopt : std::optional{own->value};
  }
  const auto found = run.figures.find(name_);
  if (found != run.figures.end()) return found->second;
  // What a run knows of itself, also if no figures were read.
  const FigureReadings known{.received_bits_per_second = run.received_bits_per_second,
                             .goodput_bytes = run.goodput_bytes,
                             .cpu_ns = run.busy_ns};
  const auto value = entry_->read(known, figure_);
  return !value && entry_->read_whole != nullptr ? entry_->read_whole(known, figure_) : value;
}

std::optional<double> FigureOf::log(const ComparedRun& run) const {
  const auto value = (*this)(run);
  return value && *value > 0 ? std::optional(std::log(*value)) : std::nullopt;
}

FigureTerms terms_of(const Figure& figure, const std::vector<ComparedRun>& a,
                     const std::vector<ComparedRun>& b) {
  if (const FigureEntry* entry = find_figure(figure.name)) {
    return {.unit = std::string{unit_of(*entry, figure)},
            .better = better_of(*entry, figure),
            .source = first_source(figure, a, b)};
  }
  for (const auto* side : {&a, &b}) {
    for (const ComparedRun& run : *side) {
      const auto own = std::ranges::find(run.own_figures, figure.name, &NamedFigure::name);
      if (own != run.own_figures.end()) return {.unit = own->unit, .better = own->better};
    }
  }
  return {};
}

FigureRuns figure_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                       const Figure& figure) {
  const FigureOf of(figure);
  FigureRuns plain{TakenFrom::plain, measured_runs(a, of, false), measured_runs(b, of, false)};
  if (!plain.a.empty() && !plain.b.empty()) return plain;
  FigureRuns traced{TakenFrom::traced, measured_runs(a, of, true), measured_runs(b, of, true)};
  if (!traced.a.empty() && !traced.b.empty()) return traced;
  FigureRuns mixed{TakenFrom::mixed, plain.a.empty() ? traced.a : plain.a,
                   plain.b.empty() ? traced.b : plain.b};
  if (!mixed.a.empty() && !mixed.b.empty()) return mixed;
  mixed.from = TakenFrom::plain;  // a side has no run at all
  return mixed;
}

RatioEstimate figure_effect(const Grouping& grouping, const Figure& figure, double threshold, double level) {
  const FigureOf of(figure);
  const auto log = [&of](const ComparedRun& run) { return of.log(run); };
  RatioEstimate effect;
  const RunValues raw_a = values_of(grouping.a(), of);
  const RunValues raw_b = values_of(grouping.b(), of);
  effect.median_a = median_of(raw_a).value_or(0);
  effect.median_b = median_of(raw_b).value_or(0);
  const RunValues logs_a = values_of(grouping.a(), log);
  const RunValues logs_b = values_of(grouping.b(), log);
  const Samples samples = grouping.samples(logs_a, logs_b);
  effect.n_a = static_cast<std::uint32_t>(samples.a.size());
  effect.n_b = static_cast<std::uint32_t>(samples.b.size());
  if (samples.a.empty() || samples.b.empty()) return effect;
  const Location location = shift_of(grouping, logs_a, logs_b, level);
  effect.ratio = std::exp(location.estimate);
  const Centres centres = centres_of(samples, location.estimate);
  effect.centre_a = std::exp(centres.a);
  effect.centre_b = std::exp(centres.b);
  effect.p = location.p;
  effect.cliffs_delta = cliffs_delta(samples.a, samples.b);
  if (location.interval) {
    effect.low = std::exp(location.interval->low);
    effect.high = std::exp(location.interval->high);
    effect.level = location.interval->level;
  }
  if (grouping.is_crossed()) return effect;  // planning knows one level
  if (const auto detectable = detectable_shift(samples, level))
    effect.detectable = (1 + threshold) * std::exp(*detectable);
  effect.needed = samples_needed(samples, std::log((1 + 2 * threshold) / (1 + threshold)), level);
  effect.needed_for_equivalence = samples_for_equivalence(samples, std::log1p(threshold), level);
  return effect;
}

void note_runs(const FigureRuns& runs, const Grouping& grouping, const Figure& figure, Caveats& caveats) {
  if (runs.a.empty() || runs.b.empty()) return;
  if (runs.from == TakenFrom::traced) {
    const FigureOf of(figure);
    caveats.add(Gravity::weakens,
                fmt::format("A side has no plain run{}: the {} is that under tracing, whose cost is in it.",
                            of.words() != nullptr ? "" : " with " + of.name(),
                            of.words() != nullptr ? of.words()->name : "figure"));
  } else if (runs.from == TakenFrom::mixed) {
    caveats.add(
        Gravity::verdict,
        "One side has plain runs alone and the other traced ones alone: the cost of tracing is in the "
        "difference.");
  }
  note_order(grouping, caveats);
  note_boots(grouping, caveats);
}

void note_silent_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b, TakenFrom from,
                      const Figure& figure, Caveats& caveats) {
  const FigureOf of(figure);
  note_silent_side(a, "A", from, of, caveats);
  note_silent_side(b, "B", from, of, caveats);
}

void note_failed_runs(const std::vector<ComparedRun>& runs, std::size_t failed, std::string_view side,
                      Caveats& caveats) {
  if (failed == 0) return;
  caveats.add(Gravity::verdict, fmt::format("{} of {} runs of {} failed and are not in this comparison.",
                                            failed, runs.size() + failed, side));
}

}  // namespace netperfd::analysis
