// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/device_packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/counters/proc_file.hpp"
#include "daemon/counters/routes.hpp"

namespace netperfd::counters {
namespace {

class DevicePackets final : public core::ActivePacketCount {
 public:
  DevicePackets(Fd file, PacketCount what, DeviceCounters before)
      : file_(std::move(file)), what_(std::move(what)), before_(before) {}

  std::optional<PacketCount> count() override {
    const std::optional<std::string> text = read_again(file_);
    if (!text) return std::nullopt;
    const std::optional<DeviceCounters> now = parse_net_dev(*text, what_.device, what_.sent);
    // Another device may have taken the name of one that went away.
    if (!now || now->packets < before_.packets || now->bytes < before_.bytes) return std::nullopt;
    PacketCount counted = what_;
    counted.packets = now->packets - before_.packets;
    counted.bytes = now->bytes - before_.bytes;
    return counted;
  }

 private:
  Fd file_;
  PacketCount what_;
  DeviceCounters before_;
};

}  // namespace

DevicePacketCounter::DevicePacketCounter(std::string proc) : proc_(std::move(proc)) {}

std::unique_ptr<core::ActivePacketCount> DevicePacketCounter::open(const JobSpec& spec,
                                                                   const std::vector<pid_t>& workload) {
  if (!spec.workload.measures_path || workload.empty()) return nullptr;
  const std::optional<Address> server = parse_address(spec.test.path.server);
  if (!server) return nullptr;
  const std::string net = fmt::format("{}/{}/net", proc_, workload.front());
  const std::optional<std::string> device = device_to(*server, read_route_texts(net));
  if (!device) return nullptr;

  Fd file = open_to_read(fmt::format("{}/dev", net));
  if (!file) return nullptr;
  const std::optional<std::string> text = read_again(file);
  const bool sent = spec.test.traffic.direction != Direction::receive;
  const std::optional<DeviceCounters> before =
      text ? parse_net_dev(*text, *device, sent) : std::optional<DeviceCounters>{};
  if (!before) return nullptr;
  return std::make_unique<DevicePackets>(std::move(file),
                                         PacketCount{*device, spec.test.path.netns, sent, 0, 0}, *before);
}

//   eth0:  1234  5 ...: received bytes and packets and six other counts, then the same for sent ones. Long
// numbers follow the colon without a blank.
std::optional<DeviceCounters> parse_net_dev(std::string_view text, std::string_view device, bool sent) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    // A device name may contain anything but blanks, slashes and colons.
    if (!line.starts_with(device) || !line.substr(device.size()).starts_with(':')) continue;
    std::array<std::uint64_t, 16> counts{};
    line.remove_prefix(device.size() + 1);
    for (std::uint64_t& count : counts) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      const auto [after, error] = std::from_chars(line.data(), line.data() + line.size(), count);
      if (error != std::errc{}) return std::nullopt;
      line.remove_prefix(static_cast<std::size_t>(after - line.data()));
    }
    const std::size_t first = sent ? 8 : 0;
    return DeviceCounters{.packets = counts[first + 1], .bytes = counts[first]};
  }
  return std::nullopt;
}

}  // namespace netperfd::counters
