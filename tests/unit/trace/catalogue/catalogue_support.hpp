// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers shared by the tests of the catalogue, the doctor and the check of a job.
#pragma once

#include <string>

#include "daemon/trace/catalogue/catalogue.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {

// Creates, in a directory, the files of a machine with two CPUs and the module hsr loaded.
class FakeMachine {
 public:
  FakeMachine();
  // `file` is a path such as "proc/modules", "sys/devices/system/cpu/online", "boot/config-6.18" or
  // "modules/modules.dep".
  void write(const std::string& file, const std::string& text) const { scratch_.write(file, text); }
  [[nodiscard]] const ScratchDirectory& files() const { return scratch_; }

  CatalogueSettings settings;

 private:
  ScratchDirectory scratch_;
};

// FakeKernel's default, plus the field that every event has.
[[nodiscard]] FakeKernel able_kernel();

// This machine, with the cache in `scratch`.
[[nodiscard]] CatalogueSettings real_settings(const ScratchDirectory& scratch);

// Throws if there is none of that name.
[[nodiscard]] core::Capability capability(const std::vector<core::Capability>& all, const std::string& name);

}  // namespace netperfd::trace
