#include "daemon/analysis/throughput_effect.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "daemon/analysis/shift_estimate.hpp"

namespace netperfd::analysis {
namespace {

bool measured(const ComparedRun& run) {
  return run.received_bits_per_second && *run.received_bits_per_second > 0;
}

RunList measured_runs(const std::vector<ComparedRun>& runs, bool traced) {
  RunList chosen;
  for (const ComparedRun& run : runs) {
    if (measured(run) && run.trace.has_value() == traced) chosen.push_back(&run);
  }
  return chosen;
}

std::optional<double> bits_per_second(const ComparedRun& run) {
  return run.received_bits_per_second;
}

std::optional<double> log_bits_per_second(const ComparedRun& run) {
  return std::log(*run.received_bits_per_second);
}

bool all_started(const RunList& runs) {
  return std::ranges::all_of(runs, [](const ComparedRun* run) { return run->started.has_value(); });
}

bool all_before(const RunList& first, const RunList& second) {
  const auto started = [](const ComparedRun* run) { return *run->started; };
  return started(*std::ranges::max_element(first, {}, started)) <
         started(*std::ranges::min_element(second, {}, started));
}

std::set<std::string> boots_of(const RunList& runs) {
  std::set<std::string> boots;
  for (const ComparedRun* run : runs) {
    if (run->fingerprint && !run->fingerprint->boot_id.empty()) boots.insert(run->fingerprint->boot_id);
  }
  return boots;
}

void note_order(const Sampling& sampling, Caveats& caveats) {
  if (sampling.pairing() == Pairing::blocks) {
    if (sampling.runs_left_out() > 0) {
      caveats.add(Gravity::weakens,
                  fmt::format("Not counted, being of blocks that lack one side: {} of {} runs.",
                              sampling.runs_left_out(), sampling.a().size() + sampling.b().size()));
    }
    if (sampling.uneven_blocks() > 0) {
      caveats.add(
          Gravity::weakens,
          fmt::format(
              "Blocks with more runs of one side than of the other, in which a drift of the host does "
              "not cancel: {}.",
              sampling.uneven_blocks()));
    }
    return;
  }
  if (!all_started(sampling.a()) || !all_started(sampling.b())) {
    caveats.add(Gravity::verdict,
                "Not interleaved in blocks, and it is not known when each run was: a drift of the host "
                "cannot be told from the change.");
  } else if (all_before(sampling.a(), sampling.b())) {
    caveats.add(Gravity::verdict,
                "Not interleaved: all runs of A were before all of B, so that a drift of the host cannot be "
                "told from the change.");
  } else if (all_before(sampling.b(), sampling.a())) {
    caveats.add(Gravity::verdict,
                "Not interleaved: all runs of B were before all of A, so that a drift of the host cannot be "
                "told from the change.");
  } else {
    caveats.add(Gravity::weakens,
                "Not interleaved in blocks: a drift of the host need not cancel, and the interval does not "
                "allow for it.");
  }
}

void note_boots(const Sampling& sampling, Caveats& caveats) {
  const auto boots_a = boots_of(sampling.a()), boots_b = boots_of(sampling.b());
  if (boots_a.size() == 1 && boots_b.size() == 1 && boots_a != boots_b) {
    caveats.add(Gravity::verdict, "One boot each: not separable from boot-to-boot variation.");
  }
  if (sampling.pairing() == Pairing::runs && (boots_a.size() > 1 || boots_b.size() > 1)) {
    caveats.add(Gravity::verdict,
                "The runs are of several boots, but not of all of them the boot is known: each run counts as "
                "a sample, though runs of one boot share its luck.");
  }
}

void note_silent_side(const std::vector<ComparedRun>& runs, std::string_view side, Caveats& caveats) {
  std::size_t unknown = 0, nothing = 0;
  for (const ComparedRun& run : runs) {
    if (!run.received_bits_per_second) {
      ++unknown;
    } else if (!measured(run)) {
      ++nothing;
    }
  }
  if (nothing > 0) {
    caveats.add(
        Gravity::verdict,
        fmt::format("{} of {} runs of {} received nothing, which no ratio can show: they are not counted.",
                    nothing, runs.size(), side));
  }
  if (unknown > 0) {
    caveats.add(Gravity::weakens,
                fmt::format("Of {} of {} runs of {} it is not known what was received: they "
                            "are not counted.",
                            unknown, runs.size(), side));
  }
}

}  // namespace

ArmRuns throughput_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b) {
  ArmRuns plain{Arm::plain, measured_runs(a, false), measured_runs(b, false)};
  if (!plain.a.empty() && !plain.b.empty()) return plain;
  ArmRuns traced{Arm::traced, measured_runs(a, true), measured_runs(b, true)};
  if (!traced.a.empty() && !traced.b.empty()) return traced;
  ArmRuns mixed{Arm::mixed, plain.a.empty() ? traced.a : plain.a, plain.b.empty() ? traced.b : plain.b};
  if (!mixed.a.empty() && !mixed.b.empty()) return mixed;
  mixed.arm = Arm::plain;  // a side has no run at all
  return mixed;
}

RatioEstimate throughput_effect(const Sampling& sampling, double threshold, double level) {
  RatioEstimate effect;
  const RunValues raw_a = values_of(sampling.a(), bits_per_second);
  const RunValues raw_b = values_of(sampling.b(), bits_per_second);
  effect.median_a = median_of(raw_a).value_or(0);
  effect.median_b = median_of(raw_b).value_or(0);
  const Samples samples = sampling.samples(values_of(sampling.a(), log_bits_per_second),
                                           values_of(sampling.b(), log_bits_per_second));
  effect.n_a = static_cast<std::uint32_t>(samples.a.size());
  effect.n_b = static_cast<std::uint32_t>(samples.b.size());
  if (samples.a.empty() || samples.b.empty()) return effect;
  const Location location = shift_of(samples, level);
  effect.ratio = std::exp(location.estimate);
  effect.p = location.p;
  effect.cliffs_delta = cliffs_delta(samples.a, samples.b);
  if (location.interval) {
    effect.low = std::exp(location.interval->low);
    effect.high = std::exp(location.interval->high);
    effect.level = location.interval->level;
  }
  if (const auto detectable = detectable_shift(samples, level)) effect.detectable = std::exp(*detectable);
  effect.needed = samples_needed(samples, std::log1p(threshold), level);
  return effect;
}

Verdict verdict_of(const RatioEstimate& effect, double threshold) {
  if (!effect.low || !effect.high) return Verdict::too_few;
  if (*effect.low - 1 > -threshold && *effect.high - 1 < threshold) return Verdict::equivalent;
  if (*effect.low > 1) return Verdict::improvement;
  if (*effect.high < 1) return Verdict::regression;
  return Verdict::inconclusive;
}

void note_throughput(const ArmRuns& runs, const Sampling& sampling, Caveats& caveats) {
  if (runs.a.empty() || runs.b.empty()) return;
  if (runs.arm == Arm::traced) {
    caveats.add(Gravity::weakens,
                "A side has no plain run: the throughput is that under tracing, whose cost is in it.");
  } else if (runs.arm == Arm::mixed) {
    caveats.add(
        Gravity::verdict,
        "One side has plain runs alone and the other traced ones alone: the cost of tracing is in the "
        "difference.");
  }
  note_order(sampling, caveats);
  note_boots(sampling, caveats);
}

void note_silent_runs(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                      Caveats& caveats) {
  note_silent_side(a, "A", caveats);
  note_silent_side(b, "B", caveats);
}

}  // namespace netperfd::analysis
