// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/nic_statistics.hpp"

#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netperfd::counters {
namespace {

constexpr std::size_t kMostDrivers = 100;
constexpr std::uint32_t kMostOfOneDriver = 16384;

// In the order of struct rtnl_link_stats64, with the names of the files in sysfs. An older kernel may provide
// fewer.
constexpr std::array<std::string_view, 25> kLinkNames{
    "rx_packets",       "tx_packets",        "rx_bytes",          "tx_bytes",        "rx_errors",
    "tx_errors",        "rx_dropped",        "tx_dropped",        "multicast",       "collisions",
    "rx_length_errors", "rx_over_errors",    "rx_crc_errors",     "rx_frame_errors", "rx_fifo_errors",
    "rx_missed_errors", "tx_aborted_errors", "tx_carrier_errors", "tx_fifo_errors",  "tx_heartbeat_errors",
    "tx_window_errors", "rx_compressed",     "tx_compressed",     "rx_nohandler",    "rx_otherhost_dropped"};

// An ethtool ioctl command for one device, in memory of `words` 64-bit words.
class EthtoolCommand {
 public:
  EthtoolCommand(const Fd& socket, const std::string& device) : socket_(socket) {
    device.copy(request_.ifr_name, sizeof request_.ifr_name - 1);
  }

  template <class Head>
  bool run(std::vector<std::uint64_t>& memory, const Head& head) {
    std::memcpy(memory.data(), &head, sizeof head);
    request_.ifr_data = reinterpret_cast<char*>(memory.data());
    return ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
  }

 private:
  const Fd& socket_;
  ifreq request_{};
};

constexpr std::size_t words_for(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

// Empty if the driver has no statistics of its own.
Readings driver_readings(const Fd& socket, const std::string& device) {
  EthtoolCommand command{socket, device};
  std::vector<std::uint64_t> memory(words_for(sizeof(ethtool_drvinfo)));
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (!command.run(memory, info)) return {};
  std::memcpy(&info, memory.data(), sizeof info);
  const std::uint32_t count = info.n_stats;
  if (count == 0 || count > kMostOfOneDriver) return {};

  ethtool_gstrings strings{};
  strings.cmd = ETHTOOL_GSTRINGS;
  strings.string_set = ETH_SS_STATS;
  strings.len = count;
  std::vector<std::uint64_t> names(words_for(sizeof strings + std::size_t{count} * ETH_GSTRING_LEN));
  if (!command.run(names, strings)) return {};
  ethtool_stats stats{};
  stats.cmd = ETHTOOL_GSTATS;
  stats.n_stats = count;
  memory.assign(words_for(sizeof stats) + count, 0);
  if (!command.run(memory, stats)) return {};

  // The number of strings is read again: a device may get or lose queues between two queries.
  std::memcpy(&strings, names.data(), sizeof strings);
  std::memcpy(&stats, memory.data(), sizeof stats);
  if (strings.len != count || stats.n_stats != count) return {};
  const char* const text = reinterpret_cast<const char*>(names.data()) + sizeof strings;
  Readings readings;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const begin = text + i * ETH_GSTRING_LEN;
    const std::string_view name{begin, ::strnlen(begin, ETH_GSTRING_LEN)};
    if (name.empty()) continue;
    std::string whole = device + " ";
    whole += name.substr(std::min(name.find_first_not_of(' '), name.size()));
    readings.push_back({std::move(whole), {}, memory[words_for(sizeof stats) + i]});
  }
  return readings;
}

}  // namespace

LinkStatistics parse_link(const nlmsghdr* message) {
  LinkStatistics link;
  if (mnl_nlmsg_get_payload_len(message) < sizeof(ifinfomsg)) return link;
  const auto* head = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(message));
  link.up = (head->ifi_flags & IFF_UP) != 0;
  std::span<const std::byte> counts;
  for_each_attribute(message, sizeof *head, [&](const nlattr* attribute) {
    const auto* value = static_cast<const std::byte*>(mnl_attr_get_payload(attribute));
    const std::size_t length = mnl_attr_get_payload_len(attribute);
    if (mnl_attr_get_type(attribute) == IFLA_IFNAME) {
      const auto* text = reinterpret_cast<const char*>(value);
      link.name.assign(text, ::strnlen(text, length));
    } else if (mnl_attr_get_type(attribute) == IFLA_STATS64) {
      counts = {value, length};
    }
  });
  for (std::size_t i = 0; i < kLinkNames.size() && counts.size() >= sizeof(std::uint64_t); ++i) {
    std::uint64_t count = 0;
    std::memcpy(&count, counts.data(), sizeof count);
    counts = counts.subspan(sizeof count);
    link.readings.push_back({link.name + " " + std::string{kLinkNames[i]}, {}, count});
  }
  return link;
}

Result<NicStatistics> read_nic_statistics(const NamespaceSockets& sockets) {
  struct {
    nlmsghdr header{};
    ifinfomsg body{};
  } request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETLINK;
  NicStatistics found;
  std::vector<std::string> up;
  auto asked = ask_kernel(sockets.route, request.header, true, [&](const nlmsghdr* message) {
    if (message->nlmsg_type != RTM_NEWLINK) return;
    LinkStatistics link = parse_link(message);
    std::ranges::move(link.readings, std::back_inserter(found.devices));
    if (link.up) up.push_back(std::move(link.name));
  });
  if (!asked) return std::unexpected(asked.error());
  up.resize(std::min(up.size(), kMostDrivers));
  for (const std::string& device : up) {
    std::ranges::move(driver_readings(sockets.ethtool, device), std::back_inserter(found.drivers));
  }
  return found;
}

}  // namespace netperfd::counters
