// What two selections of runs say when they are compared, as plain data like the rest of client/views.hpp.
// docs/netperfctl.md says what the figures mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfctl {

// What is said of the whole (Compare's first row). Ratios are of B to A: 1.05 is 5 % more.
struct ComparisonView {
  std::string figure;   // "received", in bits per second
  std::string verdict;  // improvement, regression, equivalent, inconclusive, too few or refused
  std::optional<double> threshold;
  std::optional<std::string> pairing;  // what is a sample: blocks, runs or boots
  std::optional<std::vector<std::uint64_t>> runs_a, runs_b;
  std::optional<std::vector<std::string>> scenarios_a, scenarios_b, labels_a, labels_b;  // those met
  std::optional<std::uint64_t> first_started_a_us, last_started_a_us, first_started_b_us, last_started_b_us;
  std::optional<std::uint32_t> samples_a, samples_b;
  std::optional<double> median_a, median_b;
  std::optional<double> ratio, ratio_low, ratio_high, level, p, cliffs_delta, detectable;
  std::optional<std::uint32_t> needed;  // samples a side, or blocks, that find the threshold
  // Busy time of all CPUs over goodput, of the plain runs.
  std::optional<double> ns_per_byte_a, ns_per_byte_b, ns_per_byte_shift, ns_per_byte_low, ns_per_byte_high,
      ns_per_byte_level, ns_per_byte_p;
  std::optional<double> explained, explained_low, explained_high;  // shares of ns_per_byte_shift
  std::optional<double> residual_ns_per_byte, traced_to_plain;
  std::optional<std::uint32_t> tested;        // functions
  std::optional<std::string> not_attributed;  // why the functions tell no story
  std::optional<std::uint32_t> counters_tested;
  std::optional<std::vector<std::string>> changed, same, caveats;
  // The newest self-test of the scenario of side B on this host; ratios and levels as those above.
  std::optional<std::uint64_t> selftest_job, selftest_started_us;
  std::optional<std::string> selftest_verdict;
  std::optional<std::uint32_t> selftest_samples;
  std::optional<double> selftest_ratio, selftest_low, selftest_high, selftest_level, selftest_detectable;
  std::optional<std::uint64_t> functions_left_out, counters_left_out, facts_left_out;
};

// One function on both sides; costs are nanoseconds of self time a byte of goodput.
struct FunctionDeltaView {
  std::string function;
  std::optional<std::string> function_b;   // its name in B, where that is another
  std::optional<std::uint32_t> duplicate;  // which of several of that name, from 1
  std::optional<std::string> module;       // absent: the kernel itself
  std::optional<std::string> match;        // same, renamed, only A, only B
  std::optional<double> cost_a, cost_b;
  std::optional<double> shift, low, high, level, p, q;  // of B less A
  std::optional<double> share;
  // cost = packets per byte * calls per packet * ns per call; without packets calls are per byte.
  std::optional<double> packets_per_byte_a, packets_per_byte_b, calls_per_packet_a, calls_per_packet_b,
      ns_per_call_a, ns_per_call_b;
};

struct CounterChangeView {
  std::string source, name;
  std::optional<std::string> unit;  // absent: a number
  std::optional<double> per_gigabyte_a, per_gigabyte_b, shift, low, high, level, p, q;
};

struct FactChangeView {
  std::string group, key;
  std::optional<std::vector<std::string>> a, b;  // values met
  std::optional<bool> declared, explains;
};

struct ComparisonDetails {
  ComparisonView comparison;
  std::vector<FunctionDeltaView> functions;  // the largest difference first
  std::vector<CounterChangeView> counters;
  std::vector<FactChangeView> facts;
};

// What the caller of `compare` asked.
struct CompareRequest {
  std::string a, b;                  // selections of runs
  std::optional<std::uint64_t> job;  // with a design, whose sides they are
  std::vector<std::string> changed;
  bool despite = false;
  std::optional<double> threshold;  // as a share
};

struct CompareView {
  CompareRequest asked;
  std::string command;  // that repeats it
  bool all = false;     // every function and fact, and retransmits even where they did not move
  ComparisonDetails details;
  // Names of the sides of asked.job; empty where those are its plain and its traced runs.
  std::string name_a = {}, name_b = {};
};

}  // namespace netperfctl
