// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes a record's bytes into typed fields, with the text that the kernel would print.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/trace_record.hpp"
#include "daemon/trace/ring/event_format.hpp"

namespace netperfd::trace {

// Turns kernel addresses into text that anybody may see.
class AddressNames {
 public:
  virtual ~AddressNames() = default;
  // "ip_rcv+0x1c", "hsr_xmit+0x8 [hsr]"; a token() if the address is in no known code.
  [[nodiscard]] virtual std::string code(std::uint64_t address) const = 0;
  // "p:3f9c21d0": the same for equal addresses within one run.
  [[nodiscard]] virtual std::string token(std::uint64_t address) const = 0;
};

// The event's own fields (not the common ones) in the order of its format. `names` turns pointers into text.
// It also replaces any unsigned 64-bit number in the kernel's half of the address space that is not a small
// negative number, so that no format can leak an address. A field whose bytes are missing is left out.
[[nodiscard]] std::vector<EventField> decode_fields(const EventFormat& format,
                                                    std::span<const std::byte> record,
                                                    const AddressNames& names);

// `text` with a question mark for each byte that is_printable() rejects: for names and texts chosen by a
// module, a program or a file.
[[nodiscard]] std::string safe_text(std::string_view text);

// The text of `value` by the field's names: "NO_SOCKET", "ACK|PSH", "0x12" for the unnamed part; empty if the
// field has no names.
[[nodiscard]] std::string name_of_value(const FieldFormat& field, std::uint64_t value);

}  // namespace netperfd::trace
