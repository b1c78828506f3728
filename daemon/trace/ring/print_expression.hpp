// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the C expressions in an event's print format, as far as they describe a field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::trace {

struct Expression {
  enum class Kind {
    number,       // constants are folded: (1UL << 3) | 1 is a number
    text,         // "NO_SOCKET"
    name,         // not resolved by the kernel: TCP_ESTABLISHED
    field,        // REC->reason
    element,      // parts: array, index
    call,         // text: the function; parts: arguments
    list,         // { 2, "NO_SOCKET" }; parts
    operation,    // text: the operator; one or two parts; a cast is replaced by its operand
    conditional,  // parts: condition, then, else
  };
  Kind kind = Kind::number;
  std::uint64_t value = 0;
  std::string text;
  std::vector<Expression> parts;
};

// Absent if it is not an expression, contains a statement, or is nested too deeply.
[[nodiscard]] std::optional<Expression> parse_expression(std::string_view text);

// Splits `text` at commas outside brackets and strings, and trims the parts.
[[nodiscard]] std::vector<std::string_view> split_arguments(std::string_view text);

}  // namespace netperfd::trace
