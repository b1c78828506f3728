// SPDX-License-Identifier: GPL-2.0-or-later
// Lines in the kernel's default layout, which the function tracer uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/trace/recording/text_names.hpp"

namespace netperfd::trace {

// The first fields of every record.
struct RecordHead {
  std::uint16_t type = 0;
  std::uint8_t flags = 0;
  std::uint8_t preempt_count = 0;
  std::int32_t pid = 0;
};

class PlainLines {
 public:
  // Without the line about the number of events, which is unknown here. `tracer` is "function", or "nop" for
  // none.
  static void header(std::string& out, std::string_view tracer);
  // "  iperf3-219     [001] ..s1.    36.590363: net_rx_action <-handle_softirqs"
  static void line(std::string& out, const TextNames& names, std::uint32_t cpu, std::uint64_t time,
                   const RecordHead& head, std::string_view text);
};

}  // namespace netperfd::trace
