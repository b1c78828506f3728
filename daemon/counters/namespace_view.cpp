// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/namespace_view.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "daemon/counters/fact_sheet.hpp"
#include "daemon/counters/namespace_sockets.hpp"
#include "daemon/counters/qdisc_options.hpp"

namespace netperfd::counters {
namespace {

using Buffer = std::array<char, 1024>;

Result<Fd> open_route_socket() {
  Fd socket{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  if (!socket) return fail_errno("netlink", errno);
  return socket;
}

template <class Head>
nlmsghdr* make_request(Buffer& buffer, int type, const Head& head) {
  nlmsghdr* request = mnl_nlmsg_put_header(buffer.data());
  request->nlmsg_type = static_cast<std::uint16_t>(type);
  std::memcpy(mnl_nlmsg_put_extra_header(request, sizeof head), &head, sizeof head);
  return request;
}

template <class Number>
Number number(const nlattr* attribute) {
  Number value{};
  std::memcpy(&value, mnl_attr_get_payload(attribute),
              std::min<std::size_t>(sizeof value, mnl_attr_get_payload_len(attribute)));
  return value;
}

// Never reads beyond the attribute, even if the text has no final NUL.
std::string text_of(const nlattr* attribute) {
  const std::string_view bytes(static_cast<const char*>(mnl_attr_get_payload(attribute)),
                               mnl_attr_get_payload_len(attribute));
  return std::string(bytes.substr(0, bytes.find('\0')));
}

std::string xdp_words(const nlattr* xdp) {
  std::string words = "none";
  for_each_nested(xdp, [&](const nlattr* attribute) {
    if (mnl_attr_get_type(attribute) != IFLA_XDP_ATTACHED) return;
    switch (number<std::uint8_t>(attribute)) {
      case XDP_ATTACHED_NONE:
        break;
      case XDP_ATTACHED_DRV:
        words = "native";
        break;
      case XDP_ATTACHED_SKB:
        words = "generic";
        break;
      case XDP_ATTACHED_HW:
        words = "offloaded";
        break;
      default:
        words = "several";
    }
  });
  return words;
}

void read_link_attribute(const nlattr* attribute, Link& link) {
  switch (mnl_attr_get_type(attribute)) {
    case IFLA_IFNAME:
      link.name = text_of(attribute);
      break;
    case IFLA_MTU:
      link.mtu = number<std::uint32_t>(attribute);
      break;
    case IFLA_TXQLEN:
      link.transmit_queue_length = number<std::uint32_t>(attribute);
      break;
    case IFLA_GSO_MAX_SIZE:
      link.gso_max_size = number<std::uint32_t>(attribute);
      break;
    case IFLA_GSO_MAX_SEGS:
      link.gso_max_segs = number<std::uint32_t>(attribute);
      break;
    case IFLA_GRO_MAX_SIZE:
      link.gro_max_size = number<std::uint32_t>(attribute);
      break;
    case IFLA_MASTER:
      link.master = number<int>(attribute);
      break;
    case IFLA_LINK:
      link.lower = number<int>(attribute);
      break;
    case IFLA_LINK_NETNSID:
      link.lower_netns = number<int>(attribute);
      break;
    case IFLA_XDP:
      link.xdp = xdp_words(attribute);
      break;
    case IFLA_LINKINFO:
      for_each_nested(attribute, [&](const nlattr* info) {
        if (mnl_attr_get_type(info) == IFLA_INFO_KIND) link.kind = text_of(info);
      });
      break;
    default:
      break;
  }
}

Status read_links(const Fd& socket, std::vector<Link>& links) {
  Buffer buffer{};
  ifinfomsg head{};
  auto done =
      ask_kernel(socket, *make_request(buffer, RTM_GETLINK, head), true, [&](const nlmsghdr* message) {
        if (message->nlmsg_type != RTM_NEWLINK) return;
        const auto* info = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(message));
        Link& link = links.emplace_back();
        link.index = info->ifi_index;
        link.up = (info->ifi_flags & IFF_UP) != 0;
        for_each_attribute(message, sizeof *info,
                           [&](const nlattr* attribute) { read_link_attribute(attribute, link); });
      });
  std::ranges::sort(links, {}, &Link::index);
  return done;
}

Link* find_link(std::vector<Link>& links, int index) {
  const auto found = std::ranges::lower_bound(links, index, {}, &Link::index);
  return found != links.end() && found->index == index ? &*found : nullptr;
}

// Link-local, loopback, and those with a lifetime, as of a router's announcement: these come and go without
// anybody's doing, some of them seconds after a device is up. Kernels before 5.18 do not tell who made one.
bool made_by_kernel(const ifaddrmsg& info, std::uint8_t protocol) {
  if (info.ifa_family != AF_INET6) return false;
  return info.ifa_scope == RT_SCOPE_LINK || info.ifa_scope == RT_SCOPE_HOST ||
         (info.ifa_flags & IFA_F_PERMANENT) == 0 || protocol == IFAPROT_KERNEL_RA;
}

Status read_addresses(const Fd& socket, std::vector<Link>& links) {
  Buffer buffer{};
  ifaddrmsg head{};
  return ask_kernel(socket, *make_request(buffer, RTM_GETADDR, head), true, [&](const nlmsghdr* message) {
    if (message->nlmsg_type != RTM_NEWADDR) return;
    const auto* info = static_cast<const ifaddrmsg*>(mnl_nlmsg_get_payload(message));
    Link* link = find_link(links, static_cast<int>(info->ifa_index));
    if (link == nullptr || (info->ifa_family != AF_INET && info->ifa_family != AF_INET6)) return;
    std::uint8_t protocol = IFAPROT_UNSPEC;
    for_each_attribute(message, sizeof *info, [&](const nlattr* attribute) {
      const auto type = mnl_attr_get_type(attribute);
      if (type == IFA_PROTO) protocol = number<std::uint8_t>(attribute);
      if (type != IFA_ADDRESS && type != IFA_LOCAL) return;
      const std::size_t size = info->ifa_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
      std::array<char, INET6_ADDRSTRLEN> text{};
      if (mnl_attr_get_payload_len(attribute) == size &&
          ::inet_ntop(info->ifa_family, mnl_attr_get_payload(attribute), text.data(), text.size()) !=
              nullptr) {
        link->addresses.insert(text.data());
      }
    });
    if (!made_by_kernel(*info, protocol))
      link->families.insert(info->ifa_family == AF_INET ? "inet" : "inet6-configured");
  });
}

Status read_qdiscs(const Fd& socket, std::vector<Link>& links) {
  Buffer buffer{};
  tcmsg head{};
  return ask_kernel(socket, *make_request(buffer, RTM_GETQDISC, head), true, [&](const nlmsghdr* message) {
    if (message->nlmsg_type != RTM_NEWQDISC) return;
    const auto* info = static_cast<const tcmsg*>(mnl_nlmsg_get_payload(message));
    Link* link = find_link(links, info->tcm_ifindex);
    if (link == nullptr) return;
    Qdisc qdisc;
    if (info->tcm_parent == TC_H_INGRESS) {
      qdisc.place = Qdisc::Place::ingress;
    } else if (info->tcm_parent != TC_H_ROOT) {
      qdisc.place = Qdisc::Place::child;
    }
    std::string options;
    for_each_attribute(message, sizeof *info, [&](const nlattr* attribute) {
      const auto type = mnl_attr_get_type(attribute);
      if (type == TCA_KIND) qdisc.text = text_of(attribute);
      // TCA_KIND comes before TCA_OPTIONS.
      if (type == TCA_OPTIONS) options = qdisc_option_words(qdisc.text, attribute);
    });
    qdisc.text += options;
    link->qdiscs.push_back(std::move(qdisc));
  });
}

// A /sys of the calling thread's network namespace, a detached mount that lives as long as its descriptor.
Result<Fd> mount_sysfs() {
  const Fd file_system{::fsopen("sysfs", FSOPEN_CLOEXEC)};
  if (!file_system) return fail_errno("its /sys", errno);
  if (::fsconfig(file_system.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return fail_errno("its /sys", errno);
  }
  Fd mount{::fsmount(file_system.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC)};
  if (!mount) return fail_errno("its /sys", errno);
  return mount;
}

}  // namespace

const Link* NamespaceView::find(int index) const {
  const auto found = std::ranges::find(links, index, &Link::index);
  return found != links.end() ? &*found : nullptr;
}

const Link* NamespaceView::find(std::string_view name) const {
  const auto found = std::ranges::find(links, name, &Link::name);
  return found != links.end() ? &*found : nullptr;
}

const Link* NamespaceView::with_address(std::string_view address) const {
  const auto found = std::ranges::find_if(
      links, [&](const Link& link) { return link.addresses.contains(std::string(address)); });
  return found != links.end() ? &*found : nullptr;
}

std::string NamespaceView::label(const Link& link) const {
  return netns.empty() ? link.name : fmt::format("{}@{}", link.name, netns);
}

NamespaceView look_around(std::string netns, bool own, const std::string& sys) {
  NamespaceView view;
  view.netns = std::move(netns);
  const auto note = [&](std::initializer_list<const char*> groups, const std::string& why) {
    for (const char* group : groups) {
      view.trouble.push_back(view.netns.empty()
                                 ? fmt::format("{}: {}", group, why)
                                 : fmt::format("{}: network namespace {}: {}", group, view.netns, why));
    }
  };
  struct ::stat status{};
  if (::stat("/proc/thread-self/ns/net", &status) == 0) view.inode = status.st_ino;
  if (auto route = open_route_socket()) {
    view.route = std::move(*route);
    if (const auto done = read_links(view.route, view.links); !done)
      note({"topology", "nic"}, done.error().message);
    if (const auto done = read_addresses(view.route, view.links); !done)
      note({"topology", "nic"}, done.error().message);
    if (const auto done = read_qdiscs(view.route, view.links); !done) note({"qdisc"}, done.error().message);
  } else {
    note({"topology", "nic", "qdisc"}, route.error().message);
  }
  view.socket = Fd{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!view.socket) note({"nic"}, std::generic_category().message(errno));
  if (own) {
    view.sys = sys;
  } else if (auto mount = mount_sysfs()) {
    view.sys_mount = std::move(*mount);
    view.sys = fmt::format("/proc/self/fd/{}", view.sys_mount.get());
  } else {
    note({"nic", "rps", "xps", "irq"}, mount.error().message);
  }
  return view;
}

}  // namespace netperfd::counters
