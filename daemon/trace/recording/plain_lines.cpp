// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/plain_lines.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace netperfd::trace {
namespace {

// enum trace_flag_type
constexpr unsigned kIrqsOff = 0x01;
constexpr unsigned kLazyResched = 0x02;  // before 6.13: irqs-off is unknown, on machines of no interest here
constexpr unsigned kNeedResched = 0x04;
constexpr unsigned kHardirq = 0x08;
constexpr unsigned kSoftirq = 0x10;
constexpr unsigned kPreemptResched = 0x20;
constexpr unsigned kNmi = 0x40;
constexpr unsigned kBottomHalvesOff = 0x80;

char interrupts_of(unsigned flags) {
  if ((flags & kIrqsOff) != 0) return (flags & kBottomHalvesOff) != 0 ? 'D' : 'd';
  return (flags & kBottomHalvesOff) != 0 ? 'b' : '.';
}

char resched_of(unsigned flags) {
  // Indexed by preempt, need and lazy, the highest bit first.
  constexpr std::array<char, 8> kSigns{'.', 'l', 'n', 'b', 'p', 'L', 'N', 'B'};
  return kSigns[((flags & kPreemptResched) != 0 ? 4U : 0U) + ((flags & kNeedResched) != 0 ? 2U : 0U) +
                ((flags & kLazyResched) != 0 ? 1U : 0U)];
}

char context_of(unsigned flags) {
  const bool hard = (flags & kHardirq) != 0;
  const bool soft = (flags & kSoftirq) != 0;
  if ((flags & kNmi) != 0) return hard ? 'Z' : 'z';
  if (hard) return soft ? 'H' : 'h';
  return soft ? 's' : '.';
}

char digit_of(unsigned count) {
  return count == 0 ? '.' : "0123456789abcdef"[count & 0xFU];
}

}  // namespace

void PlainLines::header(std::string& out, std::string_view tracer) {
  fmt::format_to(std::back_inserter(out), "# tracer: {}\n", tracer);
  out +=
      "#\n"
      "#                                _-----=> irqs-off/BH-disabled\n"
      "#                               / _----=> need-resched\n"
      "#                              | / _---=> hardirq/softirq\n"
      "#                              || / _--=> preempt-depth\n"
      "#                              ||| / _-=> migrate-disable\n"
      "#                              |||| /     delay\n"
      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
      "#              | |         |   |||||     |         |\n";
}

void PlainLines::line(std::string& out, const TextNames& names, std::uint32_t cpu, std::uint64_t time,
                      const RecordHead& head, std::string_view text) {
  // The kernel rounds here, although not in function_graph's lines.
  const auto microseconds = (time + 500) / 1'000;
  fmt::format_to(std::back_inserter(out), "{:>16}-{:<7} [{:03}] {}{}{}{}{} {:5}.{:06}: {}\n",
                 names.task(head.pid), names.number(head.pid), cpu, interrupts_of(head.flags),
                 resched_of(head.flags), context_of(head.flags), digit_of(head.preempt_count & 0xFU),
                 digit_of(unsigned{head.preempt_count} >> 4U), microseconds / 1'000'000,
                 microseconds % 1'000'000, text);
}

}  // namespace netperfd::trace
