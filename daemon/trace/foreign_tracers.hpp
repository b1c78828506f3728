// Who else works with tracefs; beside foreign_tracers() of session.hpp.
#pragma once

#include <string>
#include <vector>

#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// The processes that have files of a trace directory ("" for the top, without its instances) open, other than
// this one and those that only write marks: "trace-cmd (pid 123), cat (pid 7)"; empty where there is none or
// `proc` does not tell.
[[nodiscard]] std::string holders_of(const std::string& proc, const std::string& directory);

// Other instances in which events are enabled and no tracer is on, a clause each. They cost the kernel
// something and are in nobody's way.
[[nodiscard]] std::vector<std::string> neighbouring_tracers(Tracefs& tracefs,
                                                            const std::string& own_instance);

// The PID of "netperfd-PID", 0 where it is no such name.
[[nodiscard]] long instance_owner(const std::string& instance);

// Whether the process lives and is called `name`: its number alone may have been given to another.
[[nodiscard]] bool is_alive(const std::string& proc, long pid, const std::string& name);

}  // namespace netperfd::trace
