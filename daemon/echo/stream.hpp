// SPDX-License-Identifier: GPL-2.0-or-later
// Messages out of a byte stream, one at a time: what is read never reaches beyond one message, so that the
// time of its last byte is its own.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "daemon/echo/packet.hpp"

namespace netperfd::echo {

class MessageStream {
 public:
  enum class State : std::uint8_t { partial, whole, bad };

  // Where the next bytes belong, and how many may be read. Not empty while the state is partial.
  [[nodiscard]] std::span<std::byte> wanted();
  // So many of them were read.
  [[nodiscard]] State took(std::size_t count);
  // The whole message; the next one begins with next().
  [[nodiscard]] std::span<std::byte> message() { return std::span(buffer_).first(length_); }
  void next() { have_ = length_ = 0; }

 private:
  std::array<std::byte, kLongest> buffer_{};
  std::size_t have_ = 0;
  std::size_t length_ = 0;  // 0: not known before the header is complete
};

// The part of a message that a socket had no room for.
class PendingBytes {
 public:
  // `bytes` without the first `written`. Empty before, else bytes would be lost.
  void keep(std::span<const std::byte> bytes, std::size_t written);
  [[nodiscard]] std::span<const std::byte> rest() const {
    return std::span(buffer_).subspan(at_, size_ - at_);
  }
  [[nodiscard]] bool empty() const { return at_ == size_; }
  void wrote(std::size_t count) { at_ += count; }

 private:
  std::array<std::byte, kLongest> buffer_{};
  std::size_t at_ = 0, size_ = 0;
};

}  // namespace netperfd::echo
