// SPDX-License-Identifier: GPL-2.0-or-later
// One network namespace of a run, seen from outside: its devices with their queueing disciplines, its /sys,
// and a socket for queries about its devices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::counters {

// A queueing discipline without its handles, because the kernel renumbers them.
struct Qdisc {
  enum class Place { root, child, ingress };
  Place place = Place::root;
  std::string text;  // its kind and, for kinds whose options are stable, what tells them apart
};

struct Link {
  int index = 0;
  std::string name;
  std::string kind;                // "veth", "bridge", "hsr"; empty: hardware, or loopback
  std::optional<int> master;       // index of the device it is a port of
  std::optional<int> lower;        // index of the device below it or at its other end
  std::optional<int> lower_netns;  // netns id of that device's namespace; absent: this namespace
  bool up = false;
  std::optional<std::uint32_t> mtu;
  std::optional<std::uint32_t> transmit_queue_length;
  std::optional<std::uint32_t> gso_max_size, gso_max_segs, gro_max_size;
  std::string xdp;  // how a program is attached: "none", "native", "generic", "offloaded"
  // Of its addresses that the kernel did not make by itself: "inet", "inet6-configured". Older versions
  // recorded "inet6" for those of both kinds (analysis/compare/kernel_addresses.hpp).
  std::set<std::string> families;
  std::set<std::string> addresses;  // all, in text
  std::vector<Qdisc> qdiscs;
};

struct NamespaceView {
  std::string netns;                 // its name; empty: the host's own
  std::uint64_t inode = 0;           // of the namespace, which it identifies
  std::string sys;                   // the directory in place of /sys; empty: it could not be mounted
  Fd sys_mount;                      // keeps `sys` alive
  Fd socket;                         // for SIOCETHTOOL
  Fd route;                          // NETLINK_ROUTE
  std::vector<Link> links;           // by index
  std::vector<std::string> trouble;  // failures while looking, a clause each

  [[nodiscard]] const Link* find(int index) const;
  [[nodiscard]] const Link* find(std::string_view name) const;
  [[nodiscard]] const Link* with_address(std::string_view address) const;
  // "veth0", or "veth0@ring-a" in another namespace than the host's own.
  [[nodiscard]] std::string label(const Link& link) const;
};

// Views the namespace of the calling thread. `own`: it is the daemon's, whose /sys is `sys`. For another one,
// sysfs is mounted for this view only, read-only and detached.
[[nodiscard]] NamespaceView look_around(std::string netns, bool own, const std::string& sys);

}  // namespace netperfd::counters
