// SPDX-License-Identifier: GPL-2.0-or-later
// Makes an instance that no other netperfd removes, also one in another PID namespace that does not see this
// process: the kernel refuses to remove an instance of which a file is open.
#pragma once

#include <memory>
#include <string>

#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// "netperfd-4711-9f86d081". A process of another PID namespace may have this one's number, and the journal of
// a dead one may name an instance of that process: the rest of the name is random.
[[nodiscard]] std::string name_of_own_instance();

// Makes `directory` ("instances/NAME"). Close the file right before the instance is removed.
[[nodiscard]] Result<std::unique_ptr<TracefsFile>> make_instance(Tracefs& tracefs,
                                                                 const std::string& directory);

}  // namespace netperfd::trace
