// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/queues.hpp"

#include <fmt/format.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace netperfd::counters {
namespace {

using QueueRequest = std::array<char, 256>;

template <class Head>
nlmsghdr* request_of(QueueRequest& buffer, int type, const Head& head) {
  nlmsghdr* request = mnl_nlmsg_put_header(buffer.data());
  request->nlmsg_type = static_cast<std::uint16_t>(type);
  std::memcpy(mnl_nlmsg_put_extra_header(request, sizeof head), &head, sizeof head);
  return request;
}

// As much of it as the kernel sent.
template <class Value>
Value value_of(const nlattr* attribute) {
  Value value{};
  std::memcpy(&value, mnl_attr_get_payload(attribute),
              std::min<std::size_t>(sizeof value, mnl_attr_get_payload_len(attribute)));
  return value;
}

std::string word_of(const nlattr* attribute) {
  const auto* text = static_cast<const char*>(mnl_attr_get_payload(attribute));
  const std::size_t length = std::min<std::size_t>(IFNAMSIZ, mnl_attr_get_payload_len(attribute));
  return {text, ::strnlen(text, length)};
}

// For some kinds the kernel adds up a number per CPU while they change. The sum may then be just below 0.
std::uint64_t held(std::uint32_t amount) {
  return amount > std::numeric_limits<std::int32_t>::max() ? 0 : amount;
}

void read_statistics(const nlattr* nested, Queue& queue) {
  std::optional<std::uint64_t> packets;
  for_each_nested(nested, [&](const nlattr* attribute) {
    switch (mnl_attr_get_type(attribute)) {
      case TCA_STATS_BASIC: {
        const auto basic = value_of<gnet_stats_basic>(attribute);
        queue.sent_bytes = basic.bytes;
        queue.sent_packets = basic.packets;
        break;
      }
      case TCA_STATS_PKT64:  // only once they need more than 32 bits
        packets = value_of<std::uint64_t>(attribute);
        break;
      case TCA_STATS_QUEUE: {
        const auto stats = value_of<gnet_stats_queue>(attribute);
        queue.backlog_bytes = held(stats.backlog);
        queue.backlog_packets = held(stats.qlen);
        queue.drops = stats.drops;
        queue.overlimits = stats.overlimits;
        queue.requeues = stats.requeues;
        break;
      }
      default:
        break;
    }
  });
  if (packets) queue.sent_packets = *packets;
}

Result<NamedDevice> ask_for_device(const Fd& route, nlmsghdr& request) {
  NamedDevice device;
  std::optional<int> peer;
  std::optional<int> peer_netns;
  bool is_veth = false;
  const auto asked = ask_kernel(route, request, false, [&](const nlmsghdr* message) {
    if (message->nlmsg_type != RTM_NEWLINK || mnl_nlmsg_get_payload_len(message) < sizeof(ifinfomsg)) return;
    device.index = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(message))->ifi_index;
    for_each_attribute(message, sizeof(ifinfomsg), [&](const nlattr* attribute) {
      const auto type = mnl_attr_get_type(attribute);
      if (type == IFLA_IFNAME) device.name = word_of(attribute);
      if (type == IFLA_LINK) peer = value_of<int>(attribute);
      if (type == IFLA_LINK_NETNSID) peer_netns = value_of<int>(attribute);
      if (type != IFLA_LINKINFO) return;
      for_each_nested(attribute, [&](const nlattr* info) {
        is_veth |= mnl_attr_get_type(info) == IFLA_INFO_KIND && word_of(info) == "veth";
      });
    });
    if (is_veth && peer && peer_netns) std::tie(device.peer, device.peer_netns) = std::tie(peer, peer_netns);
  });
  if (!asked) return std::unexpected(asked.error());
  if (device.index == 0) return fail_errno("netlink", ENODEV);
  return device;
}

}  // namespace

bool Queue::is(const Queue& other) const {
  return device == other.device && handle == other.handle && parent == other.parent && kind == other.kind;
}

