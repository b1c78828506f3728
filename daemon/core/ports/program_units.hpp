// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that run outside the daemon's sandbox, in transient units of systemd: as root, but with no more
// capabilities than they are given.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::core {

struct UnitOrder {
  std::string description;
  std::vector<std::string> argv;          // argv[0] is an absolute path
  std::vector<std::string> environment;   // NAME=VALUE
  std::string netns;                      // a name under /run/netns; empty: the host's own
  std::vector<std::string> capabilities;  // as capabilities(7) has them, without CAP_
  // Run when the unit ends, however it ends; argv[0] is an absolute path. Empty: nothing.
  std::vector<std::string> cleanup;
};

struct UnitEnd {
  std::string failure;          // why the program could not be run to its end; empty: it was
  std::string cleanup_failure;  // likewise
};

// A unit. Destroying it ends it with all its processes; the cleanup is run.
class ActiveUnit {
 public:
  virtual ~ActiveUnit() = default;
  // Ends it at once, with all its processes.
  virtual void kill() = 0;
  // To be called once, when the unit has ended: systemd then closes the standard input that it gave to it.
  // `told` is called from the loop, never inside this call.
  virtual void ask_end(std::function<void(const UnitEnd&)> told) = 0;
};

class ProgramUnits {
 public:
  virtual ~ProgramUnits() = default;
  // unsupported if there can be none on this host.
  [[nodiscard]] virtual Status check() const = 0;
  // An error means that nothing was started. Later ones are in UnitEnd.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveUnit>> start(const UnitOrder& order,
                                                                  const Fd& standard_input) = 0;
};

}  // namespace netperfd::core
