// The C expressions that stand as arguments in an event's print format, read as far as they say something
// about a field.
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
    name,         // what the kernel left unresolved: TCP_ESTABLISHED
    field,        // REC->reason
    element,      // parts: array, index
    call,         // of text; parts: arguments
    list,         // { 2, "NO_SOCKET" }; parts
    operation,    // of text, one or two parts; a cast is no operation, its operand stands for it
    conditional,  // parts: condition, then, else
  };
  Kind kind = Kind::number;
  std::uint64_t value = 0;
  std::string text;
  std::vector<Expression> parts;
};

// Nothing where it is no expression, or a statement in one, or nested too deeply.
[[nodiscard]] std::optional<Expression> parse_expression(std::string_view text);

// `text` at its commas that stand in no brackets and no string. Surrounding space is cut off.
[[nodiscard]] std::vector<std::string_view> split_arguments(std::string_view text);

}  // namespace netperfd::trace
