// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that no test can have had: counts that wrapped around, times longer than the test. They become
// unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3_document.hpp"

namespace netperfd::workload {

// Collects what was set aside, for the message of a flag.
class SetAside {
 public:
  void add(const std::string& what) {
    if (count_++ == 0) first_ = what;
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

  // Clear impossible figures, each alone.
  void clear(Interval& interval, SetAside& aside) const;
  void clear(Totals& totals, SetAside& aside) const;
  // More than what was sent, what lay in buffers when the omitted part ended, and an inaccuracy.
  [[nodiscard]] bool is_received_too_much(std::uint64_t sent, std::uint64_t received) const;
  // Nothing of so much that no buffers can hold it.
  [[nodiscard]] bool is_received_too_little(std::uint64_t sent, std::uint64_t received) const;

 private:
  double longest_s_;
  double buffered_;
  double writes_;
};

}  // namespace netperfd::workload
