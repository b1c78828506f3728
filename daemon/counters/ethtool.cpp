// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/ethtool.hpp"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace netperfd::counters {
namespace {

constexpr std::size_t kMostStrings = 1024;

class Question {
 public:
  Question(const Fd& socket, const std::string& name) : socket_(socket) {
    name.copy(request_.ifr_name, sizeof request_.ifr_name - 1);
  }
  // Returns whether the query succeeded; the answer is written into `data`.
  template <class Data>
  bool ask(Data& data) {
    return ask(reinterpret_cast<char*>(&data));
  }
  bool ask(char* data) {
    request_.ifr_data = data;
    return ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
  }

 private:
  const Fd& socket_;
  ifreq request_{};
};

class Reader {
 public:
  Reader(const Fd& socket, const std::string& name) : question_(socket, name) {}

  NicSettings read() {
    ethtool_drvinfo driver{};
    driver.cmd = ETHTOOL_GDRVINFO;
    if (question_.ask(driver)) {
      found_.driver = text_of(driver.driver, sizeof driver.driver);
      put("driver", found_.driver);
      put("driver version", text_of(driver.version, sizeof driver.version));
      put("firmware", text_of(driver.fw_version, sizeof driver.fw_version));
    } else if (errno != EOPNOTSUPP) {
      found_.error_number = errno;
      return std::move(found_);
    }
    read_rings();
    read_coalescing();
    read_channels();
    read_pause();
    read_features();
    read_private_flags();
    return std::move(found_);
  }

 private:
  static std::string text_of(const char* text, std::size_t size) { return {text, ::strnlen(text, size)}; }

  void put(std::string key, std::string value) {
    if (!value.empty()) found_.settings.emplace_back(std::move(key), std::move(value));
  }
  void put(std::string key, std::uint32_t value) { put(std::move(key), fmt::format("{}", value)); }

  void read_rings() {
    ethtool_ringparam ring{};
    ring.cmd = ETHTOOL_GRINGPARAM;
    if (!question_.ask(ring)) return;
    put("ring rx", ring.rx_pending);
    put("ring tx", ring.tx_pending);
  }

  void read_coalescing() {
    ethtool_coalesce of{};
    of.cmd = ETHTOOL_GCOALESCE;
    if (!question_.ask(of)) return;
    put("coalesce adaptive-rx", of.use_adaptive_rx_coalesce);
    put("coalesce adaptive-tx", of.use_adaptive_tx_coalesce);
    // Adaptive values may change at any moment.
    if (of.use_adaptive_rx_coalesce == 0) {
      put("coalesce rx-usecs", of.rx_coalesce_usecs);
      put("coalesce rx-frames", of.rx_max_coalesced_frames);
    }
    if (of.use_adaptive_tx_coalesce == 0) {
      put("coalesce tx-usecs", of.tx_coalesce_usecs);
      put("coalesce tx-frames", of.tx_max_coalesced_frames);
    }
  }

  void read_channels() {
    ethtool_channels channels{};
    channels.cmd = ETHTOOL_GCHANNELS;
    if (!question_.ask(channels)) return;
    put("queues rx", channels.rx_count);
    put("queues tx", channels.tx_count);
    put("queues combined", channels.combined_count);
  }

  void read_pause() {
    ethtool_pauseparam pause{};
    pause.cmd = ETHTOOL_GPAUSEPARAM;
    if (!question_.ask(pause)) return;
    put("pause", fmt::format("autoneg {} rx {} tx {}", pause.autoneg, pause.rx_pause, pause.tx_pause));
  }

  // The names in a string set, in the order of its bits.
  std::vector<std::string> strings(std::uint32_t set) {
    std::array<char, sizeof(ethtool_sset_info) + sizeof(std::uint32_t)> size{};
    ethtool_sset_info info{};
    info.cmd = ETHTOOL_GSSET_INFO;
    info.sset_mask = std::uint64_t{1} << set;
    std::memcpy(size.data(), &info, sizeof info);
    std::uint32_t count = 0;
    if (!question_.ask(size.data())) return {};
    std::memcpy(&info, size.data(), sizeof info);
    std::memcpy(&count, size.data() + offsetof(ethtool_sset_info, data), sizeof count);
    if (info.sset_mask == 0 || count == 0 || count > kMostStrings) return {};

    ethtool_gstrings head{};
    head.cmd = ETHTOOL_GSTRINGS;
    head.string_set = set;
    head.len = count;
    std::vector<char> text(sizeof head + std::size_t{count} * ETH_GSTRING_LEN);
    std::memcpy(text.data(), &head, sizeof head);
    if (!question_.ask(text.data())) return {};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(text_of(text.data() + sizeof head + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN));
    }
    return names;
  }

  void read_features() {
    const std::vector<std::string> names = strings(ETH_SS_FEATURES);
    constexpr std::size_t kBits = 32;
    ethtool_gfeatures head{};
    head.cmd = ETHTOOL_GFEATURES;
    head.size = static_cast<std::uint32_t>((names.size() + kBits - 1) / kBits);
    std::vector<char> bytes(sizeof head + head.size * sizeof(ethtool_get_features_block));
    std::memcpy(bytes.data(), &head, sizeof head);
    if (names.empty() || !question_.ask(bytes.data())) return;
    for (std::size_t i = 0; i < names.size(); ++i) {
      ethtool_get_features_block block{};
      std::memcpy(&block, bytes.data() + sizeof head + i / kBits * sizeof block, sizeof block);
      const std::uint32_t bit = std::uint32_t{1} << (i % kBits);
      const bool on = (block.active & bit) != 0;
      if (names[i].empty() || (!on && (block.available & bit) == 0)) continue;
      put("feature " + names[i], on ? "on" : (block.requested & bit) != 0 ? "off, though asked for" : "off");
    }
  }

  void read_private_flags() {
    ethtool_value flags{};
    flags.cmd = ETHTOOL_GPFLAGS;
    if (!question_.ask(flags)) return;
    const std::vector<std::string> names = strings(ETH_SS_PRIV_FLAGS);
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 32); ++i) {
      put("private flag " + names[i], (flags.data >> i & 1) != 0 ? "on" : "off");
    }
  }

  Question question_;
  NicSettings found_;
};

}  // namespace

NicSettings read_nic_settings(const Fd& socket, const std::string& name) {
  return Reader(socket, name).read();
}

}  // namespace netperfd::counters
