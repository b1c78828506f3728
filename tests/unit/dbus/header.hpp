// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dbus/message_head.hpp"

namespace netperfd::dbus::test {

// Writes a header as the specification has it.
class Header {
 public:
  explicit Header(MessageType type, bool is_big = false, std::uint32_t body = 0) : is_big_(is_big) {
    bytes_ = {static_cast<unsigned char>(is_big ? 'B' : 'l'), static_cast<unsigned char>(type), 0, 1};
    number(body);
    number(7);  // see serial()
    number(0);  // its fields, see bytes()
  }
  Header& text(unsigned char field, char type, std::string_view value) {
    begin(field, type);
    if (type == 'g') {
      bytes_.push_back(static_cast<unsigned char>(value.size()));
    } else {
      number(static_cast<std::uint32_t>(value.size()));
    }
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    bytes_.push_back(0);
    return *this;
  }
  Header& count(unsigned char field, std::uint32_t value, char type = 'u') {
    begin(field, type);
    number(value);
    return *this;
  }
  Header& serial(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i)
      bytes_[8 + i] = static_cast<unsigned char>(value >> 8U * (is_big_ ? 3 - i : i));
    return *this;
  }
  [[nodiscard]] std::vector<unsigned char> bytes() const {
    auto copy = *this;
    copy.bytes_.resize(12);
    copy.number(static_cast<std::uint32_t>(bytes_.size() - kFixedHead));
    auto all = bytes_;
    std::copy(copy.bytes_.begin(), copy.bytes_.end(), all.begin());
    return all;
  }

 private:
  void begin(unsigned char field, char type) {
    while (bytes_.size() % 8 != 0) bytes_.push_back(0);
    bytes_.insert(bytes_.end(), {field, 1, static_cast<unsigned char>(type), 0});
  }
  void number(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
      bytes_.push_back(static_cast<unsigned char>(value >> 8U * (is_big_ ? 3 - i : i)));
    }
  }

  bool is_big_;
  std::vector<unsigned char> bytes_;
};

}  // namespace netperfd::dbus::test
