// SPDX-License-Identifier: GPL-2.0-or-later
// No kernel address may leave this file, whatever its format calls it: an address tells a user where the
// kernel is in memory, which is half of an exploit. Formats come from the kernel, but they have errors, and a
// user who may define probes writes his own formats. So the value decides, not the type:
// - 64 bits whose upper byte is all ones are an address, unless they are a small negative number (errno, -1).
// - A signed field may hold numbers down to -2^40. The last 2 GiB of these are also where the kernel's code
//   is: there, a number that hits code is treated as its address.
// - A machine of 32 bits, whose recording is imported, has addresses of 4 bytes: pointers, and a long in the
//   upper half of its addresses.
// - The same holds in arrays, in bytes that are shown one by one, and in fields that only claim to be text.
// Pointers to user space become tokens as well, and so do numbers of an array of 64-bit numbers that are as
// large as such pointers: the arguments of a system call are one. Not covered are bit masks of CPUs, which
// always have a type of the kernel's own, and addresses that a format splits into separate fields.
#include "daemon/trace/ring/event_fields.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::trace {
namespace {

using Bytes = std::span<const std::byte>;
using FieldValue = std::variant<std::int64_t, std::uint64_t, std::string>;

constexpr std::size_t kMostElements = 256;  // elements of an array; the rest is shown as "..."

constexpr std::uint64_t kSmallNegative = ~std::uint64_t{0} - 0xFFFF;  // -65536
constexpr std::uint64_t kKernelHalf = 0xFF00'0000'0000'0000;          // with five levels of page tables
constexpr std::uint64_t kLowestNumber = 0xFFFF'FF00'0000'0000;        // -2^40
constexpr std::uint64_t kLast2GiB = 0xFFFF'FFFF'8000'0000;
constexpr std::uint64_t kFirstPage = 4096;
constexpr std::uint64_t kFirstUserAddress = std::uint64_t{1} << 40U;  // of a program at a random address
constexpr std::uint64_t kUserHalfEnd = std::uint64_t{1} << 57U;       // with five levels of page tables

bool is_kernel_address(std::uint64_t value, bool is_signed, const AddressNames& names) {
  if (value < kKernelHalf || value >= kSmallNegative) return false;
  if (!is_signed || value < kLowestNumber) return true;
  return value >= kLast2GiB && names.code(value) != names.token(value);
}

// The text for 64 bits that are an address or a pointer; absent for a number.
std::optional<std::string> hidden(const FieldFormat& field, std::uint64_t value, const AddressNames& names) {
  const bool to_code = field.look == FieldLook::symbol;
  const bool short_long = field.size == 4 && field.type == "unsigned long";
  const bool to_data =
      !to_code && (field.look == FieldLook::address || field.type.ends_with('*') || short_long);
  const bool small = value < kFirstPage || value >= kSmallNegative;  // null, or an errno
  if (to_data && !small) return names.token(value);
  if ((to_code && !small) || is_kernel_address(value, field.is_signed, names)) return names.code(value);
  return std::nullopt;
}

// Whether a field of 4 bytes may hold an address of a machine of 32 bits. On others it is never a long.
bool is_short_address(const FieldFormat& field, std::uint64_t value) {
  constexpr std::uint64_t kShortKernelHalf = 0x8000'0000;
  if (field.size != 4) return false;
  if (field.type.ends_with('*') || field.look == FieldLook::address || field.look == FieldLook::symbol) {
    return true;
  }
  return field.type == "unsigned long" && value >= kShortKernelHalf;
}

// As hidden(), for an element of an array of 64-bit numbers. Their type says nothing: they may be arguments
// of any kind.
std::optional<std::string> hidden_element(const FieldFormat& field, std::uint64_t value,
                                          const AddressNames& names) {
  if (auto text = hidden(field, value, names)) return text;
  if (value >= kFirstUserAddress && value < kUserHalfEnd) return names.token(value);
  return std::nullopt;
}

FieldValue number(std::uint64_t value, bool is_signed) {
  if (is_signed) return static_cast<std::int64_t>(value);
  return value;
}

std::uint64_t bits_of_size(std::uint64_t value, std::size_t size) {
  return size >= 8 ? value : value & ((std::uint64_t{1} << (size * 8)) - 1);
}

std::string_view up_to_nul(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

std::string text_of(Bytes bytes) {
  std::string_view text = up_to_nul(bytes);
  if (text.ends_with('\n')) text.remove_suffix(1);  // a line of trace_marker ends with one
  return safe_text(text);
}

std::string hex(Bytes bytes, std::string_view separator = "") {
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kMostElements))) {
    if (!text.empty()) text += separator;
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return bytes.size() > kMostElements ? text + "..." : text;
}

