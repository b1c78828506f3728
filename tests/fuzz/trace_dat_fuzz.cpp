// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a file of trace-cmd: nothing outside of them is read, and the result is a record or an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "daemon/model/text.hpp"
#include "daemon/reading/record_check.hpp"
#include "daemon/trace/recording/trace_dat.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

#ifdef NETPERFD_PLANTED_BUG
// Reads one byte beyond a CPU's data: detected only if the data is at the end of the file and one of its
// formats is invalid.
void read_too_far(std::span<const std::byte> file) {
  static volatile unsigned sum = 0;
  const auto dat = netperfd::trace::read_trace_dat(file);
  if (!dat || dat->formats_left_out == 0) return;
  for (const auto& cpu : dat->cpus) {
    if (cpu.size > 0) sum = sum + std::to_integer<unsigned>(file.data()[cpu.offset + cpu.size]);
  }
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const auto file = std::as_bytes(std::span(input, size));
#ifdef NETPERFD_PLANTED_BUG
  read_too_far(file);
#endif
  const auto record = netperfd::trace::record_of_trace_dat(file);
  if (!record) {
    require(netperfd::is_printable(record.error().message));
    return 0;
  }
  require(netperfd::reading::check_texts(*record).has_value());
  for (const auto& event : record->events) require(event.count > 0);
  if (!record->profile) return 0;
  const auto& profile = *record->profile;
  for (const auto& edge : profile.edges) {
    require(std::max(edge.caller, edge.callee) < profile.functions.size());
  }
  return 0;
}
