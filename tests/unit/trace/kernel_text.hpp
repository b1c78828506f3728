// Compares decoded fields with the text that the kernel printed of the same record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/event_fields.hpp"
#include "daemon/trace/event_format.hpp"

namespace netperfd::trace::test {

// The value, without the field's text.
[[nodiscard]] std::string plain(const EventField& field);
// The text where there is one, else the value.
[[nodiscard]] std::string shown(const EventField& field);

// Finds by the print format which part of a line shows which field. Addresses must be those of EchoedNames.
// The kernel prints code by name: within one KernelText the same address must have the same name every time.
class KernelText {
 public:
  // What is different; empty where nothing is.
  [[nodiscard]] std::string compare(const EventFormat& format, const std::vector<EventField>& fields,
                                    std::string_view line);
  // Of a kernel_stack: `lines` are "symbol+0x1c/0x40 <ffffffff81ebe6ec>".
  [[nodiscard]] std::string compare_stack(const EventFormat& format, std::span<const std::byte> record,
                                          const std::string& lines);
  [[nodiscard]] std::size_t values_compared() const { return values_compared_; }

 private:
  [[nodiscard]] bool same(const EventField& field, int index, std::string_view kernel);

  std::map<std::string, std::string> names_;  // by address
  std::size_t values_compared_ = 0;
};

}  // namespace netperfd::trace::test