std::string ip_text(int family, const std::byte* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, address, text.data(), static_cast<socklen_t>(text.size())) == nullptr
             ? ""
             : text.data();
}

// A sockaddr_in or sockaddr_in6: family, port, address. In the latter, the address follows 32 bits of flow
// information.
std::optional<std::string> socket_text(Bytes bytes) {
  if (bytes.size() < 8) return std::nullopt;
  std::uint16_t family = 0;
  std::memcpy(&family, bytes.data(), sizeof family);
  const unsigned port = std::to_integer<unsigned>(bytes[2]) * 256 + std::to_integer<unsigned>(bytes[3]);
  if (family == AF_INET) return fmt::format("{}:{}", ip_text(AF_INET, &bytes[4]), port);
  if (family == AF_INET6 && bytes.size() >= 24)
    return fmt::format("[{}]:{}", ip_text(AF_INET6, &bytes[8]), port);
  return std::nullopt;
}

// As %*pb: words of 32 bits, the highest first. Correct only if memory has the words in this order.
std::optional<std::string> bitmask_text(Bytes bytes) {
  if (bytes.empty() || bytes.size() % 4 != 0 || bytes.size() > kMostElements) return std::nullopt;
  std::string text;
  for (std::size_t i = bytes.size(); i > 0; i -= 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[i - 4], sizeof word);
    text += fmt::format("{}{:08x}", text.empty() ? "" : ",", word);
  }
  return text;
}

// Fields whose bytes the print format shows as one value.
std::optional<std::string> by_look(const FieldFormat& field, Bytes bytes) {
  switch (field.look) {
    case FieldLook::ipv4:
      if (bytes.size() == 4) return ip_text(AF_INET, bytes.data());
      break;
    case FieldLook::ipv6:
      if (bytes.size() == 16) return ip_text(AF_INET6, bytes.data());
      break;
    case FieldLook::socket:
      return socket_text(bytes);
    case FieldLook::mac:
      if (bytes.size() == 6) return hex(bytes, ":");
      break;
    case FieldLook::uuid:
      if (bytes.size() == 16) {
        return fmt::format("{}-{}-{}-{}-{}", hex(bytes.first(4)), hex(bytes.subspan(4, 2)),
                           hex(bytes.subspan(6, 2)), hex(bytes.subspan(8, 2)), hex(bytes.subspan(10)));
      }
      break;
    case FieldLook::bitmask:
      return bitmask_text(bytes);
    default:
      break;
  }
  return std::nullopt;
}

// The first address in the bytes, at any position or at every `step`th. Checks the upper 16 bits, since eight
// one bits in a row are common in plain bytes.
std::optional<std::uint64_t> address_in(Bytes bytes, std::size_t step = 1) {
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += step) {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[i], sizeof value);
    if (value >> 48U == 0xFFFF && value < kSmallNegative) return value;
  }
  return std::nullopt;
}

// The first address in an array of small signed numbers. Two negative numbers in a row also have 16 one bits
// at the top. So the upper 32 bits must not be a number down to -4095, unless the 64 bits hit code.
std::optional<std::uint64_t> address_in_signed(Bytes bytes, const AddressNames& names) {
  constexpr std::uint64_t kSmallUpperHalf = 0xFFFF'F001'0000'0000;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 4) {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[i], sizeof value);
    if (value >> 48U != 0xFFFF || value >= kSmallNegative) continue;
    if (value < kSmallUpperHalf) return value;
    if (value >= kLast2GiB && names.code(value) != names.token(value)) return value;
  }
  return std::nullopt;
}

std::string elements_text(const FieldFormat& field, Bytes bytes, const AddressNames& names) {
  FieldFormat element = field;
  element.size = field.element_size;
  std::string text = "[";
  const std::size_t count = bytes.size() / field.element_size;
  for (std::size_t i = 0; i < std::min(count, kMostElements); ++i) {
    element.offset = static_cast<std::uint32_t>(i * field.element_size);
    const std::uint64_t value = read_number(bytes, element).value;
    if (i > 0) text += ", ";
    if (const auto address = field.element_size == 8 ? hidden_element(field, value, names) : std::nullopt) {
      text += *address;
    } else if (field.look == FieldLook::hex) {
      text += fmt::format("{:#x}", bits_of_size(value, field.element_size));
    } else if (field.is_signed) {
      text += fmt::format("{}", static_cast<std::int64_t>(value));
    } else {
      text += fmt::format("{}", value);
    }
  }
  return text + (count > kMostElements ? ", ...]" : "]");
}

