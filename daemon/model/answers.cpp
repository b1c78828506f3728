// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/model/figure.hpp"
#include "daemon/model/figure_registry.hpp"
#include "daemon/model/percentile.hpp"
#include "daemon/model/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// A run takes 24 h at most, with what is done before and after its workload.
constexpr milliseconds kLongestRun = 23h;

// What a percentile is made of, in each run.
struct Answers {
  double per_second = 0;
  milliseconds during{0};
  std::string during_key;  // which key says how long
  milliseconds longest{0};
  std::string rate_key;  // which key says how many requests are sent; empty: not one key alone
  double highest_rate = 0;

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(during).count(); }
};

// Of a figure of the workload's own, whose name tells: 0.99 for "half_round_trip.p99", 0.999 for "p999".
std::optional<double> percentile_in(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  constexpr std::size_t kMostDigits = 9;
  if (last.size() < 3 || last.size() > 1 + kMostDigits || last.front() != 'p') return std::nullopt;
  double fraction = 0, place = 0.1;
  for (const char c : last.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    fraction += place * (c - '0');
    place /= 10;
  }
  return fraction;
}

std::uint64_t fewest_answers(double fraction) {
  auto fewest = static_cast<std::uint64_t>(10 / (1 - fraction));
  while (fewest > 0 && are_enough(fewest - 1, fraction)) --fewest;
  while (!are_enough(fewest, fraction)) ++fewest;
  return fewest;
}

const ProbeSpec* probe_of(const JobSpec& spec, const Figure& figure) {
  const std::vector<ProbeSpec>& probes = spec.latency->probes;
  if (figure.probe.empty()) return probes.empty() ? nullptr : &probes.front();
  const auto found = std::ranges::find(probes, figure.probe, &ProbeSpec::name);
  return found == probes.end() ? nullptr : &*found;
}

// The phase of omitted seconds also has the time in which iperf3 connects, which nobody knows before.
std::optional<Answers> answers_of_probe(const JobSpec& spec, const Figure& figure) {
  const ProbeSpec* probe = spec.latency ? probe_of(spec, figure) : nullptr;
  if (probe == nullptr) return std::nullopt;
  const bool alone = !spec.workload.makes_traffic;
  constexpr double kHighestRate = 10'000;
  Answers answers{.per_second = static_cast<double>(probe->rate),
                  .during = {},
                  .during_key = {},
                  .longest = kLongestRun,
                  .rate_key = alone ? fmt::format("workload.{}.probes[].rate", spec.workload.name)
                                    : "with.latency.probes[].rate",
                  .highest_rate = kHighestRate};
  const LatencyPhase phase = figure.phase.value_or(alone ? LatencyPhase::idle : LatencyPhase::load);
  if (alone) {
    if (!spec.latency->duration) return std::nullopt;
    answers.during = *spec.latency->duration;
    answers.during_key = fmt::format("workload.{}.duration", spec.workload.name);
  } else if (phase == LatencyPhase::load) {
    if (!spec.test.traffic.duration) return std::nullopt;
    answers.during = *spec.test.traffic.duration;
    answers.during_key = fmt::format("workload.{}.duration", spec.workload.name);
  } else if (phase == LatencyPhase::omitted) {
    return std::nullopt;
  } else {
    answers.during = spec.latency->idle;
    answers.during_key = "with.latency.idle";
    answers.longest = 10min;
  }
  return answers;
}

std::optional<Answers> answers_of(const JobSpec& spec, const Figure& figure) {
  if (!is_own(figure)) return answers_of_probe(spec, figure);
  if (!spec.command || !spec.command->answers_per_second || !spec.command->duration) return std::nullopt;
  return Answers{.per_second = *spec.command->answers_per_second,
                 .during = *spec.command->duration,
                 .during_key = fmt::format("workload.{}.duration", spec.workload.name),
                 .longest = kLongestRun,
                 .rate_key = {},
                 .highest_rate = 0};
}

std::string advice(const Answers& answers, std::uint64_t fewest) {
  // A tenth more, since some answers are lost or come late.
  const std::uint64_t tenth = fewest / 10 + (fewest % 10 > 0 ? 1 : 0);
  const auto enough = static_cast<double>(fewest + tenth);
  const auto longest = std::chrono::duration<double>(answers.longest).count();
  const double seconds = std::ceil(enough / answers.per_second);
  if (seconds <= longest) return fmt::format("set `{}: {:.0f}s`", answers.during_key, seconds);
  if (answers.rate_key.empty()) {
    return fmt::format(
        "even a run of {} has too few, so have more answered in a second, or take a lower "
        "percentile",
        format_duration(answers.longest));
  }
  const double rate = std::ceil(enough / answers.seconds());
  if (rate <= answers.highest_rate) return fmt::format("set `{}: {:.0f}`", answers.rate_key, rate);
  return fmt::format("set `{}: {:.0f}s` and `{}: {:.0f}`", answers.during_key, longest, answers.rate_key,
                     std::ceil(enough / longest));
}

// Empty: it can be had, or nobody knows.
std::string too_few(const JobSpec& spec, const Figure& figure, const PercentileOfFigure& percentile) {
  Figure in_phase = figure;
  if (percentile.phase) in_phase.phase = percentile.phase;
  const auto answers = answers_of(spec, in_phase);
  if (!answers) return {};
  const double most = std::ceil(answers->per_second * answers->seconds());
  const std::uint64_t fewest = fewest_answers(percentile.fraction);
  if (most >= static_cast<double>(fewest)) return {};
  return fmt::format(
      "figure {} takes {} answers{}, and a run has {:.0f} at most, {} a second for {}: {}", to_string(figure),
      fewest, percentile.phase ? fmt::format(" in the phase {}", to_string(*percentile.phase)) : "", most,
      rows::plain_number(answers->per_second, 6), format_duration(answers->during), advice(*answers, fewest));
}

std::vector<PercentileOfFigure> percentiles_of(const Figure& figure) {
  if (const FigureEntry* entry = find_figure(figure.name))
    return {entry->percentiles.begin(), entry->percentiles.end()};
  const auto own = percentile_in(figure.name);
  if (!own) return {};
  return {{.fraction = *own}};
}

}  // namespace

std::vector<std::string> too_few_answers(const JobSpec& spec) {
  std::vector<JobSpec> told = specs_of_runs(spec);
  if (told.size() > 1) told.erase(told.begin());  // the sides have their own values
  std::vector<std::string> sentences;
  for (const FigureChoice& choice : spec.figures) {
    for (const PercentileOfFigure& percentile : percentiles_of(choice.figure)) {
      for (const JobSpec& each : told) {
        std::string sentence = too_few(each, choice.figure, percentile);
        const bool known = std::ranges::find(sentences, sentence) != sentences.end();
        if (!sentence.empty() && !known) sentences.push_back(std::move(sentence));
      }
    }
  }
  return sentences;
}

}  // namespace netperfd
