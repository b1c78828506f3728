// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/filter_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <vector>

#include "daemon/model/nearest.hpp"

namespace netperfd::trace {
namespace {

// Fields that the kernel offers for every event besides those in its format.
constexpr std::array<std::string_view, 4> kGeneric{"CPU", "cpu", "COMM", "comm"};
constexpr std::array<std::string_view, 8> kOperators{"==", "!=", "<=", ">=", "~", "<", ">", "&"};

// Kernel addresses are never below this; counts, lengths and nanoseconds up to a quarter of an hour are.
constexpr std::uint64_t kFirstDoubtful = std::uint64_t{1} << 40U;
// In a 64-bit field, -1 to -4095 are error numbers; no code or data is there.
constexpr std::uint64_t kMaxErrorNumber = 4095;
constexpr std::uint64_t kMaxNegative = std::uint64_t{1} << 31U;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::string_view kCpus = "CPUS{";

bool is_of_cpu_list(char c) {
  return is_digit(c) || c == ',' || c == '-' || c == ':' || c == '/';
}

struct Number {
  std::uint64_t magnitude = 0;
  bool negative = false;
  bool valid = false;
};

// As the kernel parses it: decimal, 0x..., or octal after a 0.
Number to_number(std::string_view text) {
  Number number;
  number.negative = text.starts_with('-');
  if (number.negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.magnitude, base);
  number.valid = error == std::errc{} && end == text.data() + text.size();
  return number;
}

// Parses `field operator value` terms joined by && and ||, with ! and parentheses, like
// kernel/trace/trace_events_filter.c, without the operators that only help to read memory (.ustring).
class FilterReader {
 public:
  FilterReader(const EventSpec& event, const EventFormat& format)
      : event_(event), format_(format), rest_(event.filter) {}

  Status run() {
    for (bool more = true; more;) {
      if (auto status = term(); !status) return status;
      while (take(")")) {
        if (--depth_ < 0) return refuse("has a ')' too many");
      }
      more = take("&&") || take("||");
    }
    if (!rest_.empty()) return refuse(fmt::format("has \"{}\" where && or || is expected", rest_));
    if (depth_ > 0) return refuse("lacks a ')'");
    return {};
  }

 private:
  [[nodiscard]] std::unexpected<Error> refuse(const std::string& why) const {
    return fail(ErrorKind::invalid_argument,
                fmt::format("{}: filter \"{}\" {}.", event_.name, event_.filter, why));
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_blanks();
    return true;
  }

  std::string_view take_word() {
    const auto end = std::ranges::find_if_not(rest_, is_word);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    skip_blanks();
    return word;
  }

  Status term() {
    for (;;) {
      if (take("(")) {
        ++depth_;
      } else if (!take("!")) {
        break;
      }
    }
    const std::string_view name = take_word();
    if (name.empty()) return refuse("lacks a field's name, an operator and a value at its end or before one");
    if (rest_.starts_with('.')) return refuse(fmt::format("has a suffix to {}, which is not taken", name));
    const auto* const found =
        std::ranges::find_if(kOperators, [&](std::string_view one) { return rest_.starts_with(one); });
    if (found == kOperators.end() || rest_.starts_with("&&")) {
      return refuse(fmt::format("has no operator after {} (==, !=, <, <=, >, >=, & or ~)", name));
    }
    const std::string_view operation = *found;
    (void)take(operation);
    const bool compares = operation == "==" || operation == "!=";
    return value(name, operation, compares);
  }

  Status value(std::string_view name, std::string_view operation, bool compares) {
    const FieldFormat* const field = format_.field(name);
    if (field == nullptr && std::ranges::find(kGeneric, name) == kGeneric.end()) return unknown(name);
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      if (auto status = check_field(field, operation, false); !status) return status;
      const auto end = rest_.find(rest_.front(), 1);
      if (end == std::string_view::npos) return refuse("has a text without its closing quote");
      rest_.remove_prefix(end + 1);
      skip_blanks();
      return {};
    }
    if (rest_.starts_with(kCpus)) {
      if (auto status = check_field(field, operation, false); !status) return status;
      const auto end = rest_.find('}');
      if (end == std::string_view::npos) return refuse("has CPUS{ without its }");
      const std::string_view list = rest_.substr(kCpus.size(), end - kCpus.size());
      if (!std::ranges::all_of(list, is_of_cpu_list)) {
        return refuse(fmt::format("has CPUS{{{}}}, which is no list of CPUs such as CPUS{{0,2-3}}", list));
      }
      rest_.remove_prefix(end + 1);
      skip_blanks();
      return {};
    }
    const bool negative = rest_.starts_with('-');
    const std::string_view begin = rest_;
    if (negative) rest_.remove_prefix(1);
    if (rest_.empty() || !is_digit(rest_.front())) {
      return refuse(fmt::format("compares {} with neither a number nor a quoted text", name));
    }
    const std::string_view digits = take_word();
    const std::string_view text = begin.substr(0, digits.size() + (negative ? 1 : 0));
    const Number number = to_number(text);
    if (!number.valid) return refuse(fmt::format("has {}, which is no number of 64 bits", text));
    if (auto status = check_field(field, operation, compares && number.magnitude == 0); !status)
      return status;
    return check_number(field, number, text);
  }

