// Where the catalogue and the doctor look. Plain values, so that a test can give directories of its own.
#pragma once

#include <optional>
#include <string>

namespace netperfd::trace {

// What was found out about the installed iperf3, which is another room's business.
struct Iperf3Facts {
  bool found = false;
  std::string version;       // "3.12"; empty where it does not say
  bool json_stream = false;  // has --json-stream
  std::optional<bool> sctp;  // has --sctp; absent: not known
};

struct CatalogueSettings {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string boot = "/boot";        // config-RELEASE
  std::string netns = "/run/netns";  // named network namespaces
  std::string modules_root;          // "/lib/modules/RELEASE": modules.dep, modules.builtin
  std::string cache_file;            // of what was probed since the boot; empty: nothing is kept
  std::string boot_id;               // /proc/sys/kernel/random/boot_id
  std::string kernel_release;        // as uname -r says it
  std::string version;               // netperfd's
  std::string own_instance;          // SessionSettings::instance: it exists while a job traces
  Iperf3Facts iperf3;
};

}  // namespace netperfd::trace
