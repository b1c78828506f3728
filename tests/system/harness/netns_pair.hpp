// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace netperfd::system_test {

// Two network namespaces joined by a veth pair. Their names contain this process's pid, so that other tests
// and other users' namespaces are not touched. The next test removes what a killed test left.
class NetnsPair {
 public:
  static constexpr const char* kLeftAddress = "10.77.0.1";
  static constexpr const char* kRightAddress = "10.77.0.2";
  static constexpr const char* kInterface = "veth0";  // on both sides

  NetnsPair();
  NetnsPair(const NetnsPair&) = delete;
  NetnsPair& operator=(const NetnsPair&) = delete;
  ~NetnsPair();

  [[nodiscard]] const std::string& left() const { return left_; }
  [[nodiscard]] const std::string& right() const { return right_; }
  // For the right end: down means that nothing passes in either direction.
  void set_link(bool up) const;
  // Takes the right end's IPv6 address away, and lets the kernel make it again, as on a fresh pair.
  void take_ipv6() const;
  void give_ipv6() const;
  // Sends datagrams of a few bytes from the left to this port of the right end, as fast as possible.
  void send_datagrams(std::uint16_t port, int count) const;

 private:
  std::string left_, right_;
};

}  // namespace netperfd::system_test
