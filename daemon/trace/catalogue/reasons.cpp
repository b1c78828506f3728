// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/reasons.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "daemon/base/fd.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kSmallFile = 65'536;
constexpr const char* kMount = "mount -t tracefs nodev /sys/kernel/tracing";

// "none [integrity] confidentiality" -> "integrity".
std::string chosen(const std::string& text) {
  const auto begin = text.find('[');
  const auto end = text.find(']', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return text.substr(begin + 1, end - begin - 1);
}

}  // namespace

Reasons::Reasons(const CatalogueSettings& settings)
    : proc_(settings.proc),
      sys_(settings.sys),
      release_(settings.kernel_release),
      config_(settings.proc + "/config.gz", settings.boot + "/config-" + settings.kernel_release) {}

Reason Reasons::refused(const Error& error) {
  if (is_errno(error, EPERM)) return refused_to_root("it");
  if (is_errno(error, EACCES)) {
    return {"this process may not (EACCES): its sandbox or its user is in the way",
            "run netperfd as root; in its unit no ProtectKernelTunables=, but "
            "ReadWritePaths=/sys/kernel/tracing",
            false};
  }
  if (is_errno(error, EROFS)) {
    return {"tracefs is read-only for this process (EROFS): its sandbox is in the way",
            "in netperfd's unit no ProtectKernelTunables=, but ReadWritePaths=/sys/kernel/tracing", false};
  }
  if (is_errno(error, EBUSY)) {
    return {"it is in use (EBUSY)", "end the other tracer or wait for it; tracing_free says who it is",
            false};
  }
  return {"the kernel refuses it: " + error.message, "", false};
}

std::string Reasons::lockdown_level() const {
  const auto lockdown = read_file(sys_ + "/kernel/security/lockdown", kSmallFile);
  return lockdown ? chosen(*lockdown) : "";
}

// Lockdown can only be raised, so this answer lasts. The level "integrity" does not forbid tracefs in the
// upstream kernel; "confidentiality" forbids all of it.
Reason Reasons::refused_to_root(std::string_view what) {
  const std::string level = lockdown_level();
  if (level == "confidentiality") {
    return {
        fmt::format("the kernel is locked down (confidentiality) and refuses {} even to root (EPERM)", what),
        "boot without lockdown: no lockdown= on the kernel's command line, no Secure Boot", true};
  }
  if (!level.empty()) {
    return {fmt::format("the kernel refuses {} even to root (EPERM); lockdown is at \"{}\", which alone does "
                        "not forbid it: a security module is the usual cause",
                        what, level),
            "look for denials in the kernel's log, or ask whoever built this kernel", true};
  }
  std::string built;
  for (const auto* forced : {"INTEGRITY", "CONFIDENTIALITY"}) {
    if (config_.value(fmt::format("CONFIG_LOCK_DOWN_KERNEL_FORCE_{}", forced)) == "y") {
      built = fmt::format(" (CONFIG_LOCK_DOWN_KERNEL_FORCE_{} is set)", forced);
    }
  }
  return {
      fmt::format("the kernel refuses {} even to root (EPERM); lockdown or a security module is the usual "
                  "cause{}",
                  what, built),
      "boot a kernel without lockdown, or ask whoever runs this host", true};
}

Reason Reasons::not_built(std::initializer_list<std::string_view> options) {
  std::string_view named = *options.begin();
  bool known = false;
  for (const std::string_view option : options) {
    const auto value = config_.value(option);
    if (!value || *value != "n") continue;
    named = option;
    known = true;
    break;
  }
  if (known) {
    return {fmt::format("not built into this kernel ({} is not set)", named),
            fmt::format("boot a kernel with {}=y, such as a distribution's", named), true};
  }
  return {fmt::format("this kernel does not offer it; it needs {}", named),
          fmt::format("boot a kernel with {}=y, such as a distribution's", named), true};
}

Reason Reasons::not_loaded(std::string_view option, std::string_view module) {
  if (config_.value(option) == "n") return not_built({option});
  return {fmt::format("the module {} is not loaded", module), fmt::format("modprobe {}", module), false};
}

Reason Reasons::not_mounted() const {
  const auto filesystems = read_file(proc_ + "/filesystems", kSmallFile);
  if (filesystems && filesystems->find("\ttracefs\n") == std::string::npos) {
    return {"this kernel has no tracefs", "boot a kernel with CONFIG_TRACING=y, such as a distribution's",
            false};
  }
  return {"tracefs is not mounted", kMount, false};
}

Error Reasons::no_function_list(const Error& error) {
  if (error.kind == ErrorKind::not_found) {
    const Reason reason = not_built({"CONFIG_FUNCTION_TRACER", "CONFIG_DYNAMIC_FTRACE"});
    return {ErrorKind::unsupported, fmt::format("The traceable functions are not known: {}.", reason.detail)};
  }
  if (is_errno(error, EPERM)) {
    return {ErrorKind::unsupported,
            fmt::format("The traceable functions are not known: {}; `netperfctl doctor` "
                        "says more.",
                        refused_to_root("the list of functions").detail)};
  }
  return {error.kind, fmt::format("The traceable functions are not known: {}.", refused(error).detail)};
}

}  // namespace netperfd::trace
