// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that no test can have had: counts that wrapped around or are below 0, times longer than the test.
// They become unknown. An interval's time is mended from its other figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

// Collects what was set aside, for the message of a flag, which has the words of the first alone.
class SetAside {
 public:
  template <class Words>
  void add(Words words) {
    if (count_++ == 0) first_ = words();
  }
  // Raises `impossible-figures` if there was anything.
  void flag(std::vector<QualityFlag>& flags) const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

class Possible {
 public:
  Possible(const Iperf3Document& document, const TestSpec& asked);

  // Gives an interval the times that its other figures tell, where its own cannot be. `before_s` is the end
  // of the one before it. False: they are as they were.
  bool mend_times(Figures& figures, double before_s) const;
  // Clear impossible figures, each alone.
  void clear(Interval& interval, SetAside& aside) const;
  void clear(Totals& totals, SetAside& aside) const;
  // More than what was sent, what lay in buffers when the omitted part ended, and an inaccuracy.
  [[nodiscard]] bool is_received_too_much(std::uint64_t sent, std::uint64_t received) const;
  // Nothing of so much that no buffers can hold it.
  [[nodiscard]] bool is_received_too_little(std::uint64_t sent, std::uint64_t received) const;

 private:
  [[nodiscard]] bool is_time(const std::optional<double>& seconds) const {
    return seconds && *seconds >= 0 && *seconds <= longest_s_;
  }

  double longest_s_;
  double interval_s_;
  double most_jitter_s_;  // a mean of differences within the test
  double buffered_;
  double writes_;
};

}  // namespace netperfd::workload
