// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes that two processes of netperfd exchange. The writer and the reader have the same members, so that the
// same code can write and read a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace netperfd {

// Numbers take seven bits a byte, the lowest first, and a further byte where the top bit is set.
class ByteWriter {
 public:
  static constexpr bool kReads = false;
  ByteWriter() = default;
  // Goes on behind these bytes.
  explicit ByteWriter(std::string bytes) : out_(std::move(bytes)) {}
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_.push_back(static_cast<char>(value | 0x80U));
    out_.push_back(static_cast<char>(value));
  }
  void text(std::string_view text) {
    number(text.size());
    out_.append(text);
  }
  // As they are, without their number.
  void bytes(std::string_view bytes) { out_.append(bytes); }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads untrusted bytes. After the first error everything reads as 0 and empty.
class ByteReader {
 public:
  static constexpr bool kReads = true;
  // Memory limit of the decoded values.
  ByteReader(std::string_view bytes, std::size_t budget) : bytes_(bytes), budget_(budget) {}

  // Call this before allocating memory. If the limit is exceeded, returns false and fails the reader.
  [[nodiscard]] bool may_take(std::size_t size) {
    constexpr std::size_t kOfTheHeapItself = 32;
    if (size > budget_ || budget_ - size < kOfTheHeapItself) {
      too_large_ = true;
      fail();
      return false;
    }
    budget_ -= size + kOfTheHeapItself;
    return true;
  }

  void number(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) return fail();
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      const std::uint64_t part = byte & 0x7FU;
      if ((part << shift) >> shift != part) return fail();
      value |= part << shift;
      if ((byte & 0x80U) == 0) return;
    }
    fail();
  }
  void text(std::string& text) {
    std::uint64_t size = 0;
    number(size);
    if (size > bytes_.size()) return fail();
    if (size > kInPlace && !may_take(static_cast<std::size_t>(size))) return;
    text = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(text.size());
  }
  // A text where it is: it needs no memory.
  [[nodiscard]] std::string_view view() {
    std::uint64_t size = 0;
    number(size);
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    const std::string_view text = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(text.size());
    return text;
  }
  void fail() {
    failed_ = true;
    bytes_ = {};
  }
  [[nodiscard]] bool failed() const { return failed_; }
  // It is the reason why it failed.
  [[nodiscard]] bool too_large() const { return too_large_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t bytes_left() const { return bytes_.size(); }

 private:
  static constexpr std::size_t kInPlace = 15;  // a shorter text is within its std::string

  std::string_view bytes_;
  std::size_t budget_;
  bool failed_ = false;
  bool too_large_ = false;
};

}  // namespace netperfd
