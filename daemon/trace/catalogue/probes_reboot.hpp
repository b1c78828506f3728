// SPDX-License-Identifier: GPL-2.0-or-later
// The doctor's rows on designs that reboot the machine, and on their commands in tools/boot-into. They only
// read files, since the daemon's sandbox lets it do no more, and run at each request.
#pragma once

#include "daemon/core/ports/catalogue.hpp"
#include "daemon/trace/catalogue/catalogue_settings.hpp"
#include "daemon/trace/catalogue/reasons.hpp"

namespace netperfd::trace {

// Which boot loader started this kernel, and whether it can boot another entry once.
[[nodiscard]] core::Capability probe_boot_loader(const CatalogueSettings& settings);
// Whether this kernel can start another one without a boot loader.
[[nodiscard]] core::Capability probe_kexec(const CatalogueSettings& settings, Reasons& reasons);
// Whether systemd starts netperfd at boot, as `systemctl is-enabled` tells.
[[nodiscard]] core::Capability probe_start_at_boot(const CatalogueSettings& settings);

}  // namespace netperfd::trace
