// SPDX-License-Identifier: GPL-2.0-or-later
// The priority of the thread that reads the ring buffers.
//
// It is a nice value, not a realtime class. The rings hold half a second and more, so the reader needs a
// share of a busy CPU, not its first microsecond; a realtime reader would preempt the measured workload and
// its softirqs at once. If the nice value is refused (it needs RLIMIT_NICE or CAP_SYS_NICE), the thread reads
// without it; the doctor's row `reader_priority` says so.
#pragma once

namespace netperfd::trace {

inline constexpr int kReaderNice = -10;

// Sets the nice value of the calling thread; returns 0 or the errno of the refusal.
[[nodiscard]] int take_reader_priority();

}  // namespace netperfd::trace
