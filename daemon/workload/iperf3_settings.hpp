#pragma once

#include <sys/types.h>

#include <string>

namespace netperfd::workload {

// Which iperf3 runs, and as whom.
struct Iperf3Settings {
  std::string path;  // or a name without slash, sought in kProgramPath
  uid_t uid = 0;
  gid_t gid = 0;
  std::string launcher = "/proc/self/exe";  // see ChildSettings
};

}  // namespace netperfd::workload
