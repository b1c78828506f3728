// SPDX-License-Identifier: GPL-2.0-or-later
// Makes texts of iperf3, of files and of other hosts valid for the bus.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::bus {

inline constexpr std::size_t kShortTextBytes = 1024;  // of a text that many rows or objects hold
inline constexpr std::size_t kLongTextBytes = std::size_t{16} * 1024;  // of a text that a message holds once
inline constexpr std::size_t kListBytes = std::size_t{64} * 1024;      // of a list of texts within a row

inline constexpr const char* kEllipsis = "\xE2\x80\xA6";

[[nodiscard]] constexpr std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Bytes that a text takes in a message: its length field, its bytes and a NUL.
[[nodiscard]] constexpr std::size_t text_bytes(std::size_t length) {
  return 4 + length + 1;
}

// `text` with U+FFFD in place of characters that D-Bus rejects. If it was cut to `limit_bytes`, it ends with
// "…". sd-bus rejects a whole message for one such character: malformed UTF-8, NUL and also Unicode's
// noncharacters.
[[nodiscard]] std::string wire_text(std::string_view text, std::size_t limit_bytes);

struct WireTexts {
  std::vector<std::string> texts;
  std::size_t bytes = 0;  // in a message, at most
  bool cut = false;
};

// Each as a short text, as many as fit into `limit_bytes`. If the list was cut, the last text is "…".
[[nodiscard]] WireTexts wire_texts(const std::vector<std::string>& texts, std::size_t limit_bytes);

}  // namespace netperfd::bus
