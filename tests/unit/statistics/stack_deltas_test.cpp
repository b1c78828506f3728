// SPDX-License-Identifier: GPL-2.0-or-later
// What the colours of a differential flame graph are worth (daemon/analysis/compare/stack_deltas.hpp).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "daemon/analysis/compare/stack_deltas.hpp"
#include "dbus/rows/found.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kPictures = 200;
// The 99 % limit of a count whose chance is 5 %.
constexpr int kMostColoured = 18;

constexpr std::uint32_t kCallers = 12, kCallees = 20;  // 1 + 1 + 12 + 240 frames
constexpr double kSamplesOfRun = 2'000;

// Runs whose callers and callees share luck: where memory lies, what else ran, how packets were coalesced. So
// two samples of a run are more alike than two of different runs.
class SampledHost {
 public:
  explicit SampledHost(std::uint64_t seed) : dice_(seed), engine_(seed) {}

  // `more`: samples per run of one callee in two of the callers.
  SampleProfile run(double block_luck, double more) {
    SampleProfile profile;
    profile.event = "cpu-clock";
    profile.frames = {{.kind = FrameKind::program, .name = "iperf3", .module = {}}};
    profile.nodes = {{.parent = {}, .frame = 0, .samples = 0}};
    const double run_luck = block_luck + 0.05 * dice_.normal();
    for (std::uint32_t i = 0; i < kCallers; ++i) {
      const std::uint32_t caller = add(profile, 0, fmt::format("caller{}", i), 0);
      const double luck = run_luck + 0.15 * dice_.normal();
      for (std::uint32_t k = 0; k < kCallees; ++k) {
        double mean = kSamplesOfRun / (kCallers * kCallees) * std::exp(luck + 0.1 * dice_.normal());
        if (k == 0 && i < 2) mean += more / 2;
        add(profile, caller, fmt::format("callee{}", k),
            std::poisson_distribution<std::uint64_t>(mean)(engine_));
      }
    }
    return profile;
  }

  double block_luck() { return 0.05 * dice_.normal(); }

 private:
  static std::uint32_t add(SampleProfile& profile, std::uint32_t parent, std::string name,
                           std::uint64_t samples) {
    const auto frame = static_cast<std::uint32_t>(profile.frames.size());
    profile.frames.push_back({.kind = FrameKind::function, .name = std::move(name), .module = {}});
    profile.nodes.push_back({.parent = parent, .frame = frame, .samples = samples});
    return static_cast<std::uint32_t>(profile.nodes.size() - 1);
  }

  Dice dice_;
  std::mt19937_64 engine_;
};

struct SampledDesign {
  const char* name;
  std::uint32_t blocks;  // of one run a side; 0: two series of runs
  std::uint32_t runs;
};

StackComparison picture_of(SampledHost& host, const SampledDesign& design, double more) {
  std::vector<ComparedRun> a(design.runs), b(design.runs);
  StackTree tree{StackScope::workload};
  RunList list_a, list_b;
  for (std::uint32_t i = 0; i < design.runs; ++i) {
    const double luck = host.block_luck();
    a[i].block = b[i].block = design.blocks > 0 ? i + 1 : 0;
    tree.add(StackTree::side_a, host.run(luck, 0), 1e-3);
    tree.add(StackTree::side_b, host.run(luck, more), 1e-3);
    list_a.push_back(&a[i]);
    list_b.push_back(&b[i]);
  }
  StackComparison comparison;
  tree.compare(list_a, list_b, {}, comparison);
  return comparison;
}

bool is_coloured(const FrameDelta& frame) {
  if (!frame.shift) return false;
  return rows::is_found({.shift = frame.shift->cost.shift,
                         .low = frame.shift->low(),
                         .high = frame.shift->high(),
                         .p_adjusted = frame.shift->together.p});
}

// The interval says otherwise than p.
bool contradicts_itself(const FrameDelta& frame) {
  if (!frame.shift || !frame.shift->low()) return false;
  const bool contains_0 = *frame.shift->low() <= 0 && *frame.shift->high() >= 0;
  return contains_0 == (*frame.shift->together.p <= 0.05);
}

// False: a frame is coloured though nothing differs. True: the two frames that take more are coloured, and
// nothing that they do not stand on.
TEST(StackDeltasBySimulation, colour_what_differs_and_little_else) {
  constexpr SampledDesign kDesigns[] = {
      {"6 blocks", 6, 6}, {"10 blocks", 10, 10}, {"6 and 6 runs", 0, 6}, {"10 and 10 runs", 0, 10}};
  constexpr double kMore = 120;  // of 2,000 samples
  std::uint64_t seed = 90;
  for (const SampledDesign& design : kDesigns) {
    SampledHost host(++seed);
    int falsely = 0, frames = 0, both = 0, wrong = 0;
    std::ptrdiff_t contradictions = 0;
    for (int set = 0; set < kPictures; ++set) {
      const StackComparison same = picture_of(host, design, 0);
      const auto found = std::ranges::count_if(same.frames, is_coloured);
      falsely += found > 0 ? 1 : 0;
      frames += static_cast<int>(found);
      int changed = 0;
      bool other = false;
      const StackComparison changes = picture_of(host, design, kMore);
      contradictions += std::ranges::count_if(same.frames, contradicts_itself) +
                        std::ranges::count_if(changes.frames, contradicts_itself);
      for (const FrameDelta& frame : changes.frames) {
        if (!is_coloured(frame)) continue;
        const bool stands_on =
            frame.depth < 2 || frame.frame.name == "caller0" || frame.frame.name == "caller1";
        if (frame.frame.name == "callee0") ++changed;
        if (!stands_on && frame.frame.name != "callee0") other = true;
      }
      both += changed == 2 ? 1 : 0;
      wrong += other ? 1 : 0;
    }
    fmt::print(
        "{}: some frame coloured though nothing differs {:.1f} % ({} frames of {} pictures); both that "
        "differ "
        "{:.1f} %, another one {:.1f} %\n",
        design.name, 100.0 * falsely / kPictures, frames, kPictures, 100.0 * both / kPictures,
        100.0 * wrong / kPictures);
    EXPECT_LE(falsely, kMostColoured) << design.name;
    EXPECT_LE(wrong, kMostColoured) << design.name;
    EXPECT_EQ(contradictions, 0) << design.name;
    if (design.runs >= 10) {
      EXPECT_GE(both, kPictures * 9 / 10) << design.name;
    }
  }
}

}  // namespace
}  // namespace netperfd::analysis
