// SPDX-License-Identifier: GPL-2.0-or-later
// A synthetic host whose runs are plain or traced, with known costs of all functions.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

inline constexpr int kArmRuns = 9;  // plain ones on each side, and as many traced ones
inline constexpr int kFunctions = 200;
inline constexpr double kBytes = 1e9;
inline constexpr double kPackets = 2e6;
inline constexpr double kCallsPerPacket = 2;
inline constexpr double kNsMore = 40;  // per call of the changed function
inline constexpr double kTruth = kNsMore * kCallsPerPacket * kPackets / kBytes;  // ns per byte
// What differs on the changed side.
struct Cause {
  double ns_more = 0;        // of a call of the function "changed"
  double untraced_more = 0;  // ns per byte of code that is not traced
};
inline constexpr double kCallCost = 90;      // ns, of the tracer
inline constexpr double kNsPerSample = 5e6;  // about 200 samples per second of CPU time

// One of its two hundred functions, "changed", may change.
class FunctionHost {
 public:
  // `sampled`: the plain runs have samples, with a function "untraced" that traces do not see.
  explicit FunctionHost(std::uint64_t seed, bool sampled = false)
      : sampled_(sampled), generator_(seed), sample_generator_(seed + 1) {
    names_.emplace_back("changed");
    ns_per_call_.push_back(400);
    // The others add up to about 8 ns per byte: a few as large as the changed one, many small ones.
    for (int i = 1; i < kFunctions; ++i) {
      names_.push_back("function_" + std::to_string(i));
      ns_per_call_.push_back(800.0 / (1 + i % 40));
    }
  }

  std::vector<ComparedRun> side(const Cause& cause) {
    std::vector<ComparedRun> runs;
    for (int i = 0; i < kArmRuns; ++i) {
      runs.push_back(plain(cause));
      runs.push_back(traced(cause));
    }
    return runs;
  }

 private:
  // Random factor with a tail to the slow side; drawn for each run, and for each function in it.
  double luck() { return 1 + 0.004 * exponential_(generator_) + 0.003 * normal_(generator_); }

  double true_ns_per_byte(std::size_t function, const Cause& cause) const {
    const double more = function == 0 ? cause.ns_more : 0;
    return (ns_per_call_[function] + more) * kCallsPerPacket * kPackets / kBytes;
  }

  ComparedRun run() {
    ComparedRun run;
    run.goodput_bytes = static_cast<std::uint64_t>(kBytes);
    run.packets = static_cast<std::uint64_t>(kPackets);
    return run;
  }

  ComparedRun plain(const Cause& cause) {
    double ns_per_byte = 2 + cause.untraced_more;
    for (std::size_t f = 0; f < names_.size(); ++f) ns_per_byte += kSpread * true_ns_per_byte(f, cause);
    ns_per_byte += (1 - kSpread) * true_ns_per_byte(0, cause);
    const double of_run = luck() / kMeanLuck;
    ns_per_byte *= of_run;
    ComparedRun plain = run();
    if (sampled_) sample(plain, cause, of_run);
    plain.busy_ns = static_cast<std::uint64_t>(ns_per_byte * kBytes);
    plain.busiest_cpu = 0.98;
    plain.received_bits_per_second = 8e9 / ns_per_byte;
    return plain;
  }

  void sample(ComparedRun& plain, const Cause& cause, double of_run) {
    ComparedSamples& samples = plain.samples.emplace();
    samples.ns_per_sample = kNsPerSample;
    const auto draw = [&](const std::string& name, double ns_per_byte) {
      std::poisson_distribution<std::uint64_t> count(ns_per_byte * of_run * kBytes / kNsPerSample);
      SampledCost& function = samples.functions.emplace_back();
      function.name = name;
      function.samples = count(sample_generator_);
      samples.busy += function.samples;
    };
    for (std::size_t f = 0; f < names_.size(); ++f) {
      draw(names_[f], (f == 0 ? 1 : kSpread) * true_ns_per_byte(f, cause));
    }
    draw("untraced", kUntraced + cause.untraced_more);
    draw("[user]", 2 - kUntraced);
  }

  ComparedRun traced(const Cause& cause) {
    ComparedRun traced = run();
    traced.received_bits_per_second = 6e8 * luck();
    ComparedTrace& trace = traced.trace.emplace();
    trace.cost = {.entry_ns = 0, .callee_ns = kCallCost};
    double busy = (2 + cause.untraced_more) * luck() / kMeanLuck;
    trace.functions.reserve(names_.size());
    const double of_run = luck();
    for (std::size_t f = 0; f < names_.size(); ++f) {
      const double share = f == 0 ? 1 : kSpread;
      const double self = share * true_ns_per_byte(f, cause) * of_run * luck() / (kMeanLuck * kMeanLuck);
      ComparedFunction& function = trace.functions.emplace_back();
      function.name = names_[f];
      function.hits = static_cast<std::uint64_t>(share * kCallsPerPacket * kPackets);
      function.self_ns = static_cast<std::uint64_t>(self * kBytes);
      trace.calls += function.hits;
      busy += self + static_cast<double>(function.hits) * kCallCost / kBytes;
    }
    traced.busy_ns = static_cast<std::uint64_t>(busy * kBytes);
    return traced;
  }

  // Call rate of the others, relative to the changed function.
  static constexpr double kSpread = 0.12;
  static constexpr double kMeanLuck = 1.004;
  static constexpr double kUntraced = 0.5;  // ns per byte

  bool sampled_;
  std::mt19937_64 generator_, sample_generator_;
  std::normal_distribution<double> normal_;
  std::exponential_distribution<double> exponential_;
  std::vector<std::string> names_;
  std::vector<double> ns_per_call_;
};

}  // namespace netperfd::analysis
