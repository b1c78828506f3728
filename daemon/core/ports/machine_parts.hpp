// SPDX-License-Identifier: GPL-2.0-or-later
// What of this machine is gone: a command that needs it can have changed nothing, and nothing of it is to be
// brought back.
#pragma once

#include <string>

namespace netperfd::core {

// Each answers true only if the part is known to be absent.
class MachineParts {
 public:
  virtual ~MachineParts() = default;
  // Of a named network namespace, as `ip netns` lists them.
  [[nodiscard]] virtual bool lacks_netns(const std::string& name) const = 0;
  // `netns`: a name as above; empty: the host's own.
  [[nodiscard]] virtual bool lacks_device(const std::string& name, const std::string& netns) const = 0;
  [[nodiscard]] virtual bool lacks_program(const std::string& path) const = 0;
};

}  // namespace netperfd::core
