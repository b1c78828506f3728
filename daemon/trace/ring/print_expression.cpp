// SPDX-License-Identifier: GPL-2.0-or-later
// A parser by precedence climbing. Types are ignored: every value has 64 unsigned bits, which is right for
// the values needed here (bits, masks, enum numbers).
#include "daemon/trace/ring/print_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "daemon/trace/ring/trim.hpp"

namespace netperfd::trace {
namespace {

using Kind = Expression::Kind;

constexpr int kDeepest = 100;  // the deepest of the kernel's own, its gfp flags, have a depth of about 20
// Each operator may make the tree one level deeper without any nesting in the text.
constexpr int kMostOperators = 2'000;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct Operator {
  std::string_view text;
  int precedence;
};

// Longer operators first.
constexpr std::array<Operator, 18> kOperators{{{"||", 1},
                                               {"&&", 2},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"<<", 8},
                                               {">>", 8},
                                               {"|", 3},
                                               {"^", 4},
                                               {"&", 5},
                                               {"<", 7},
                                               {">", 7},
                                               {"+", 9},
                                               {"-", 9},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10}}};

std::optional<std::uint64_t> fold(std::string_view operation, std::uint64_t a, std::uint64_t b) {
  if (operation == "|") return a | b;
  if (operation == "&") return a & b;
  if (operation == "^") return a ^ b;
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "/" && b != 0) return a / b;
  if (operation == "%" && b != 0) return a % b;
  if (operation == "<<" && b < 64) return a << b;
  if (operation == ">>" && b < 64) return a >> b;
  return std::nullopt;
}