std::string bytes_text(const FieldFormat& field, Bytes bytes, const AddressNames& names) {
  if (auto text =
          field.element_size < 8 || field.look == FieldLook::bitmask ? by_look(field, bytes) : std::nullopt) {
    const auto address = field.look == FieldLook::bitmask ? std::nullopt : address_in(bytes, 8);
    return address ? names.token(*address) : *std::move(text);
  }
  if (field.is_text) bytes = bytes.first(up_to_nul(bytes).size());
  const bool words = field.element_size == 2 || field.element_size == 4 || field.element_size == 8;
  if (!(words && field.is_signed) && field.element_size != 8) {
    if (const auto address = address_in(bytes)) return names.token(*address);
  }
  if (words && field.is_signed && field.element_size != 8) {
    if (const auto address = address_in_signed(bytes, names)) return names.token(*address);
  }
  if (field.is_text) return text_of(bytes);
  return words ? elements_text(field, bytes, names) : hex(bytes);
}

EventField number_field(const FieldFormat& field, Bytes record, std::uint64_t value,
                        const AddressNames& names) {
  if (field.size == 8 || is_short_address(field, value)) {
    if (auto text = hidden(field, value, names)) return {field.name, *std::move(text), {}};
  }
  EventField result{field.name, number(value, field.is_signed), {}};
  if (!field.names.empty()) {
    result.text = name_of_value(field, value);
  } else if (field.look == FieldLook::hex) {
    result.text = fmt::format("{:#x}", bits_of_size(value, field.size));
  } else if (auto text = by_look(field, record.subspan(field.offset, field.size))) {
    result.text = *std::move(text);
  }
  return result;
}

std::string flags_text(const FieldFormat& field, std::uint64_t value) {
  std::string text;
  std::uint64_t rest = value;
  for (const auto& [bits, name] : field.names) {
    if (bits == 0 ? value != 0 : rest == 0 || (rest & bits) != bits) continue;
    if (!text.empty()) text += field.separator;
    text += name;
    rest &= ~bits;
  }
  if (rest != 0) text += fmt::format("{}{:#x}", text.empty() ? "" : field.separator, rest);
  return text;
}

}  // namespace

std::string safe_text(std::string_view text) {
  if (is_printable(text)) return std::string(text);
  std::string safe;
  while (!text.empty()) {
    std::size_t size = 1;
    while (size <= std::min<std::size_t>(4, text.size()) && !is_printable(text.substr(0, size))) ++size;
    const bool found = size <= 4 && size <= text.size();
    safe += found ? text.substr(0, size) : "?";
    text.remove_prefix(found ? size : 1);
  }
  return safe;
}

std::vector<EventField> decode_fields(const EventFormat& format, std::span<const std::byte> record,
                                      const AddressNames& names) {
  std::vector<EventField> result;
  for (const FieldFormat& field : format.fields) {
    if (field.kind == FieldKind::number) {
      const FieldNumber read = read_number(record, field);
      if (read.valid) result.push_back(number_field(field, record, read.value, names));
      continue;
    }
    const Bytes bytes = read_bytes(record, field);
    // A dynamic field may legitimately be empty, and then begins within the record; for any other field, the
    // bytes are missing.
    const bool dynamic = field.kind == FieldKind::data_loc || field.kind == FieldKind::rel_loc;
    if (bytes.empty() && !(dynamic && bytes.data() != nullptr)) continue;
    result.push_back({field.name, bytes_text(field, bytes, names), {}});
  }
  return result;
}

std::string name_of_value(const FieldFormat& field, std::uint64_t value) {
  if (field.names.empty()) return {};
  const std::uint64_t named = bits_of_size(value, field.is_signed ? 8 : field.size) & field.mask;
  std::string text;
  if (field.look == FieldLook::flags) {
    text = flags_text(field, named);
  } else {
    const auto found = std::ranges::find(field.names, named, &std::pair<std::uint64_t, std::string>::first);
    text = found == field.names.end() ? fmt::format("{:#x}", named) : found->second;
  }
  for (const auto& [bits, mark] : field.marks) {
    if ((value & bits) != 0) text += mark;
  }
  return text;
}

}  // namespace netperfd::trace
