// Whether a job may filter an event by what it asks for.
//
// A filter is a question to the kernel, and the count of events is its answer: whoever may compare an address
// with numbers of his own finds the address out, bit by bit. So a filter goes to the kernel only after it was
// read here, and nothing that this cannot read goes there.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/event_format.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// invalid_argument with the event, the filter's field and why: a field that the event does not have, with the
// nearest ones; one that holds an address (which may be compared with 0 only) or no number and no text; a
// number that could be an address; a text that is no filter. An empty filter is fine.
[[nodiscard]] Status check_filter(const EventSpec& event, const EventFormat& format);

// The same by the event's `format` below `directory` ("events/skb/kfree_skb"). A format that cannot be read
// is an error, as nothing is known of the fields then.
[[nodiscard]] Status check_filter(const EventSpec& event, Tracefs& tracefs, const std::string& directory);

// The newest entry of an error_log, without its time; empty where there is none.
[[nodiscard]] std::string newest_error(const std::string& error_log);

}  // namespace netperfd::trace
