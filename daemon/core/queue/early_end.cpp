// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/early_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace netperfd::core {
namespace {

std::string effect_words(const FigureResult& figure) {
  const RatioEstimate& effect = figure.effect;
  if (!effect.ratio) return figure.name;
  std::string words = fmt::format("{} {:+.1f} %", figure.name, 100 * (*effect.ratio - 1));
  if (effect.low && effect.high)
    words += fmt::format(" ({:+.1f} to {:+.1f} %)", 100 * (*effect.low - 1), 100 * (*effect.high - 1));
  return words;
}

}  // namespace

analysis::Looks looks_of(const JobSpec& spec) {
  return analysis::looks_of(spec.repeat, std::max<std::size_t>(spec.figures.size(), 1));
}

std::optional<std::uint32_t> due_look(const LiveJob& job) {
  const std::uint32_t ended = job.status.runs_ended;
  if (!job.spec.until_decided || ended == 0) return std::nullopt;
  const std::uint32_t next = job.next_slot().block;
  if (job.status.slots.at(ended - 1).block == next) return std::nullopt;
  return is_look(looks_of(job.spec), next - 1) ? std::optional(next - 1) : std::nullopt;
}

bool is_decided(const Comparison& comparison) {
  return !comparison.figures.empty() &&
         std::ranges::all_of(comparison.figures, analysis::is_decided, &FigureResult::verdict);
}

std::string words_of_look(const Result<Comparison>& comparison, const analysis::Looks& looks,
                          std::uint32_t blocks) {
  std::string words;
  if (!comparison) {
    words = fmt::format("not compared at {} of at most {} blocks: {}", blocks, looks.at.back(),
                        comparison.error().message);
  } else {
    words = fmt::format("{}, {} at {} of at most {} blocks",
                        comparison->figures.empty() ? "no figure" : effect_words(comparison->figures.front()),
                        is_decided(*comparison) ? "decided" : "undecided", blocks, looks.at.back());
    if (is_decided(*comparison)) return words;
  }
  const auto next = next_look(looks, blocks);
  return next ? fmt::format("{}; next look at {}", words, *next) : words;
}

}  // namespace netperfd::core
