// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as function_graph text: nothing outside of them is read, and the result is calls or an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "daemon/model/text.hpp"
#include "daemon/reading/record_check.hpp"
#include "daemon/trace/recording/graph_text_record.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

#ifdef NETPERFD_PLANTED_BUG
// Reads one byte beyond the text as the end of its last line: detected only if that line has no end, and is
// left out because other lines are calls.
void read_too_far(std::span<const std::byte> file, const netperfd::ImportedFile& imported) {
  static volatile unsigned sum = 0;
  const bool cut_off = std::ranges::any_of(
      imported.flags, [](const netperfd::QualityFlag& flag) { return flag.code == "trace-cut-off"; });
  if (cut_off) sum = sum + std::to_integer<unsigned>(file.data()[file.size()]);
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const auto file = std::as_bytes(std::span(input, size));
  const auto imported = netperfd::trace::record_of_graph_text(file);
  if (!imported) {
    require(netperfd::is_printable(imported.error().message));
    return 0;
  }
#ifdef NETPERFD_PLANTED_BUG
  read_too_far(file, *imported);
#endif
  for (const auto& flag : imported->flags) require(netperfd::is_printable(flag.message));
  require(netperfd::reading::check_texts(*imported->trace).has_value());
  for (const auto& event : imported->trace->events) require(event.count > 0);
  if (!imported->trace->profile) return 0;  // events alone
  const auto& profile = *imported->trace->profile;
  for (const auto& function : profile.functions) require(function.self_ns <= function.recorded_ns);
  for (const auto& edge : profile.edges) {
    require(std::max(edge.caller, edge.callee) < profile.functions.size());
  }
  return 0;
}