std::optional<Queue> parse_queue(const nlmsghdr* message) {
  if (message->nlmsg_type != RTM_NEWQDISC || mnl_nlmsg_get_payload_len(message) < sizeof(tcmsg))
    return std::nullopt;
  const auto* head = static_cast<const tcmsg*>(mnl_nlmsg_get_payload(message));
  Queue queue{
      .device = head->tcm_ifindex, .handle = head->tcm_handle, .parent = head->tcm_parent, .kind = {}};
  bool known = false;
  for_each_attribute(message, sizeof *head, [&](const nlattr* attribute) {
    if (mnl_attr_get_type(attribute) == TCA_KIND) queue.kind = word_of(attribute);
    if (mnl_attr_get_type(attribute) != TCA_STATS2) return;
    read_statistics(attribute, queue);
    known = true;
  });
  const bool holds = queue.parent != TC_H_INGRESS && queue.kind != "noqueue" && !queue.kind.empty();
  return known && holds ? std::optional{std::move(queue)} : std::nullopt;
}

Result<QueueList> read_queues(const Fd& route, int device) {
  QueueRequest buffer{};
  QueueList list;
  const auto asked =
      ask_kernel(route, *request_of(buffer, RTM_GETQDISC, tcmsg{}), true, [&](const nlmsghdr* message) {
        ++list.seen;
        auto queue = parse_queue(message);
        if (queue && queue->device == device) list.queues.push_back(std::move(*queue));
      });
  if (!asked) return std::unexpected(asked.error());
  return list;
}

Result<NamedDevice> find_device(const Fd& route, std::string_view name) {
  QueueRequest buffer{};
  nlmsghdr* request = request_of(buffer, RTM_GETLINK, ifinfomsg{});
  const std::string text{name.substr(0, IFNAMSIZ - 1)};
  mnl_attr_put_strz(request, IFLA_IFNAME, text.c_str());
  return ask_for_device(route, *request);
}

Result<NamedDevice> find_device(const Fd& route, int index) {
  QueueRequest buffer{};
  ifinfomsg head{};
  head.ifi_index = index;
  return ask_for_device(route, *request_of(buffer, RTM_GETLINK, head));
}

Result<NamedDevice> find_device(const Fd& route, const Address& address) {
  QueueRequest buffer{};
  ifaddrmsg head{};
  head.ifa_family = address.bytes.size() == 4 ? AF_INET : AF_INET6;
  int index = 0;
  const auto asked =
      ask_kernel(route, *request_of(buffer, RTM_GETADDR, head), true, [&](const nlmsghdr* message) {
        if (message->nlmsg_type != RTM_NEWADDR || mnl_nlmsg_get_payload_len(message) < sizeof head) return;
        const auto* found = static_cast<const ifaddrmsg*>(mnl_nlmsg_get_payload(message));
        for_each_attribute(message, sizeof head, [&](const nlattr* attribute) {
          const auto type = mnl_attr_get_type(attribute);
          if (type != IFA_ADDRESS && type != IFA_LOCAL) return;
          const std::span bytes(static_cast<const std::uint8_t*>(mnl_attr_get_payload(attribute)),
                                mnl_attr_get_payload_len(attribute));
          if (std::ranges::equal(bytes, address.bytes)) index = static_cast<int>(found->ifa_index);
        });
      });
  if (!asked) return std::unexpected(asked.error());
  if (index == 0) return fail(ErrorKind::not_found, "no device has the server's address");
  return find_device(route, index);
}

std::string handle_text(std::uint32_t handle) {
  constexpr std::uint32_t kMinor = 0xFFFF;
  const std::string major = fmt::format("{:x}:", handle >> 16);
  return (handle & kMinor) == 0 ? major : fmt::format("{}{:x}", major, handle & kMinor);
}

std::string parent_text(std::uint32_t parent) {
  return parent == TC_H_ROOT ? "root" : handle_text(parent);
}

}  // namespace netperfd::counters
