// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/print_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/trace/ring/print_expression.hpp"

namespace netperfd::trace {
namespace {

using Kind = Expression::Kind;

// Some kernel events print a connection's state by the names of its enum without exporting their numbers
// (tcp:tcp_retransmit_skb lacks them, sock:inet_sock_set_state exports them). The numbers are fixed: tcp(7),
// net/tcp_states.h.
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 12> kKnownNames{{{"TCP_ESTABLISHED", 1},
                                                                                  {"TCP_SYN_SENT", 2},
                                                                                  {"TCP_SYN_RECV", 3},
                                                                                  {"TCP_FIN_WAIT1", 4},
                                                                                  {"TCP_FIN_WAIT2", 5},
                                                                                  {"TCP_TIME_WAIT", 6},
                                                                                  {"TCP_CLOSE", 7},
                                                                                  {"TCP_CLOSE_WAIT", 8},
                                                                                  {"TCP_LAST_ACK", 9},
                                                                                  {"TCP_LISTEN", 10},
                                                                                  {"TCP_CLOSING", 11},
                                                                                  {"TCP_NEW_SYN_RECV", 12}}};

std::optional<std::uint64_t> constant(const Expression& expression) {
  if (expression.kind == Kind::number) return expression.value;
  if (expression.kind != Kind::name) return std::nullopt;
  const auto* const known =
      std::ranges::find_if(kKnownNames, [&](const auto& name) { return name.first == expression.text; });
  if (known == kKnownNames.end()) return std::nullopt;
  return known->second;
}

// One conversion of the format string: "%-8.*pI6c" is 'p' with "I6c" and one additional argument before its
// own.
struct Conversion {
  char letter = 0;
  std::string_view extension;  // of %p
  std::size_t stars = 0;
};

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::vector<Conversion> conversions_of(std::string_view text) {
  std::vector<Conversion> conversions;
  for (std::size_t i = text.find('%'); i < text.size(); i = text.find('%', i)) {
    ++i;
    Conversion conversion;
    while (i < text.size() &&
           std::string_view("-+ #0123456789.*hlLqjzt").find(text[i]) != std::string_view::npos) {
      if (text[i] == '*') ++conversion.stars;
      ++i;
    }
    if (i >= text.size()) break;
    conversion.letter = text[i];
    ++i;
    if (conversion.letter == '%') continue;
    if (conversion.letter == 'p') {
      std::size_t end = i;
      while (end < text.size() && is_letter_or_digit(text[end])) ++end;
      conversion.extension = text.substr(i, end - i);
      i = end;
    }
    conversions.push_back(conversion);
  }
  return conversions;
}

FieldLook look_of_pointer(std::string_view extension) {
  if (extension.empty()) return FieldLook::address;
  switch (extension.front()) {
    case 'S':
    case 's':
    case 'F':
    case 'f':
    case 'B':
      return FieldLook::symbol;
    case 'I':
    case 'i':
      if (extension.size() < 2) return FieldLook::address;
      if (extension[1] == '4') return FieldLook::ipv4;
      return extension[1] == '6'   ? FieldLook::ipv6
             : extension[1] == 'S' ? FieldLook::socket
                                   : FieldLook::address;
    case 'M':
      return FieldLook::mac;
    case 'U':  // the little-endian forms order the bytes differently
      return extension == "U" || extension.starts_with("Ub") || extension.starts_with("UB")
                 ? FieldLook::uuid
                 : FieldLook::plain;
    case 'b':
      return FieldLook::bitmask;
    default:
      return FieldLook::address;
  }
}

// A field, or some of its bits.
struct Bits {
  FieldFormat* field = nullptr;
  std::uint64_t mask = ~std::uint64_t{0};
};

class Looks {
 public:
  explicit Looks(EventFormat& format) : format_(format) {}

  // Learns from the argument itself.
  void learn(const Expression& argument) {
    if (argument.kind == Kind::call && is_names_call(argument.text)) {
      learn_names(argument);
      return;
    }
    if (argument.kind == Kind::conditional) learn_marks(argument);
    for (const Expression& part : argument.parts) learn(part);
    if (argument.kind == Kind::conditional) learn_zero(argument);
  }

  // Learns from the conversion of the argument.
  void show(const Conversion& conversion, const Expression& argument) {
    const Bits bits = bits_of(argument.kind == Kind::element ? argument.parts[0] : argument);
    if (bits.field == nullptr || bits.field->look != FieldLook::plain || ~bits.mask != 0) return;
    if (conversion.letter == 'p') bits.field->look = look_of_pointer(conversion.extension);
    if (conversion.letter == 'x' || conversion.letter == 'X') bits.field->look = FieldLook::hex;
    if (argument.kind == Kind::call && argument.text.ends_with("mask")) bits.field->look = FieldLook::bitmask;
  }

