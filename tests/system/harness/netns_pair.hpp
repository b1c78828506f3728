#pragma once

#include <cstdint>
#include <string>

namespace netperfd::system_test {

// Two network namespaces joined by a veth pair. Their names hold this process's number, so that neither
// another test nor the namespaces of whoever works on this machine are touched; what a killed test left is
// removed by the next one.
class NetnsPair {
 public:
  static constexpr const char* kLeftAddress = "10.77.0.1";
  static constexpr const char* kRightAddress = "10.77.0.2";
  static constexpr const char* kInterface = "veth0";  // in both

  NetnsPair();
  NetnsPair(const NetnsPair&) = delete;
  NetnsPair& operator=(const NetnsPair&) = delete;
  ~NetnsPair();

  [[nodiscard]] const std::string& left() const { return left_; }
  [[nodiscard]] const std::string& right() const { return right_; }
  // Of the right end: down, nothing passes in either direction.
  void set_link(bool up) const;
  // Datagrams of a few bytes from the left to this port of the right end, as fast as they go.
  void send_datagrams(std::uint16_t port, int count) const;

 private:
  std::string left_, right_;
};

}  // namespace netperfd::system_test
