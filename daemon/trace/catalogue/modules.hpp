// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's modules: loaded, built in, or only on disk.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "daemon/trace/catalogue/catalogue_settings.hpp"

namespace netperfd::trace {

struct ModuleFacts {
  bool loaded = false;
  bool built_in = false;  // part of the kernel image: its functions are the kernel's own
};

// By name, as the kernel spells it: with underscores. Those that are neither loaded nor built in could be
// loaded. A file that cannot be read (a kernel without modules has no /proc/modules) counts as empty.
using Modules = std::map<std::string, ModuleFacts, std::less<>>;
[[nodiscard]] Modules read_modules(const CatalogueSettings& settings);

// Equal as long as no module came, went, moved or was replaced: contains the names, sizes and addresses of
// /proc/modules, without its reference counts, and for each module its build-id and the inode of
// /sys/module/NAME. A new build is often as large as the one before and is loaded where that was. The kernel
// makes the directory anew, with another inode, each time that a module is loaded.
[[nodiscard]] std::string loaded_modules_key(const std::string& proc, const std::string& sys);

// "nf-tables" in the kernel's spelling: "nf_tables". In a pattern, text in brackets is kept.
[[nodiscard]] std::string kernel_module_name(std::string_view name);

}  // namespace netperfd::trace