 private:
  static bool is_names_call(std::string_view function) {
    return function.starts_with("__print_symbolic") || function.starts_with("__print_flags");
  }

  static bool is_getter(const Expression& call) {
    return call.text.starts_with("__get_") && !call.text.ends_with("_len") && call.parts.size() == 1 &&
           call.parts[0].kind == Kind::name;
  }

  FieldFormat* find(std::string_view name) {
    for (FieldFormat& field : format_.fields) {
      if (field.name == name) return &field;
    }
    return nullptr;
  }

  // "REC->x", "&REC->x", "REC->x & 0xff", "__get_dynamic_array(x)".
  Bits bits_of(const Expression& expression) {
    if (expression.kind == Kind::field) return {find(expression.text), ~std::uint64_t{0}};
    if (expression.kind == Kind::call && is_getter(expression)) {
      return {find(expression.parts[0].text), ~std::uint64_t{0}};
    }
    if (expression.kind != Kind::operation || expression.text != "&") return {};
    Bits bits = bits_of(expression.parts[0]);
    if (expression.parts.size() == 2) {
      const auto mask = constant(expression.parts[1]);
      if (!mask) return {};
      bits.mask &= *mask;
    }
    return bits;
  }

  static bool has_names(const FieldFormat& field) {
    return field.look == FieldLook::symbolic || field.look == FieldLook::flags;
  }

  // __print_symbolic(value, { 2, "NAME" }, ...), __print_flags(value, "|", { 1, "NAME" }, ...)
  void learn_names(const Expression& call) {
    const bool flags = call.text.starts_with("__print_flags");
    const std::size_t first = flags ? 2 : 1;
    if (call.parts.size() <= first) return;
    const Bits bits = bits_of(call.parts[0]);
    if (bits.field == nullptr || bits.field->kind != FieldKind::number || has_names(*bits.field)) return;
    std::vector<std::pair<std::uint64_t, std::string>> names;
    for (std::size_t i = first; i < call.parts.size(); ++i) {
      const Expression& pair = call.parts[i];
      if (pair.kind != Kind::list || pair.parts.size() != 2 || pair.parts[1].kind != Kind::text) continue;
      if (const auto value = constant(pair.parts[0])) names.emplace_back(*value, pair.parts[1].text);
    }
    if (names.empty()) return;
    bits.field->look = flags ? FieldLook::flags : FieldLook::symbolic;
    bits.field->names = std::move(names);
    bits.field->mask = bits.mask;
    if (flags && call.parts[1].kind == Kind::text) bits.field->separator = call.parts[1].text;
  }

  // (REC->x & MASK) ? "+" : ""
  void learn_marks(const Expression& conditional) {
    const Bits bits = bits_of(conditional.parts[0]);
    const Expression& mark = conditional.parts[1];
    const Expression& otherwise = conditional.parts[2];
    if (bits.field == nullptr || ~bits.mask == 0) return;
    if (mark.kind != Kind::text || otherwise.kind != Kind::text || !otherwise.text.empty()) return;
    if (has_names(*bits.field)) bits.field->marks.emplace_back(bits.mask, mark.text);
  }

  // (REC->x & MASK) ? __print_flags(REC->x & MASK, ...) : "R"
  void learn_zero(const Expression& conditional) {
    const Bits bits = bits_of(conditional.parts[0]);
    const Expression& zero = conditional.parts[2];
    if (bits.field == nullptr || conditional.parts[1].kind != Kind::call || zero.kind != Kind::text) return;
    if (!is_names_call(conditional.parts[1].text) || !has_names(*bits.field)) return;
    if (bits.field->mask == bits.mask && !zero.text.empty()) bits.field->names.emplace_back(0, zero.text);
  }

  EventFormat& format_;
};

}  // namespace

void apply_print_format(EventFormat& format) {
  const std::vector<std::string_view> parts = split_arguments(format.print);
  const std::optional<Expression> text = parse_expression(parts[0]);
  if (!text || text->kind != Kind::text) return;

  std::vector<std::optional<Expression>> arguments;
  for (std::size_t i = 1; i < parts.size(); ++i) arguments.push_back(parse_expression(parts[i]));
  Looks looks(format);
  for (const auto& argument : arguments) {
    if (argument) looks.learn(*argument);
  }
  std::size_t next = 0;
  for (const Conversion& conversion : conversions_of(text->text)) {
    next += conversion.stars;
    if (next >= arguments.size()) break;
    if (arguments[next]) looks.show(conversion, *arguments[next]);
    ++next;
  }
}

}  // namespace netperfd::trace
