// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::workload {

using keys::YamlEntry;
using keys::YamlNode;

namespace {

constexpr std::size_t kMostParameters = 16;
constexpr std::size_t kMostWords = 64;
constexpr std::size_t kLongestName = 32;
constexpr std::size_t kLongestWord = 256;
constexpr const char* kExpected =
    "a mapping of names to {value, from, to} or {value, words}, like {size: {value: 64, from: 64, to: 9000}}";

std::string braced(const CommandParameter& parameter) {
  return fmt::format("{{{}}}", parameter.name);
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  // 010 would be 8 to some programs and 10 to others.
  return whole && std::to_string(value) == text ? std::optional(value) : std::nullopt;
}

std::optional<std::string> read_words(const YamlNode& node, std::vector<std::string>& words) {
  if (node.items.empty() || node.items.size() > kMostWords)
    return keys::not_what(node, fmt::format("a list of 1 to {} words", kMostWords));
  for (const YamlNode& item : node.items) {
    auto word = item.kind == YamlNode::Kind::scalar ? keys::parse_text(item) : std::nullopt;
    if (!word || word->empty() || word->size() > kLongestWord)
      return keys::not_what(item, fmt::format("a word of 1 to {} bytes", kLongestWord));
    words.push_back(std::move(*word));
  }
  return std::nullopt;
}

std::optional<std::string> read_part(const YamlEntry& part, CommandParameter& parameter) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const auto read_number = [&part](std::optional<std::uint64_t>& number) -> std::optional<std::string> {
    if (part.value.kind == YamlNode::Kind::scalar) number = keys::parse_number(part.value, 0, kMost);
    if (number) return std::nullopt;
    return keys::not_what(part.value, "a whole number");
  };
  if (part.key == "from") return read_number(parameter.from);
  if (part.key == "to") return read_number(parameter.to);
  if (part.key == "words") return read_words(part.value, parameter.words);
  if (part.key != "value") return std::string("no such key; there are value, from, to and words");
  auto value = part.value.kind == YamlNode::Kind::scalar ? keys::parse_text(part.value) : std::nullopt;
  if (!value) return keys::not_what(part.value, "a number or a word");
  parameter.value = std::move(*value);
  return std::nullopt;
}

std::optional<std::string> read_parameter(const YamlEntry& entry, CommandParameter& parameter) {
  parameter.name = entry.key;
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (!is_word(entry.key, "_", kLongestName) || std::ranges::any_of(entry.key, is_upper)) {
    return fmt::format("{} is no name of a parameter: small letters, digits and '_', at most {}",
                       in_quotes(entry.key), kLongestName);
  }
  if (entry.value.kind != YamlNode::Kind::mapping)
    return fmt::format("{}: {}", entry.key,
                       keys::not_what(entry.value, "{value, from, to} or {value, words}"));
  for (const YamlEntry& part : entry.value.entries) {
    if (const auto wrong = read_part(part, parameter))
      return fmt::format("{}: {}: {}", entry.key, in_quotes(part.key), *wrong);
  }
  const bool number = parameter.from && parameter.to && parameter.words.empty();
  const bool word = !parameter.from && !parameter.to && !parameter.words.empty();
  if (!number && !word) return fmt::format("{}: expected are `from` and `to`, or `words`", entry.key);
  if (number && *parameter.from > *parameter.to)
    return fmt::format("{}: {} to {} has no number", entry.key, *parameter.from, *parameter.to);
  return std::nullopt;
}

}  // namespace

keys::Reader read_parameters(std::vector<CommandParameter>& out) {
  return [&out](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind != YamlNode::Kind::mapping) return keys::not_what(node, kExpected);
    if (node.entries.size() > kMostParameters) {
      return fmt::format("has {} parameters; at most {} are possible", node.entries.size(), kMostParameters);
    }
    for (const YamlEntry& entry : node.entries) {
      if (auto wrong = read_parameter(entry, out.emplace_back())) return wrong;
    }
    return std::nullopt;
  };
}

bool uses(const std::string& word, const CommandParameter& parameter) {
  return word.contains(braced(parameter));
}

// One walk over the word: a value that looks like a parameter stays as it is.
std::string with_parameters(const std::string& word, const std::vector<CommandParameter>& parameters) {
  std::string whole;
  for (std::size_t i = 0; i < word.size();) {
    const auto here = std::ranges::find_if(parameters, [&](const CommandParameter& parameter) {
      return word.compare(i, braced(parameter).size(), braced(parameter)) == 0;
    });
    if (here == parameters.end()) {
      whole += word[i++];
    } else {
      whole += here->value;
      i += braced(*here).size();
    }
  }
  return whole;
}

std::string wrong_value(const CommandParameter& parameter) {
  if (parameter.from && parameter.to) {
    const auto number = number_of(parameter.value);
    if (number && *number >= *parameter.from && *number <= *parameter.to) return {};
    return fmt::format("{} is not a whole number from {} to {}", in_quotes(parameter.value), *parameter.from,
                       *parameter.to);
  }
  if (std::ranges::find(parameter.words, parameter.value) != parameter.words.end()) return {};
  return fmt::format("{} is not one of {}", in_quotes(parameter.value), fmt::join(parameter.words, ", "));
}

}  // namespace netperfd::workload
