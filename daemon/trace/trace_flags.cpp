#include "daemon/trace/trace_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

namespace netperfd::trace {
namespace {

std::string losses(const TraceRecord& record) {
  std::vector<std::string> parts;
  for (const TraceCpu& cpu : record.cpus) {
    const std::uint64_t lost = lost_of(cpu);
    if (lost == 0) continue;
    const auto all = static_cast<double>(cpu.records + lost);
    parts.push_back(fmt::format("{} of {} on cpu {} ({:.2g} %)", lost, cpu.records + lost, cpu.cpu,
                                100.0 * static_cast<double>(lost) / all));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<QualityFlag> trace_flags(const TraceRecord& record, const std::vector<std::string>& neighbours,
                                     const Status& restored) {
  std::vector<QualityFlag> flags;
  if (!record.broken.empty()) flags.push_back({"trace-broken", record.broken});
  if (const auto lost = losses(record); !lost.empty()) {
    flags.push_back({"events-lost", fmt::format("records lost: {}; counts are of what was read", lost)});
  }
  std::uint64_t damaged = 0;
  for (const TraceCpu& cpu : record.cpus) damaged += cpu.damaged;
  if (damaged > 0) {
    flags.push_back(
        {"trace-damaged", fmt::format("{} sub-buffers could not be decoded to their end", damaged)});
  }
  if (!neighbours.empty()) {
    flags.push_back({"other-tracer", fmt::format("at the same time: {}", fmt::join(neighbours, "; "))});
  }
  if (!restored) flags.push_back({"tracefs-not-restored", restored.error().message});
  return flags;
}

}  // namespace netperfd::trace
