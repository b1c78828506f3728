// SPDX-License-Identifier: GPL-2.0-or-later
// Finds other users of tracefs, together with foreign_tracers() in session.hpp.
#pragma once

#include <string>
#include <vector>

#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// The processes that have files of a trace directory open ("" for the top, without its instances), other than
// this one and those that only write marks: "trace-cmd (pid 123), cat (pid 7)". Empty if there is none, or if
// `proc` does not show it. If a process holds up the look (daemon/base/aside.hpp), it says so.
[[nodiscard]] std::string holders_of(const std::string& proc, const std::string& directory);

// Other instances that have events enabled but no tracer, a clause each. They cost the kernel some time but
// do not interfere.
[[nodiscard]] std::vector<std::string> neighbouring_tracers(Tracefs& tracefs,
                                                            const std::string& own_instance);

// The PID of "netperfd-PID-RANDOM", or of "netperfd-PID", as older ones are named; 0 if it is not such a
// name.
[[nodiscard]] long instance_owner(const std::string& instance);

// Whether the process lives and is called `name`: another process may have got the same pid.
[[nodiscard]] bool is_alive(const std::string& proc, long pid, const std::string& name);

}  // namespace netperfd::trace
