// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/event_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>

#include "daemon/model/text.hpp"
#include "daemon/trace/ring/print_format.hpp"
#include "daemon/trace/ring/trim.hpp"

namespace netperfd::trace {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text = trim(text.substr(prefix.size()));
  return true;
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_identifier_part(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The size of one element, unless the format says otherwise; 1 for an unknown type, which is then shown byte
// by byte.
std::uint32_t size_of_type(std::string_view type, std::uint32_t long_size) {
  struct Known {
    std::string_view name;
    std::uint32_t size;
  };
  constexpr std::array<Known, 26> kTypes{{{"u16", 2},
                                          {"__u16", 2},
                                          {"s16", 2},
                                          {"__be16", 2},
                                          {"__le16", 2},
                                          {"uint16_t", 2},
                                          {"int16_t", 2},
                                          {"short", 2},
                                          {"unsigned short", 2},
                                          {"u32", 4},
                                          {"__u32", 4},
                                          {"s32", 4},
                                          {"__be32", 4},
                                          {"__le32", 4},
                                          {"uint32_t", 4},
                                          {"int32_t", 4},
                                          {"int", 4},
                                          {"unsigned int", 4},
                                          {"unsigned", 4},
                                          {"pid_t", 4},
                                          {"u64", 8},
                                          {"__u64", 8},
                                          {"s64", 8},
                                          {"uint64_t", 8},
                                          {"int64_t", 8},
                                          {"unsigned long long", 8}}};
  if (type.ends_with('*') || type == "long" || type == "unsigned long" || type == "cpumask_t") {
    return long_size;
  }
  const auto* const known = std::ranges::find(kTypes, type, &Known::name);
  return known == kTypes.end() ? 1 : known->size;
}

// Field names, and the names of values in the print format, become text in the record.
bool is_printable_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\t\n"), text.size());
    if (!is_printable(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// Limit for one event: the kernel's have a few dozen at most, a probe's 128.
constexpr std::size_t kMostFields = 256;

// Offset, size and sign, which follow the declaration.
struct Place {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  bool is_signed = false;
};

std::optional<Place> place_of(std::string_view text) {
  Place place;
  bool has_offset = false;
  bool has_size = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    std::string_view item = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::optional<std::uint32_t> value;
    if (take_prefix(item, "offset:")) {
      value = number_of(item);
      place.offset = value.value_or(0);
      has_offset = true;
    } else if (take_prefix(item, "size:")) {
      value = number_of(item);
      place.size = value.value_or(0);
      has_size = true;
    } else if (take_prefix(item, "signed:")) {
      value = number_of(item);
      place.is_signed = value.value_or(0) != 0;
    } else {
      continue;
    }
    if (!value) return std::nullopt;
  }
  if (!has_offset || !has_size) return std::nullopt;
  return place;
}

void set_array(FieldFormat& field, std::string_view element, std::optional<std::uint32_t> count,
               std::uint32_t long_size) {
  field.is_text = element == "char";
  field.kind = field.is_text ? FieldKind::text : FieldKind::array;
  field.element_size = size_of_type(element, long_size);
  if (count && *count > 0 && field.size > 0 && field.size % *count == 0)
    field.element_size = field.size / *count;
}

void set_kind(FieldFormat& field, std::string_view type, std::string_view brackets, std::uint32_t long_size) {
  const bool relative = take_prefix(type, "__rel_loc ");
  if (relative || take_prefix(type, "__data_loc ")) {
    take_prefix(type, "const ");
    if (type.ends_with("[]")) type = trim(type.substr(0, type.size() - 2));
    field.kind = relative ? FieldKind::rel_loc : FieldKind::data_loc;
    field.is_text = type == "char";
    field.element_size = size_of_type(type, long_size);
    if (type == "cpumask_t") field.look = FieldLook::bitmask;
    return;
  }
  take_prefix(type, "const ");
  if (!brackets.empty()) {
    set_array(field, type, number_of(trim(brackets.substr(1, brackets.size() - 2))), long_size);
  } else if (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8) {
    field.kind = FieldKind::array;  // a struct: shown as bytes
    field.element_size = 1;
  }
}

// "unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;"
std::optional<FieldFormat> parse_field(std::string_view text, std::uint32_t long_size) {
  const std::size_t end = text.find(';');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view declaration = trim(text.substr(0, end));
  const std::optional<Place> place = place_of(text.substr(end + 1));
  if (!place) return std::nullopt;

  std::string_view brackets;
  if (declaration.ends_with(']')) {
    const std::size_t open = declaration.rfind('[');
    if (open == std::string_view::npos) return std::nullopt;
    brackets = declaration.substr(open);
    declaration = trim(declaration.substr(0, open));
  }
  std::size_t begin = declaration.size();
  while (begin > 0 && is_identifier_part(declaration[begin - 1])) --begin;
  const std::string_view type = trim(declaration.substr(0, begin));
  if (begin == declaration.size() || type.empty()) return std::nullopt;

  FieldFormat field;
  field.name = declaration.substr(begin);
  field.type = fmt::format("{}{}", type, brackets);
  field.offset = place->offset;
  field.size = place->size;
  field.is_signed = place->is_signed;
  set_kind(field, type, brackets, long_size);
  return field;
}

// The bytes of a dynamic field.
std::span<const std::byte> located(std::span<const std::byte> record, const FieldFormat& field) {
  const std::size_t end = std::size_t{field.offset} + 4;
  if (end > record.size()) return {};
  std::uint32_t word = 0;
  std::memcpy(&word, record.data() + field.offset, sizeof word);
  const std::size_t size = word >> 16U;
  const std::size_t offset = (word & 0xFFFFU) + (field.kind == FieldKind::rel_loc ? end : 0);
  if (offset > record.size() || size > record.size() - offset) return {};
  return record.subspan(offset, size);
}

template <class Unsigned, class Signed>
std::uint64_t load(const std::byte* from, bool is_signed) {
  Unsigned value;
  std::memcpy(&value, from, sizeof value);
  if (!is_signed) return value;
  return static_cast<std::uint64_t>(std::int64_t{static_cast<Signed>(value)});
}

}  // namespace

const FieldFormat* EventFormat::field(std::string_view wanted) const {
  for (const auto* list : {&fields, &common}) {
    for (const FieldFormat& candidate : *list) {
      if (candidate.name == wanted) return &candidate;
    }
  }
  return nullptr;
}

Result<EventFormat> parse_event_format(std::string_view text, std::uint32_t long_size) {
  EventFormat format;
  bool has_id = false;
  bool common = true;  // until the empty line after the first fields
  std::size_t line_number = 0;
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorKind::invalid_argument, fmt::format("event format, line {}: {}", line_number, what));
  };
  if (!is_printable_text(text)) return wrong("the text has characters that are not printable");
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    if (line.starts_with("print fmt:")) {  // the last part; it may contain line breaks
      line = text;
      take_prefix(line, "print fmt:");
      format.print = line;
      break;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      if (!format.common.empty()) common = false;
    } else if (take_prefix(line, "name:")) {
      format.name = line;
    } else if (take_prefix(line, "ID:")) {
      const auto id = number_of(line);
      if (!id) return wrong("the ID is no number");
      format.id = *id;
      has_id = true;
    } else if (take_prefix(line, "field:")) {
      std::optional<FieldFormat> field = parse_field(line, long_size);
      if (!field) return wrong(fmt::format("\"{}\" is no field", line));
      if (format.common.size() + format.fields.size() == kMostFields)
        return wrong("these are too many fields");
      (common ? format.common : format.fields).push_back(*std::move(field));
    } else if (line != "format:") {
      return wrong(fmt::format("\"{}\" is neither name, ID nor field", line));
    }
  }
  if (format.name.empty() || !has_id) return wrong("the file ends without a name and an ID");
  apply_print_format(format);
  return format;
}

FieldNumber read_number(std::span<const std::byte> record, const FieldFormat& field) {
  if (std::size_t{field.offset} + field.size > record.size()) return {};
  const std::byte* const from = record.data() + field.offset;
  switch (field.size) {
    case 1:
      return {load<std::uint8_t, std::int8_t>(from, field.is_signed), true};
    case 2:
      return {load<std::uint16_t, std::int16_t>(from, field.is_signed), true};
    case 4:
      return {load<std::uint32_t, std::int32_t>(from, field.is_signed), true};
    case 8:
      return {load<std::uint64_t, std::int64_t>(from, field.is_signed), true};
    default:
      return {};
  }
}

std::span<const std::byte> read_bytes(std::span<const std::byte> record, const FieldFormat& field) {
  if (field.kind == FieldKind::data_loc || field.kind == FieldKind::rel_loc) return located(record, field);
  const std::size_t end = std::size_t{field.offset} + field.size;
  if (end > record.size()) return {};
  if (field.size == 0) return record.subspan(field.offset);  // char buf[]: the rest
  return record.subspan(field.offset, field.size);
}

}  // namespace netperfd::trace
