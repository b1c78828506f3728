// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/machine_parts.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <string_view>

#include "daemon/counters/namespace_sockets.hpp"

namespace netperfd::counters {
namespace {

bool is_absent(const std::string& path) {
  return ::access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

bool KernelMachineParts::lacks_netns(const std::string& name) const {
  return is_absent(netns_ + "/" + name);
}

bool KernelMachineParts::lacks_device(const std::string& name, const std::string& netns) const {
  if (name.empty() || name.size() >= IFNAMSIZ) return false;  // an alternative name
  const auto sockets = open_sockets_in(netns.empty() ? "/proc/self/ns/net" : netns_ + "/" + netns);
  if (!sockets) return false;
  ifreq request{};
  std::ranges::copy(name, std::begin(request.ifr_name));
  return ::ioctl(sockets->ethtool.get(), SIOCGIFINDEX, &request) != 0 && errno == ENODEV;
}

bool KernelMachineParts::lacks_program(const std::string& path) const {
  for (const std::string_view hidden : {"/home/", "/root/", "/run/", "/tmp/", "/var/tmp/"}) {
    if (path.starts_with(hidden)) return false;
  }
  return is_absent(path);
}

}  // namespace netperfd::counters
