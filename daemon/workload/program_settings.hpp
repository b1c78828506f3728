// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <string>

#include "daemon/core/ports/program_units.hpp"

namespace netperfd::workload {

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
};

}  // namespace netperfd::workload
