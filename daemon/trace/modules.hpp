// The kernel's modules: loaded, built in, or only on the disk.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "daemon/trace/catalogue_settings.hpp"

namespace netperfd::trace {

struct ModuleFacts {
  bool loaded = false;
  bool built_in = false;  // part of the kernel's image: its functions are the kernel's own
};

// By name, as the kernel spells it: with underscores. Those that are neither loaded nor built in could be
// loaded. What cannot be read (a kernel without modules has no /proc/modules) counts as empty.
using Modules = std::map<std::string, ModuleFacts, std::less<>>;
[[nodiscard]] Modules read_modules(const CatalogueSettings& settings);

// Equal as long as no module came, went or moved: the names, sizes and addresses of /proc/modules, without
// its reference counts.
[[nodiscard]] std::string loaded_modules_key(const std::string& proc);

// "nf-tables" as the kernel spells it: "nf_tables". A pattern keeps what stands in brackets.
[[nodiscard]] std::string kernel_module_name(std::string_view name);

}  // namespace netperfd::trace
