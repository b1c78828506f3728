// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a file's parts one after the other and never outside its bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

// After the first part that is missing, everything reads as 0 or empty, and status() names that part. A
// reader may check once at the end of a group, but must check ok() in a loop whose length comes from the
// file.
class DatCursor {
 public:
  // `where` names the bytes in an error: "trace.dat".
  DatCursor(std::span<const std::byte> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  template <std::integral Number>
  Number number(std::string_view what) {
    Number value{};
    if (const auto found = bytes(sizeof value, what); !found.empty()) {
      std::memcpy(&value, found.data(), sizeof value);
    }
    return value;
  }
  std::span<const std::byte> bytes(std::uint64_t size, std::string_view what);
  std::string_view text(std::uint64_t size, std::string_view what);
  // Up to a NUL, which is skipped.
  std::string_view word(std::string_view what);
  // Requires exactly these bytes.
  void expect(std::string_view text, std::string_view what);
  // Moves to an offset from the beginning.
  void seek(std::uint64_t offset, std::string_view what);

  void fail_with(std::string_view what);
  [[nodiscard]] bool ok() const { return error_.empty(); }
  [[nodiscard]] Status status() const;
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::string where_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace netperfd::trace
