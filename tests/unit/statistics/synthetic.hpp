// SPDX-License-Identifier: GPL-2.0-or-later
// Synthetic runs with a known truth. The same seed always gives the same sequence.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// How the goodput of runs varies if nothing was changed; about 2 % for each shape.
enum class Shape {
  normal,
  skewed,         // lognormal losses: mostly near the best, sometimes far below
  bimodal,        // two speeds, as of a flow that does or does not meet a busy queue
  autocorrelated  // each run has a random offset, and its intervals depend on the previous one, AR(1) of 0.6
};
inline constexpr Shape kShapes[] = {Shape::normal, Shape::skewed, Shape::bimodal, Shape::autocorrelated};
std::string_view name_of(Shape shape);

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  bool chance(double probability) { return uniform_(engine_) < probability; }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// Goodput in 1 s intervals of one run, around 1.
std::vector<double> intervals_of_run(Dice& dice);

// Logarithm of a run's goodput.
double log_of_run(Shape shape, Dice& dice);
std::vector<double> logs_of_runs(Shape shape, std::size_t n, double effect, Dice& dice);

// One value per block of four letters: mean log of B's letters minus that of A's.
std::vector<double> block_values(Shape shape, std::size_t n, double effect, Dice& dice);

// Dependence between successive runs, in logarithms.
struct Sequence {
  double drift = 0;    // over the whole sequence
  double carried = 0;  // AR(1) coefficient from run to run
};
std::vector<double> logs_in_sequence(const Sequence& sequence, std::size_t runs, Dice& dice);

// The same runs as random ABBA or BAAB blocks, with B faster by `effect`.
std::vector<double> as_blocks(std::span<const double> logs, double effect, Dice& dice);

// The share of `repeats` in which `once` is true.
template <typename Once>
double share_of(int repeats, Once once) {
  int times = 0;
  for (int i = 0; i < repeats; ++i) times += once() ? 1 : 0;
  return static_cast<double>(times) / repeats;
}

inline bool is_change(Verdict verdict) {
  return verdict == Verdict::improvement || verdict == Verdict::regression;
}

inline bool covers(const Location& location, double truth) {
  return location.interval->low <= truth && truth <= location.interval->high;
}

}  // namespace netperfd::analysis