bool is_type_word(std::string_view word) {
  constexpr std::array<std::string_view, 10> kWords{"unsigned", "signed", "int",    "long", "short",
                                                    "char",     "const",  "struct", "enum", "void"};
  return std::ranges::find(kWords, word) != kWords.end();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<Expression> whole() {
    std::optional<Expression> result = conditional();
    if (!peek().empty()) return std::nullopt;
    return result;
  }

 private:
  // The rest, from its first non-blank character.
  std::string_view peek() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_;
  }

  bool take(std::string_view token) {
    if (!peek().starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::string_view take_word() {
    peek();
    std::size_t size = 0;
    while (size < rest_.size() && is_word(rest_[size])) ++size;
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  std::optional<Expression> conditional() {
    if (depth_ >= kDeepest) return std::nullopt;
    ++depth_;
    std::optional<Expression> result = binary(1);
    if (result && take("?")) {
      std::optional<Expression> then = conditional();
      if (!then || !take(":")) return std::nullopt;
      std::optional<Expression> otherwise = conditional();
      if (!otherwise) return std::nullopt;
      Expression whole{Kind::conditional, 0, {}, {}};
      whole.parts.push_back(*std::move(result));
      whole.parts.push_back(*std::move(then));
      whole.parts.push_back(*std::move(otherwise));
      result = std::move(whole);
    }
    --depth_;
    return result;
  }

  std::optional<Expression> binary(int weakest) {
    std::optional<Expression> left = unary();
    while (left) {
      const std::string_view ahead = peek();
      const auto* const found =
          std::ranges::find_if(kOperators, [&](const Operator& o) { return ahead.starts_with(o.text); });
      if (found == kOperators.end() || found->precedence < weakest) break;
      if (++operators_ > kMostOperators) return std::nullopt;
      rest_.remove_prefix(found->text.size());
      std::optional<Expression> right = binary(found->precedence + 1);
      if (!right) return std::nullopt;
      left = joined(found->text, *std::move(left), *std::move(right));
    }
    return left;
  }

  static Expression joined(std::string_view operation, Expression left, Expression right) {
    if (left.kind == Kind::number && right.kind == Kind::number) {
      if (const auto value = fold(operation, left.value, right.value)) return {Kind::number, *value, {}, {}};
    }
    Expression result{Kind::operation, 0, std::string(operation), {}};
    result.parts.push_back(std::move(left));
    result.parts.push_back(std::move(right));
    return result;
  }

  std::optional<Expression> unary() {
    if (depth_ >= kDeepest) return std::nullopt;
    ++depth_;
    std::optional<Expression> result;
    const std::string_view ahead = peek();
    if (!ahead.empty() && std::string_view("-~!&*+").find(ahead.front()) != std::string_view::npos) {
      const std::string_view operation = ahead.substr(0, 1);
      rest_.remove_prefix(1);
      result = unary();
      if (result) result = applied(operation, *std::move(result));
    } else if (take_cast()) {
      result = unary();
    } else {
      result = postfix();
    }
    --depth_;
    return result;
  }

  static Expression applied(std::string_view operation, Expression operand) {
    if (operand.kind == Kind::number) {
      if (operation == "-") operand.value = ~operand.value + 1;
      if (operation == "~") operand.value = ~operand.value;
      if (operation == "!") operand.value = operand.value == 0 ? 1 : 0;
      return operand;
    }
    Expression result{Kind::operation, 0, std::string(operation), {}};
    result.parts.push_back(std::move(operand));
    return result;
  }

  // "(unsigned long)", "(void *)", "( gfp_t)" before an operand; "(REC)" and "(FLAG)" are not casts.
  bool take_cast() {
    const std::string_view before = peek();
    if (!take("(")) return false;
    bool words = false;
    bool certain = false;
    for (std::string_view word = take_word(); !word.empty(); word = take_word()) {
      if (word == "REC" || is_digit(word.front())) {
        rest_ = before;
        return false;
      }
      words = true;
      certain = certain || is_type_word(word);
    }
    while (words && take("*")) certain = true;
    if (words && take(")")) {
      const std::string_view ahead = peek();
      const bool operand =
          !ahead.empty() && (is_word(ahead.front()) || ahead.front() == '(' || ahead.front() == '~');
      if (certain || operand) return true;
    }
    rest_ = before;
    return false;
  }

  std::optional<Expression> postfix() {
    std::optional<Expression> result = primary();
    for (; result; ++operators_) {
      if (operators_ > kMostOperators) return std::nullopt;
      if (take("->")) {
        const std::string_view member = take_word();
        if (member.empty()) return std::nullopt;
        if (result->kind == Kind::name && result->text == "REC") {
          result = Expression{Kind::field, 0, std::string(member), {}};
        } else {
          result = applied("->", *std::move(result));
        }
      } else if (take("[")) {
        std::optional<Expression> index = conditional();
        if (!index || !take("]")) return std::nullopt;
        Expression element{Kind::element, 0, {}, {}};
        element.parts.push_back(*std::move(result));
        element.parts.push_back(*std::move(index));
        result = std::move(element);
      } else if (peek().starts_with(".")) {
        rest_.remove_prefix(1);
        if (take_word().empty()) return std::nullopt;
        result = applied(".", *std::move(result));
      } else {
        break;
      }
    }
    return result;
  }

  std::optional<Expression> primary() {
    const std::string_view ahead = peek();
    if (ahead.empty()) return std::nullopt;
    if (ahead.front() == '"') return text();
    if (take("(")) {
      std::optional<Expression> inner = conditional();
      if (!inner || !take(")")) return std::nullopt;
      return inner;
    }
    if (take("{")) return sequence(Expression{Kind::list, 0, {}, {}}, "}");
    const std::string_view word = take_word();
    if (word.empty()) return std::nullopt;
    if (is_digit(word.front())) return number(word);
    if (take("(")) return sequence(Expression{Kind::call, 0, std::string(word), {}}, ")");
    return Expression{Kind::name, 0, std::string(word), {}};
  }

  // Adjacent string literals are joined.
  std::optional<Expression> text() {
    Expression result{Kind::text, 0, {}, {}};
    while (take("\"")) {
      while (true) {
        if (rest_.empty()) return std::nullopt;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        if (c == '"') break;
        if (c == '\\' && !rest_.empty()) {
          result.text += rest_.front() == 'n' ? '\n' : rest_.front() == 't' ? '\t' : rest_.front();
          rest_.remove_prefix(1);
        } else {
          result.text += c;
        }
      }
    }
    return result;
  }

  static std::optional<Expression> number(std::string_view word) {
    while (!word.empty() && std::string_view("uUlL").find(word.back()) != std::string_view::npos) {
      word.remove_suffix(1);
    }
    int base = 10;
    if (word.starts_with("0x") || word.starts_with("0X")) {
      base = 16;
      word.remove_prefix(2);
    } else if (word.size() > 1 && word.front() == '0') {
      base = 8;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return Expression{Kind::number, value, {}, {}};
  }

  std::optional<Expression> sequence(Expression into, std::string_view end) {
    if (take(end)) return into;
    while (true) {
      std::optional<Expression> part = conditional();
      if (!part) return std::nullopt;
      into.parts.push_back(*std::move(part));
      if (take(end)) return into;
      if (!take(",")) return std::nullopt;
    }
  }

  std::string_view rest_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

std::optional<Expression> parse_expression(std::string_view text) {
  return Parser(text).whole();
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  std::size_t begin = 0;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      arguments.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  arguments.push_back(trim(text.substr(begin)));
  return arguments;
}

}  // namespace netperfd::trace
