// SPDX-License-Identifier: GPL-2.0-or-later
// Counts of each function, by the address that the kernel records for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"

namespace netperfd::analysis {

struct EndedCall {
  std::uint64_t raw_ns = 0;  // as recorded
  std::uint64_t total_ns = 0, self_ns = 0, interrupted_ns = 0, off_cpu_ns = 0;
  std::uint32_t callees = 0, interruptions = 0;
  bool inner = false;  // its time is contained in that of an outer call
  bool timed = true;   // its time is known
};

struct FunctionCount {
  struct Slice {
    std::uint64_t hits = 0, self_ns = 0;
  };

  std::uint64_t address = 0;
  // As in FunctionStats.
  std::uint64_t hits = 0, total_ns = 0, self_ns = 0, recorded_ns = 0, interrupted_ns = 0, off_cpu_ns = 0;
  std::uint64_t callees = 0, interruptions = 0, roots = 0, interrupt_roots = 0;
  std::uint64_t min_ns = std::numeric_limits<std::uint64_t>::max(), max_ns = 0;
  HistogramCounter totals;
  std::vector<Slice> slices;
  std::uint64_t told_hits = 0, told_self_ns = 0;  // values at the last take_hits()

  void add(const EndedCall& call) {
    ++hits;
    callees += call.callees;
    interruptions += call.interruptions;
    if (!call.timed) return;
    if (!call.inner) {
      total_ns += call.total_ns;
      interrupted_ns += call.interrupted_ns;
      off_cpu_ns += call.off_cpu_ns;
    }
    self_ns += call.self_ns;
    recorded_ns += call.raw_ns;
    if (call.total_ns < min_ns) min_ns = call.total_ns;
    if (call.total_ns > max_ns) max_ns = call.total_ns;
    totals.add(call.total_ns);
  }
};

class FunctionTable {
 public:
  // Beyond `most_functions`, further functions are counted together under the address 0.
  FunctionTable(std::size_t most_functions, std::size_t most_slices);

  [[nodiscard]] std::uint32_t find_or_make(std::uint64_t address);
  [[nodiscard]] FunctionCount& operator[](std::uint32_t index) { return functions_[index]; }
  [[nodiscard]] const std::vector<FunctionCount>& functions() const { return functions_; }
  [[nodiscard]] std::vector<FunctionCount>& functions() { return functions_; }
  [[nodiscard]] bool has_others() const { return has_others_; }

  // `since_release`: in ns of the trace clock.
  void add_to_slice(FunctionCount& function, std::uint64_t since_release, std::uint64_t self_ns) {
    std::size_t slice = since_release >> slice_shift_;
    if (slice >= most_slices_) slice = widen_slices(since_release);
    if (slice >= function.slices.size()) function.slices.resize(slice + 1);
    ++function.slices[slice].hits;
    function.slices[slice].self_ns += self_ns;
  }
  [[nodiscard]] std::uint64_t slice_ns() const { return std::uint64_t{1} << slice_shift_; }

 private:
  // The slot that holds its index or would hold it.
  [[nodiscard]] std::size_t slot_of(std::uint64_t address) const;
  [[nodiscard]] std::uint32_t make(std::uint64_t address);
  [[nodiscard]] std::size_t widen_slices(std::uint64_t since_release);

  std::size_t most_functions_;
  std::size_t most_slices_;
  std::uint32_t slice_shift_ = 20;
  bool has_others_ = false;
  std::vector<FunctionCount> functions_;
  std::vector<std::uint32_t> slots_;  // a hash over addresses: indices into functions_
};

}  // namespace netperfd::analysis
