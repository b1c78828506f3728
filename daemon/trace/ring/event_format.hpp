// SPDX-License-Identifier: GPL-2.0-or-later
// Parses an event's `format` file, which describes its bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

enum class FieldKind {
  number,    // of `size` bytes
  text,      // char[size], up to its NUL
  array,     // element_size bytes per number
  data_loc,  // 32 bits: length << 16 | offset from the start of the record
  rel_loc,   // the same, but the offset counts from the end of this field
};

// How the event's print format shows a field.
enum class FieldLook {
  plain,
  hex,
  address,   // %p: a pointer to data
  symbol,    // %pS, %ps: a pointer to code
  symbolic,  // __print_symbolic
  flags,     // __print_flags
  ipv4,      // %pI4: four bytes
  ipv6,      // %pI6, %pI6c: sixteen bytes
  socket,    // %pISpc: a sockaddr_in or sockaddr_in6
  mac,       // %pM: six bytes
  uuid,      // %pU: sixteen bytes
  bitmask,   // __get_cpumask, __get_bitmask: words of bits
};

struct FieldFormat {
  std::string name;
  std::string type;  // "unsigned short", "enum skb_drop_reason", "__data_loc char[]"
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  bool is_signed = false;
  FieldKind kind = FieldKind::number;
  std::uint32_t element_size = 0;  // of an array or dynamic array; 1 for text in a dynamic array
  bool is_text = false;            // the elements are characters
  FieldLook look = FieldLook::plain;
  std::vector<std::pair<std::uint64_t, std::string>> names;  // for symbolic and flags, in the file's order
  std::string separator;                                     // for flags
  std::uint64_t mask = ~std::uint64_t{0};                    // the bits of the value that `names` refer to
  std::vector<std::pair<std::uint64_t, std::string>> marks;  // appended to the names if one of the bits is
                                                             // set: the "+" of sched_switch's "R+"
};

struct EventFormat {
  std::string name;  // as in the file: "kfree_skb"
  std::uint32_t id = 0;
  std::vector<FieldFormat> common;  // common_type, common_flags, common_preempt_count, common_pid
  std::vector<FieldFormat> fields;
  std::string print;  // the print format, as in the file

  // Null if there is no such field; also finds the common ones.
  [[nodiscard]] const FieldFormat* field(std::string_view name) const;
};

// invalid_argument with the line if the text is not a format or has more than 256 fields. If the print format
// cannot be parsed, the fields stay plain; this is no error. `long_size`: of the kernel's long and pointers.
[[nodiscard]] Result<EventFormat> parse_event_format(std::string_view text,
                                                     std::uint32_t long_size = sizeof(long));

// An integer of 1, 2, 4 or 8 bytes in the field's place, sign-extended if the field is signed; 0 and false if
// it does not lie within `record`.
struct FieldNumber {
  std::uint64_t value = 0;
  bool valid = false;
};
[[nodiscard]] FieldNumber read_number(std::span<const std::byte> record, const FieldFormat& field);

// The bytes of a text, array, data_loc or rel_loc field; empty if they do not lie within `record`.
[[nodiscard]] std::span<const std::byte> read_bytes(std::span<const std::byte> record,
                                                    const FieldFormat& field);

}  // namespace netperfd::trace
