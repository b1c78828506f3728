// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/large.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace netperfd::bus_fuzz {
namespace {

using Text = std::string_view;

// The bus takes 64 containers within each other, and 32 arrays and 32 structs of one signature.
constexpr std::size_t kDeepest = 60;
constexpr std::size_t kDeepestOfSignature = 32;

// For methods without an argument that can be large: of wrong types, or more than they take.
constexpr std::array<Text, 9> kOthers{"a{sv}", "aa{sv}", "as", "at", "ay", "s", "v", "aav", "a(tst)"};

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(fmt::format("sd-bus: {}: errno {}", what, -result));
}

bool can_be_large(Text type) {
  return (type.front() == 'a' && type.find('h') == Text::npos) || type == "s" || type == "v";
}

void open(sd_bus_message* message, char type, const std::string& contents) {
  must(sd_bus_message_open_container(message, type, contents.c_str()), "open a container");
}

void close(sd_bus_message* message) {
  must(sd_bus_message_close_container(message), "close a container");
}

// Of the lists that are no options; the values hardly matter.
void append_element(sd_bus_message* message, Text type, std::uint64_t number) {
  switch (type.front()) {
    case 's':
      return must(sd_bus_message_append_basic(message, 's', fmt::format("{}", number).c_str()), "append");
    case 'v':
      return must(sd_bus_message_append(message, "v", "t", number), "append a variant");
    case 'a':
      open(message, 'a', std::string{type.substr(1)});
      append_element(message, type.substr(1), number);
      return close(message);
    case '{': {  // of options
      const std::string key = fmt::format("key {}", number);
      return must(sd_bus_message_append(message, "{sv}", key.c_str(), "t", number), "append an entry");
    }
    case '(':
      return must(sd_bus_message_append(message, "(tst)", number, "", number), "append a struct");
    default:
      return must(sd_bus_message_append_basic(message, type.front(), &number), "append a number");
  }
}

}  // namespace

std::string Large::append(sd_bus_message* message, Text signature) {
  std::vector<Text> types;
  std::vector<std::size_t> growable;
  for (Text rest = signature; !rest.empty(); rest.remove_prefix(types.back().size())) {
    types.push_back(rest.substr(0, length_of_first(rest)));
    if (can_be_large(types.back())) growable.push_back(types.size() - 1);
  }
  if (growable.empty() || random_.happens(10)) {
    return "of wrong types, with " + append_large(message, random_.one_of(std::span<const Text>(kOthers)));
  }
  const std::size_t chosen = random_.one_of(std::span<const std::size_t>(growable));
  std::string what;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i == chosen) {
      what = append_large(message, types[i]);
    } else {
      (void)values_.append(message, types[i]);
    }
  }
  return "with " + what;
}

std::string Large::append_large(sd_bus_message* message, Text type) {
  if (type == "v") return append_deep(message);
  if (type == "a{sv}") return append_options(message);
  if (type.front() == 'a') return append_list(message, type.substr(1));
  const std::string text = long_text();
  must(sd_bus_message_append_basic(message, 's', text.c_str()), "append a text");
  return fmt::format("a text of {} bytes", text.size());
}

// Of letters, of characters with several bytes, or of lines.
std::string Large::long_text() {
  constexpr std::array<Text, 4> kParts{"x", "\xE2\x82\xAC", "name: x\n", "[{"};
  const Text part = random_.one_of(std::span<const Text>(kParts));
  const std::size_t size = random_.size(kMostBytes);
  std::string text;
  text.reserve(size + part.size());
  while (text.size() < size) text += part;
  return text;
}

std::string Large::append_options(sd_bus_message* message) {
  if (random_.happens(2)) {
    const std::size_t entries = random_.size(kMostEntries);
    return append_many_options(message, entries, random_.happens(3));
  }
  // One that is known, and much too large.
  const auto [key, type] = values_.option();
  open(message, 'a', "{sv}");
  open(message, 'e', "sv");
  must(sd_bus_message_append_basic(message, 's', key.c_str()), "append a key");
  std::string what;
  if (can_be_large(type)) {
    open(message, 'v', type);
    what = append_large(message, type);
    close(message);
  } else {
    what = append_deep(message);
  }
  close(message);
  close(message);
  return fmt::format("the option {}: {}", key, what);
}

std::string Large::append_many_options(sd_bus_message* message, std::size_t entries, bool is_same) {
  const std::string known = values_.option().first;
  open(message, 'a', "{sv}");
  for (std::size_t i = 0; i < entries; ++i) {
    const std::string key = is_same ? known : fmt::format("{}{}", known, i);
    must(sd_bus_message_append(message, "{sv}", key.c_str(), "s", "value"), "append an entry");
  }
  close(message);
  return fmt::format("{} options {}", entries, is_same ? "of one name" : "of different names");
}

std::string Large::append_list(sd_bus_message* message, Text element) {
  const bool is_plain = element == "t" || element == "d" || element == "y";
  const std::size_t items = random_.size(is_plain ? kMostBytes / sizeof(std::uint64_t) : kMostEntries);
  open(message, 'a', std::string{element});
  for (std::size_t i = 0; i < items; ++i) append_element(message, element, i);
  close(message);
  return fmt::format("{} elements of {}", items, element);
}

std::string Large::append_deep(sd_bus_message* message) {
  constexpr std::array<Text, 3> kKinds{"variants", "arrays", "structs"};
  const Text kind = random_.one_of(std::span<const Text>(kKinds));
  // Within options, there are three more.
  const std::size_t depth = random_.happens(2) ? kDeepest - 4 : 1 + random_.below(kDeepest - 4);
  std::vector<std::string> contents;  // of the containers from the inside
  std::string type = "y";
  const std::size_t of_signature = kind == "variants" ? 0 : std::min(depth, kDeepestOfSignature);
  for (std::size_t i = 0; i < of_signature; ++i) {
    contents.push_back(type);
    type = kind == "arrays" ? "a" + type : "(" + type + ")";
  }
  const std::size_t variants = std::max<std::size_t>(depth - of_signature, 1);
  for (std::size_t i = 1; i < variants; ++i) open(message, 'v', "v");
  open(message, 'v', type);
  for (auto each = contents.rbegin(); each != contents.rend(); ++each) {
    open(message, kind == "arrays" ? 'a' : 'r', *each);
  }
  const std::uint8_t value = 7;
  must(sd_bus_message_append_basic(message, 'y', &value), "append a byte");
  for (std::size_t i = 0; i < of_signature + variants; ++i) close(message);
  return fmt::format("{} {} within {} variants", of_signature, kind, variants);
}

}  // namespace netperfd::bus_fuzz