  std::unexpected<Error> unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto* fields : {&format_.fields, &format_.common}) {
      for (const FieldFormat& field : *fields) names.push_back(field.name);
    }
    const auto nearest = nearest_names(name, names);
    const std::string more = nearest.empty()
                                 ? fmt::format("; `netperfctl events {}` shows those it has", event_.name)
                                 : nearest_clause(nearest);
    return refuse(fmt::format("names a field {} that the event does not have{}", name, more));
  }

  // `with_zero`: the field is only compared with 0, which reveals no address.
  Status check_field(const FieldFormat* field, std::string_view operation, bool with_zero) const {
    if (field == nullptr || field->name.starts_with("common_")) return {};
    if (field->kind != FieldKind::number) {
      if (field->is_text) return {};
      return refuse(fmt::format("names {}, which is neither a number nor a text", field->name));
    }
    const bool pointer =
        field->type.ends_with('*') || field->look == FieldLook::address || field->look == FieldLook::symbol;
    const bool wide = field->size >= sizeof(std::uint64_t);
    const bool hex = wide && field->look == FieldLook::hex;
    // A 64-bit field shown as a number may still contain an address, which could be found from its single
    // bits.
    const bool bits = wide && field->look == FieldLook::plain && operation == "&";
    if (with_zero || (!pointer && !hex && !bits)) return {};
    if (bits) {
      return refuse(
          fmt::format("tests bits of {}, a number of 64 bits that may be a kernel address", field->name));
    }
    return refuse(
        fmt::format("names {}, which {} a kernel address: a filter could find it out; only == 0 and != 0 "
                    "are taken",
                    field->name, pointer ? "is" : "may be"));
  }

  Status check_number(const FieldFormat* field, const Number& number, std::string_view text) const {
    const bool narrow = field != nullptr && field->is_signed && field->size < sizeof(std::uint64_t);
    const std::uint64_t most =
        !number.negative ? kFirstDoubtful - 1 : (narrow ? kMaxNegative : kMaxErrorNumber);
    if (number.magnitude <= most) return {};
    return refuse(fmt::format("has {}, which is as large as kernel addresses are; numbers are taken {}", text,
                              number.negative ? "down to -4095" : "below 2^40"));
  }

  const EventSpec& event_;
  const EventFormat& format_;
  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

Status check_filter(const EventSpec& event, const EventFormat& format) {
  if (event.filter.empty()) return {};
  return FilterReader(event, format).run();
}

Status check_filter(const EventSpec& event, Tracefs& tracefs, const std::string& directory) {
  if (event.filter.empty()) return {};
  const auto text = tracefs.read(directory + "/format");
  if (!text) return std::unexpected(text.error());
  const auto format = parse_event_format(*text);
  if (!format) {
    return fail(ErrorKind::unsupported,
                fmt::format("{}: no filter is taken, as its format cannot be read: {}", event.name,
                            format.error().message));
  }
  return check_filter(event, *format);
}

std::string newest_error(const std::string& error_log) {
  //   [13248.485557] event filter parse error: error: Field not found
  //     Command: nosuch > 10
  //              ^
  std::string_view log = error_log;
  while (log.ends_with('\n')) log.remove_suffix(1);
  while (log.starts_with('\n')) log.remove_prefix(1);
  const auto last = log.rfind("\n[");
  std::string entry(last == std::string_view::npos ? log : log.substr(last + 1));
  if (const auto time = entry.find("] "); entry.starts_with('[') && time != std::string::npos) {
    entry.erase(0, time + 2);
  }
  return entry;
}

}  // namespace netperfd::trace
