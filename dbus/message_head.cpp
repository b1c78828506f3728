// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/message_head.hpp"

#include <array>

namespace netperfd::dbus {
namespace {

constexpr std::size_t kMostBytes = 1U << 27U;  // of a message, and of each of its parts, by the specification

// The type of each field, by its number; 0 is none.
constexpr std::string_view kTypes = " osssussgu";

constexpr std::size_t aligned(std::size_t offset, std::size_t to) {
  return (offset + to - 1) / to * to;
}

// Reads numbers and texts one after the other, and nothing beyond the end.
class Reader {
 public:
  explicit Reader(std::span<const unsigned char> bytes) : bytes_(bytes), is_big_(bytes[0] == 'B') {}

  [[nodiscard]] bool is_at_end() const { return offset_ == bytes_.size(); }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  void skip_to(std::size_t offset) { offset_ = offset; }
  bool align(std::size_t to) {
    offset_ = aligned(offset_, to);
    return offset_ <= bytes_.size();
  }
  std::optional<unsigned> byte() {
    if (offset_ >= bytes_.size()) return {};
    return bytes_[offset_++];
  }
  std::optional<std::uint32_t> number() {
    if (!align(4) || bytes_.size() - offset_ < 4) return {};
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8U | bytes_[offset_ + (is_big_ ? i : 3 - i)];
    offset_ += 4;
    return value;
  }
  // A text of so many bytes, and the NUL that ends it.
  std::optional<std::string_view> text(std::size_t length) {
    if (bytes_.size() - offset_ <= length || bytes_[offset_ + length] != 0) return {};
    const std::string_view found{reinterpret_cast<const char*>(&bytes_[offset_]), length};  // NOLINT
    if (found.contains('\0')) return {};
    offset_ += length + 1;
    return found;
  }

 private:
  std::span<const unsigned char> bytes_;
  std::size_t offset_ = 0;
  bool is_big_;
};

struct Value {
  std::uint32_t number = 0;
  std::string_view text;
};

// Of a variant, whose type must be the expected one.
std::optional<Value> read_value(Reader& reader, char type) {
  const auto length = reader.byte();
  if (length != 1U || reader.byte() != static_cast<unsigned char>(type) || reader.byte() != 0U) return {};
  const auto number = type == 'g' ? std::optional<std::uint32_t>{reader.byte()} : reader.number();
  if (!number) return {};
  if (type == 'u') return Value{*number, {}};
  const auto text = reader.text(*number);
  if (!text) return {};
  return Value{0, *text};
}

}  // namespace

std::optional<MessageSize> size_of_message(std::span<const unsigned char, kFixedHead> bytes) {
  constexpr unsigned char kVersion = 1;
  if ((bytes[0] != 'l' && bytes[0] != 'B') || bytes[1] == 0 || bytes[3] != kVersion) return {};
  Reader reader{bytes};
  reader.skip_to(4);
  const auto body = reader.number();
  const auto serial = reader.number();
  const auto fields = reader.number();
  if (!body || !serial || !fields || *serial == 0 || *body > kMostBytes || *fields > kMostBytes) return {};
  const std::size_t head = kFixedHead + *fields;
  return MessageSize{head, aligned(head, 8) + *body};
}

std::optional<MessageHead> read_head(std::span<const unsigned char> bytes) {
  if (bytes.size() < kFixedHead) return {};
  const auto size = size_of_message(bytes.first<kFixedHead>());
  if (!size || size->head != bytes.size() || bytes[1] > static_cast<unsigned char>(MessageType::signal))
    return {};
  std::array<Value, kTypes.size()> values{};
  std::array<std::size_t, kTypes.size()> places{};  // 0: not seen
  Reader reader{bytes};
  reader.skip_to(8);
  const auto serial = reader.number();
  reader.skip_to(kFixedHead);
  while (!reader.is_at_end()) {
    if (!reader.align(8)) return {};
    const std::size_t place = reader.offset();
    const auto field = reader.byte();
    if (!field || *field == 0 || *field >= kTypes.size() || places[*field] != 0) return {};
    const auto value = read_value(reader, kTypes[*field]);
    if (!value) return {};
    places[*field] = place;
    values[*field] = *value;
  }
  return MessageHead{.type = static_cast<MessageType>(bytes[1]),
                     .serial = *serial,
                     .descriptors = values[9].number,
                     .signature_at = places[8],
                     .path = values[1].text,
                     .interface = values[2].text,
                     .member = values[3].text,
                     .sender = values[7].text};
}

}  // namespace netperfd::dbus
