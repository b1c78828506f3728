// SPDX-License-Identifier: GPL-2.0-or-later
// Calls about one unit.
#pragma once

#include <systemd/sd-bus.h>

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/command/systemd_manager.hpp"
#include "daemon/command/unit_properties.hpp"

namespace netperfd::command {

// Asks systemd to start a transient unit. `answer` gets the reply.
[[nodiscard]] Status start_unit(sd_bus* bus, Slot& slot, const std::string& name,
                                const std::vector<UnitProperty>& properties, sd_bus_message_handler_t answer,
                                void* data);

// Calls a method of the manager and ignores the answer.
void tell(sd_bus* bus, const char* method, const std::vector<std::string>& words);

// Asks for all properties of a service. Negative after an error.
[[nodiscard]] int ask_service(sd_bus* bus, Slot& slot, const std::string& unit,
                              sd_bus_message_handler_t answer, void* data);

// How a process of a service ended.
struct ProcessExit {
  int code = 0;    // as of siginfo_t: CLD_EXITED...; 0: it did not run to its end
  int status = 0;  // an exit code or a signal
};

// systemd's report on an ended unit.
struct UnitReport {
  std::string result;  // of the service: "success", "exit-code", "signal", "timeout"...
  ProcessExit main;
  ProcessExit stop_post;  // the last command of ExecStopPost=
};

[[nodiscard]] int read_report(sd_bus_message* answer, UnitReport& report);

}  // namespace netperfd::command
