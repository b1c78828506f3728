#include "daemon/trace/ring/print_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

namespace netperfd::trace {
namespace {

using Kind = Expression::Kind;
using PrintedValue = std::variant<std::uint64_t, std::string>;
using Fields = std::vector<EventField>;

constexpr std::size_t kWidest = 256;  // maximum width of a column

const EventField* find(const Fields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &EventField::name);
  return found == fields.end() ? nullptr : &*found;
}

// The field that an argument consists of: REC->x, &REC->x, __get_str(x).
const EventField* whole_field(const Expression& argument, const Fields& fields) {
  if (argument.kind == Kind::field) return find(fields, argument.text);
  if (argument.kind == Kind::operation && argument.text == "&" && argument.parts.size() == 1)
    return whole_field(argument.parts[0], fields);
  const bool getter = argument.kind == Kind::call && argument.text.starts_with("__get_") &&
                      !argument.text.ends_with("_len") && argument.parts.size() == 1 &&
                      argument.parts[0].kind == Kind::name;
  return getter ? find(fields, argument.parts[0].text) : nullptr;
}

std::optional<std::uint64_t> computed(std::string_view operation, std::uint64_t a, std::uint64_t b) {
  const auto left = static_cast<std::int64_t>(a);
  const auto right = static_cast<std::int64_t>(b);
  if (operation == "&") return a & b;
  if (operation == "|") return a | b;
  if (operation == "^") return a ^ b;
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "/" && b != 0) return a / b;
  if (operation == "%" && b != 0) return a % b;
  if (operation == "<<" && b < 64) return a << b;
  if (operation == ">>" && b < 64) return a >> b;
  if (operation == "==") return a == b ? 1 : 0;
  if (operation == "!=") return a != b ? 1 : 0;
  if (operation == "<") return left < right ? 1 : 0;
  if (operation == ">") return left > right ? 1 : 0;
  if (operation == "<=") return left <= right ? 1 : 0;
  if (operation == ">=") return left >= right ? 1 : 0;
  if (operation == "&&") return a != 0 && b != 0 ? 1 : 0;
  if (operation == "||") return a != 0 || b != 0 ? 1 : 0;
  return std::nullopt;
}

class Evaluation {
 public:
  explicit Evaluation(const Fields& fields) : fields_(fields) {}

