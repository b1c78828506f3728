// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers for the benches: CPU time, medians and their intervals.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <vector>

namespace netperfd::bench {

inline double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// CPU time, so that other processes do not affect the result.
template <class Work>
double seconds_of(Work work) {
  const auto begin = thread_cpu_seconds();
  work();
  return thread_cpu_seconds() - begin;
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Interval {
  double low = 0;
  double high = 0;
  double level = 0;  // exact coverage: at least 0.95
};

// Interval of the median, from the order of the values alone: the probability that a fair coin falls this
// unevenly. Needs at least six values.
inline Interval interval_of_median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = values.size();
  double outside = std::pow(0.5, static_cast<double>(n));  // probability of at most `left_out` heads of n
  double term = outside;
  std::size_t left_out = 0;
  while (true) {
    term *= static_cast<double>(n - left_out) / static_cast<double>(left_out + 1);
    if (2 * (outside + term) > 0.05) break;
    outside += term;
    ++left_out;
  }
  return {values[left_out], values[n - 1 - left_out], 1 - 2 * outside};
}

}  // namespace netperfd::bench
