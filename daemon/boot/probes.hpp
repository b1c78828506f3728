// SPDX-License-Identifier: GPL-2.0-or-later
// What this machine can boot: the doctor's rows on designs that reboot it, and on their commands in
// tools/boot-into. They only read files, since the daemon's sandbox lets it do no more, and run at each
// request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/core/ports/catalogue.hpp"

namespace netperfd::boot {

// Plain values, so that tests can use their own directories.
struct Paths {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string boot = "/boot";
  std::string root;  // in front of /etc, /run and /usr; empty except in tests
};

// Which boot loader started this kernel, and whether it can boot another entry once.
[[nodiscard]] core::Capability probe_boot_loader(const Paths& paths);
// Whether this kernel can start another one without a boot loader. Absent: it was built without that.
// `lockdown`: "none", "integrity" or "confidentiality"; empty if the kernel has none or it cannot be read.
[[nodiscard]] std::optional<core::Capability> probe_kexec(const Paths& paths, std::string_view lockdown);
// Whether systemd starts netperfd at boot, as `systemctl is-enabled` tells.
[[nodiscard]] core::Capability probe_start_at_boot(const Paths& paths);

}  // namespace netperfd::boot
