// SPDX-License-Identifier: GPL-2.0-or-later
// An event that may occur in the ring buffers: its full name and its format.
#pragma once

#include <string>

#include "daemon/trace/ring/event_format.hpp"

namespace netperfd::trace {

struct KnownEvent {
  std::string name;  // "skb:kfree_skb", "ftrace:funcgraph_entry"
  EventFormat format;
};

}  // namespace netperfd::trace
