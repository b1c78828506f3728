// SPDX-License-Identifier: GPL-2.0-or-later
// A synthetic host with traced runs of many functions, whose costs, times of a call and calls are known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/grouping.hpp"

namespace netperfd::analysis {

struct FamilyDesign {
  std::size_t samples;
  bool in_blocks;
  bool one_boot_a_side = false;  // otherwise each block, or each run without blocks, is a boot of its own
  bool tells_boots = true;       // that one boot of each side

  [[nodiscard]] std::string words() const;
};
inline constexpr FamilyDesign kFamilyDesigns[] = {{.samples = 6, .in_blocks = true},
                                                  {.samples = 8, .in_blocks = true},
                                                  {.samples = 10, .in_blocks = true},
                                                  {.samples = 4, .in_blocks = false},
                                                  {.samples = 6, .in_blocks = false}};

inline constexpr double kBytesOfTrace = 1e9;
inline constexpr double kCpuNsPerByte = 10;

struct FamilyFunction {
  std::string name;
  double share = 0;         // of the CPU time of A
  double ns = 0;            // of a call on A
  double more_ns = 0;       // of a call on B
  double more_calls = 0;    // on B, as a share
  double within = 0;        // traced calls that a call makes
  double more_within = 0;   // on B
  bool is_counted = false;  // so few calls that their number and their mean time are by chance

  [[nodiscard]] double call_time(bool of_b) const { return ns + (of_b ? more_ns : 0); }
  [[nodiscard]] double calls(bool of_b) const;  // per byte
  [[nodiscard]] double cost(bool of_b) const { return calls(of_b) * call_time(of_b); }
  [[nodiscard]] bool is_changed() const { return more_ns != 0 || more_calls != 0; }
};

inline constexpr std::string_view kLarge = "large", kSlower = "slower", kFrequent = "frequent";
inline constexpr std::array<double, 4> kPlantedNs = {24, 312, 1'472, 4'800};
std::string name_of_planted(double ns);

// Two functions of 10 % of the time cost so much more on B: by the time of a call, and by the number of
// calls. One has 20 %. All others have 5 % and less, down to 0.05 %, and calls of 100 to 1,600 ns. Four of
// these take from 24 ns a call in the second largest to 4,800 ns in the smallest more on B.
std::vector<FamilyFunction> functions_of_family(std::size_t count, double more = 0.05);
// The same without any change.
std::vector<FamilyFunction> unchanged_functions(std::size_t count);

// What runs vary by, beside their bytes, times and calls.
struct FamilyNoise {
  double callee_ns = 0;          // that the tracer takes of the caller of a traced call
  double callee_varies = 0;      // between boots, and of each calibration about its boot
  double callee_error = 0;       // that all calibrations of a comparison share
  double slow = 0, slow_by = 0;  // this share of runs is slower by this share
};

class FamilyHost {
 public:
  // Keeps a reference to the functions.
  FamilyHost(std::uint64_t seed, const std::vector<FamilyFunction>& functions, const FamilyNoise& noise = {})
      : random_(seed), functions_(functions), noise_(noise) {}

  struct Sides {
    std::vector<ComparedRun> a, b;
  };
  // A traced run of each side in each block; or as many runs of each side without blocks.
  Sides sides(const FamilyDesign& design);

 private:
  struct Tracer {
    double entry_ns = 0, callee_ns = 0;
  };

  double varied(double deviation) { return 1 + deviation * normal_(random_); }
  Tracer tracer_of_boot();
  TracerCost calibrated(const Tracer& boot);
  ComparedRun run(const Tracer& boot, bool is_b);
  ComparedFunction traced(const FamilyFunction& each, bool is_b, const Tracer& tracer, double bytes,
                          double slowness);

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  const std::vector<FamilyFunction>& functions_;
  FamilyNoise noise_;
  double callee_error_ = 0;
};

RunList pointers_to(const std::vector<ComparedRun>& runs);

}  // namespace netperfd::analysis
