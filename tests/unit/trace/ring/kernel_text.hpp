// SPDX-License-Identifier: GPL-2.0-or-later
// Compares decoded fields with the text that the kernel printed for the same record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/ring/event_format.hpp"

namespace netperfd::trace::test {

// The value as text, ignoring the field's own text.
[[nodiscard]] std::string plain(const EventField& field);
// The text if there is one, otherwise the value.
[[nodiscard]] std::string shown(const EventField& field);

// Uses the print format to find the part of a line that shows a field. Addresses must be those of
// EchoedNames. The kernel prints code by name: within one KernelText, an address must always have the same
// name.
class KernelText {
 public:
  // The differences; empty if there are none.
  [[nodiscard]] std::string compare(const EventFormat& format, const std::vector<EventField>& fields,
                                    std::string_view line);
  // For a kernel_stack: `lines` are "symbol+0x1c/0x40 <ffffffff81ebe6ec>".
  [[nodiscard]] std::string compare_stack(const EventFormat& format, std::span<const std::byte> record,
                                          const std::string& lines);
  [[nodiscard]] std::size_t values_compared() const { return values_compared_; }

 private:
  [[nodiscard]] bool same(const EventField& field, int index, std::string_view kernel);

  std::map<std::string, std::string> names_;  // by address
  std::size_t values_compared_ = 0;
};

}  // namespace netperfd::trace::test
