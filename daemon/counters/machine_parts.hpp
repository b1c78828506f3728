// SPDX-License-Identifier: GPL-2.0-or-later
// Which namespaces, devices and programs this machine does not have.
#pragma once

#include <string>
#include <utility>

#include "daemon/core/ports/machine_parts.hpp"

namespace netperfd::counters {

class KernelMachineParts final : public core::MachineParts {
 public:
  // `netns`: where `ip netns` has the named namespaces.
  explicit KernelMachineParts(std::string netns = "/run/netns") : netns_(std::move(netns)) {}

  [[nodiscard]] bool lacks_netns(const std::string& name) const override;
  [[nodiscard]] bool lacks_device(const std::string& name, const std::string& netns) const override;
  // The daemon's sandbox hides homes and temporary files: of those nothing is known.
  [[nodiscard]] bool lacks_program(const std::string& path) const override;

 private:
  std::string netns_;
};

}  // namespace netperfd::counters