  std::optional<PrintedValue> value(const Expression& expression) const {
    if (const auto* field = whole_field(expression, fields_)) return value_of(*field);
    switch (expression.kind) {
      case Kind::number:
        return expression.value;
      case Kind::text:
        return expression.text;
      case Kind::call:
        return names(expression);
      case Kind::operation:
        return operation(expression);
      case Kind::conditional: {
        const auto condition = number(expression.parts[0]);
        if (!condition) return std::nullopt;
        return value(expression.parts[*condition != 0 ? 1 : 2]);
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<std::uint64_t> number(const Expression& expression) const {
    const auto result = value(expression);
    if (!result || !std::holds_alternative<std::uint64_t>(*result)) return std::nullopt;
    return std::get<std::uint64_t>(*result);
  }

 private:
  static PrintedValue value_of(const EventField& field) {
    if (const auto* text = std::get_if<std::string>(&field.value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&field.value))
      return static_cast<std::uint64_t>(*number);
    return std::get<std::uint64_t>(field.value);
  }

  std::optional<PrintedValue> operation(const Expression& expression) const {
    const auto first = number(expression.parts[0]);
    if (!first) return std::nullopt;
    if (expression.parts.size() == 1) {
      if (expression.text == "-") return ~*first + 1;
      if (expression.text == "~") return ~*first;
      if (expression.text == "!") return *first == 0 ? std::uint64_t{1} : std::uint64_t{0};
      return std::nullopt;
    }
    const auto second = number(expression.parts[1]);
    const auto result = second ? computed(expression.text, *first, *second) : std::nullopt;
    if (!result) return std::nullopt;
    return *result;
  }

  // The name that decode_fields found for the value.
  std::optional<PrintedValue> field_name(const Expression& expression) const {
    const auto* const field = whole_field(expression, fields_);
    if (field == nullptr || field->text.empty()) return std::nullopt;
    return field->text;
  }

  // __print_symbolic(value, { 2, "NAME" }, ...), __print_flags(value, "|", { 1, "NAME" }, ...)
  std::optional<PrintedValue> names(const Expression& call) const {
    const bool flags = call.text.starts_with("__print_flags");
    if (!flags && !call.text.starts_with("__print_symbolic")) return std::nullopt;
    const std::size_t first = flags ? 2 : 1;
    if (call.parts.size() < first || (flags && call.parts[1].kind != Kind::text)) return std::nullopt;
    auto left = number(call.parts[0]);
    if (!left) return std::nullopt;
    std::string text;
    const auto add = [&](std::string_view name) {
      if (!text.empty() && flags) text += call.parts[1].text;
      text += name;
    };
    for (std::size_t i = first; i < call.parts.size(); ++i) {
      const auto& pair = call.parts[i];
      if (pair.kind != Kind::list || pair.parts.size() != 2 || pair.parts[1].kind != Kind::text)
        return std::nullopt;
      const auto bits = number(pair.parts[0]);
      if (!bits) return field_name(call.parts[0]);  // an enum's name without a number
      if (!flags && *bits == *left) return pair.parts[1].text;
      if (!flags || *left == 0 || (*left & *bits) != *bits) continue;
      add(pair.parts[1].text);
      *left &= ~*bits;
    }
    if (!flags || *left != 0) add(fmt::format("{:#x}", *left));
    return text;
  }

  const Fields& fields_;
};

std::uint64_t cut(std::uint64_t value, std::size_t bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::int64_t cut_signed(std::uint64_t value, std::size_t bytes) {
  const auto shift = 8 * (8 - std::min<std::size_t>(bytes, 8));
  return static_cast<std::int64_t>(value << shift) >> shift;
}

std::string number_text(char letter, bool with_base, std::uint64_t value, std::size_t bytes) {
  switch (letter) {
    case 'd':
    case 'i':
      return fmt::format("{}", cut_signed(value, bytes));
    case 'x':
      return with_base ? fmt::format("{:#x}", cut(value, bytes)) : fmt::format("{:x}", cut(value, bytes));
    case 'X':
      return with_base ? fmt::format("{:#X}", cut(value, bytes)) : fmt::format("{:X}", cut(value, bytes));
    case 'o':
      return fmt::format("{:o}", cut(value, bytes));
    case 'p':
      return fmt::format("{:016x}", value);
    default:
      return fmt::format("{}", cut(value, bytes));
  }
}

std::string list_of(const Fields& fields) {
  std::string text;
  for (const auto& field : fields) {
    const auto value = std::visit([](const auto& plain) { return fmt::format("{}", plain); }, field.value);
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : " ", field.name,
                   field.text.empty() ? value : field.text);
  }
  return text;
}

// The digits of `text` from `at` on, if there are any.
std::size_t take_number(std::string_view text, std::size_t& at) {
  std::size_t value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    value = std::min(kWidest, value * 10 + static_cast<std::size_t>(text[at] - '0'));
  return value;
}

}  // namespace

PrintText::PrintText(const EventFormat& format) : format_(format) {
  if (!parse()) pieces_.reset();
}

bool PrintText::parse() {
  const auto arguments = split_arguments(format_.print);
  const auto whole = parse_expression(arguments[0]);
  if (!whole || whole->kind != Kind::text) return false;
  const std::string_view text = whole->text;
  auto& pieces = pieces_.emplace();
  std::size_t argument = 1;
  Piece piece;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '%' || text.substr(at).starts_with('%')) {
      piece.before += c == '\n' || c == '\t' ? ' ' : c;
      if (c == '%') ++at;
      continue;
    }
    for (; at < text.size() && std::string_view("-+ #0").find(text[at]) != std::string_view::npos; ++at) {
      piece.left = piece.left || text[at] == '-';
      piece.zeros = piece.zeros || text[at] == '0';
      piece.with_base = piece.with_base || text[at] == '#';
    }
    piece.width = take_number(text, at);
    if (text.substr(at).starts_with('.')) piece.most = take_number(text, ++at);
    for (; at < text.size() && std::string_view("hlLqjzt").find(text[at]) != std::string_view::npos; ++at)
      piece.bytes = text[at] == 'h' ? piece.bytes / 2 : 8;
    if (at >= text.size() || argument >= arguments.size()) return false;
    piece.letter = text[at++];
    if (std::string_view("diuxXoscp").find(piece.letter) == std::string_view::npos) return false;
    if (piece.letter == 'p') {
      while (at < text.size() &&
             ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z') ||
              (text[at] >= '0' && text[at] <= '9')))
        ++at;
    }
    auto expression = parse_expression(arguments[argument++]);
    if (!expression) return false;
    piece.argument = *std::move(expression);
    pieces.push_back(std::exchange(piece, {}));
  }
  pieces.push_back(std::move(piece));
  return true;
}

std::optional<std::string> PrintText::converted(const Piece& piece, const Fields& fields) {
  if (const auto* field = whole_field(piece.argument, fields);
      field != nullptr && (piece.letter == 's' || piece.letter == 'p') && !field->text.empty()) {
    return field->text;
  }
  const auto value = Evaluation(fields).value(piece.argument);
  if (!value) return std::nullopt;
  // A text in place of a number stands for an address.
  if (const auto* text = std::get_if<std::string>(&*value)) return text->substr(0, piece.most);
  const auto number = std::get<std::uint64_t>(*value);
  if (piece.letter == 's') return std::nullopt;
  if (piece.letter != 'c') return number_text(piece.letter, piece.with_base, number, piece.bytes);
  const auto character = static_cast<char>(number);
  return std::string(1, character >= ' ' && character <= '~' ? character : '?');
}

std::string PrintText::text(std::span<const std::byte> record, const AddressNames& names) const {
  const auto fields = decode_fields(format_, record, names);
  if (!pieces_) return list_of(fields);
  std::string result;
  for (const auto& piece : *pieces_) {
    result += piece.before;
    if (piece.letter == 0) break;
    auto text = converted(piece, fields);
    if (!text) return list_of(fields);
    const auto missing = piece.width - std::min(piece.width, text->size());
    if (!piece.left) result.append(missing, piece.zeros && piece.letter != 's' ? '0' : ' ');
    result += *text;
    if (piece.left) result.append(missing, ' ');
  }
  return result;
}

}  // namespace netperfd::trace
