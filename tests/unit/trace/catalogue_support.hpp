// What the tests of the catalogue, the doctor and the check of a job share.
#pragma once

#include <string>

#include "daemon/trace/catalogue.hpp"
#include "tests/unit/trace/session_support.hpp"

namespace netperfd::trace {

// The files of a machine that has two CPUs and the module hsr loaded, in a directory.
class FakeMachine {
 public:
  FakeMachine();
  // Of a file such as "proc/modules", "sys/devices/system/cpu/online", "boot/config-6.18",
  // "modules/modules.dep".
  void write(const std::string& file, const std::string& text) const { scratch_.write(file, text); }
  [[nodiscard]] const ScratchDirectory& files() const { return scratch_; }

  CatalogueSettings settings;

 private:
  ScratchDirectory scratch_;
};

// FakeKernel's default, with the field that every event has.
[[nodiscard]] FakeKernel able_kernel();

// This machine, with the cache in `scratch`.
[[nodiscard]] CatalogueSettings real_settings(const ScratchDirectory& scratch);

// Throws where there is none of that name.
[[nodiscard]] core::Capability capability(const std::vector<core::Capability>& all, const std::string& name);

}  // namespace netperfd::trace
