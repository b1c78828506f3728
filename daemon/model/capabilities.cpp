// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/capabilities.hpp"

#include <linux/capability.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace netperfd {
namespace {

constexpr std::pair<std::string_view, unsigned> kCapabilities[] = {
    {"AUDIT_CONTROL", CAP_AUDIT_CONTROL},
    {"AUDIT_READ", CAP_AUDIT_READ},
    {"AUDIT_WRITE", CAP_AUDIT_WRITE},
    {"BLOCK_SUSPEND", CAP_BLOCK_SUSPEND},
    {"BPF", CAP_BPF},
    {"CHECKPOINT_RESTORE", CAP_CHECKPOINT_RESTORE},
    {"CHOWN", CAP_CHOWN},
    {"DAC_OVERRIDE", CAP_DAC_OVERRIDE},
    {"DAC_READ_SEARCH", CAP_DAC_READ_SEARCH},
    {"FOWNER", CAP_FOWNER},
    {"FSETID", CAP_FSETID},
    {"IPC_LOCK", CAP_IPC_LOCK},
    {"IPC_OWNER", CAP_IPC_OWNER},
    {"KILL", CAP_KILL},
    {"LEASE", CAP_LEASE},
    {"LINUX_IMMUTABLE", CAP_LINUX_IMMUTABLE},
    {"MAC_ADMIN", CAP_MAC_ADMIN},
    {"MAC_OVERRIDE", CAP_MAC_OVERRIDE},
    {"MKNOD", CAP_MKNOD},
    {"NET_ADMIN", CAP_NET_ADMIN},
    {"NET_BIND_SERVICE", CAP_NET_BIND_SERVICE},
    {"NET_BROADCAST", CAP_NET_BROADCAST},
    {"NET_RAW", CAP_NET_RAW},
    {"PERFMON", CAP_PERFMON},
    {"SETFCAP", CAP_SETFCAP},
    {"SETGID", CAP_SETGID},
    {"SETPCAP", CAP_SETPCAP},
    {"SETUID", CAP_SETUID},
    {"SYSLOG", CAP_SYSLOG},
    {"SYS_ADMIN", CAP_SYS_ADMIN},
    {"SYS_BOOT", CAP_SYS_BOOT},
    {"SYS_CHROOT", CAP_SYS_CHROOT},
    {"SYS_MODULE", CAP_SYS_MODULE},
    {"SYS_NICE", CAP_SYS_NICE},
    {"SYS_PACCT", CAP_SYS_PACCT},
    {"SYS_PTRACE", CAP_SYS_PTRACE},
    {"SYS_RAWIO", CAP_SYS_RAWIO},
    {"SYS_RESOURCE", CAP_SYS_RESOURCE},
    {"SYS_TIME", CAP_SYS_TIME},
    {"SYS_TTY_CONFIG", CAP_SYS_TTY_CONFIG},
    {"WAKE_ALARM", CAP_WAKE_ALARM},
};
static_assert(std::size(kCapabilities) == CAP_CHECKPOINT_RESTORE + 1);

}  // namespace

std::optional<unsigned> number_of_capability(std::string_view name) {
  const auto* const found =
      std::ranges::find(kCapabilities, name, &std::pair<std::string_view, unsigned>::first);
  if (found == std::end(kCapabilities)) return std::nullopt;
  return found->second;
}

std::uint64_t mask_of_capabilities(const std::vector<std::string>& names) {
  std::uint64_t mask = 0;
  for (const std::string& name : names) mask |= std::uint64_t{1} << number_of_capability(name).value();
  return mask;
}

}  // namespace netperfd
