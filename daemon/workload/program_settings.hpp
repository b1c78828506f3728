// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "daemon/core/ports/program_units.hpp"

namespace netperfd::workload {

// What ServerGuard waits for.
struct GuardPatience {
  // How long the client has precedence over a connection whose far end is not found, which may be the
  // client's if the path translates addresses: if the client's first two SYNs are lost, the kernel sends the
  // third one after 3 s.
  std::chrono::milliseconds client{3500};
  // How long such a connection is waited for to say by its cookie whether it is a stream of the client.
  std::chrono::milliseconds cookie{500};
};

// A program of a workload, and the user that runs it.
struct ProgramSettings {
  std::string path;  // or a name without a slash, searched for in kProgramPath
  uid_t uid = 0;
  gid_t gid = 0;
  std::string launcher = "/proc/self/exe";  // see ChildSettings
  // The directory below which each run gets its own cgroup (GroupSite). Empty: there is none, and netperfd
  // ends the orphans that it adopts.
  std::string group_site = {};
  core::ProgramUnits* units = nullptr;  // ChildSettings::units
  GuardPatience guard_patience = {};
};

}  // namespace netperfd::workload
