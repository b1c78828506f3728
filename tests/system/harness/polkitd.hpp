// SPDX-License-Identifier: GPL-2.0-or-later
// The machine's own polkitd on the bus of a test, with netperfd's actions and rules as they are shipped.
#pragma once

#include <memory>

#include "tests/system/harness/private_bus.hpp"
#include "tests/system/harness/process.hpp"
#include "tests/system/harness/scratch_dir.hpp"

namespace netperfd::system_test {

class Polkitd {
 public:
  enum class Knows { our_actions, no_actions };

  [[nodiscard]] static bool is_installed();

  // Returns once it owns its name. Sees nothing of the machine's own actions and rules.
  Polkitd(const ScratchDir& directory, const PrivateBus& bus, Knows knows);

  void signal(int number) const { process_->signal(number); }

 private:
  std::unique_ptr<Process> process_;
};

}  // namespace netperfd::system_test
