// SPDX-License-Identifier: GPL-2.0-or-later
// Checks whether a job may use a filter on an event.
//
// A filter is a query to the kernel, and the number of events is its answer: a user who may compare an
// address with chosen numbers can find the address bit by bit. So a filter is passed to the kernel only after
// it was parsed here, and a filter that cannot be parsed here is refused.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// invalid_argument with the event, the filter's field and the reason: a field that the event does not have,
// with the nearest ones; one that holds an address (which may be compared only with 0), or that is neither
// number nor text; a number that could be an address; or a text that is not a filter. An empty filter is
// fine.
[[nodiscard]] Status check_filter(const EventSpec& event, const EventFormat& format);

// The same, using the event's `format` below `directory` ("events/skb/kfree_skb"). A format that cannot be
// read is an error, because then nothing is known about the fields.
[[nodiscard]] Status check_filter(const EventSpec& event, Tracefs& tracefs, const std::string& directory);

// The newest entry of an error_log, without its time; empty if there is none.
[[nodiscard]] std::string newest_error(const std::string& error_log);

}  // namespace netperfd::trace
