#include "daemon/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "daemon/model/text.hpp"

namespace netperfd::config {
namespace {

std::string join(std::string_view mapping, std::string_view key) {
  return mapping.empty() ? std::string(key) : fmt::format("{}.{}", mapping, key);
}

std::string_view last_word(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

bool stands_in(std::string_view path, std::string_view mapping) {
  return path == join(mapping, last_word(path));
}

// The full path of the key that was likely meant: misspelt here, or right but of another mapping.
std::optional<std::string> meant(std::string_view mapping, std::string_view word, std::span<const Key> keys) {
  std::vector<std::string_view> siblings;
  for (const Key& key : keys) {
    if (stands_in(key.path, mapping)) siblings.push_back(last_word(key.path));
  }
  if (const auto sibling = nearest(word, siblings)) return join(mapping, *sibling);
  for (const Key& key : keys) {
    if (last_word(key.path) == word) return std::string(key.path);
  }
  return std::nullopt;
}

void refuse_unknown(const YamlEntry& entry, std::string_view mapping, std::span<const Key> keys,
                    Complaints& complaints) {
  const std::string escaped = in_quotes(entry.key);
  const bool plain = escaped.size() == entry.key.size() + 2;
  const std::string path = join(mapping, plain ? entry.key : escaped);
  std::string message = "no such key";
  if (const auto other = meant(mapping, entry.key, keys)) {
    message += fmt::format("; did you mean `{}`?", stands_in(*other, mapping) ? last_word(*other) : *other);
    complaints.silence(*other);
  }
  complaints.add(entry.place, path, std::move(message));
}

// `place` is where a key that is missing from `mapping` is complained about.
void read_mapping(const YamlNode& node, const Place& place, std::string_view mapping,
                  std::span<const Key> keys, Complaints& complaints) {
  if (node.kind != YamlNode::Kind::mapping) {
    return complaints.add(node.place, std::string(mapping),
                          not_what(node, "a mapping (keys with values, indented)"));
  }
  for (const YamlEntry& entry : node.entries) {
    const std::string path = join(mapping, entry.key);
    const auto key = std::ranges::find(keys, path, &Key::path);
    if (key == keys.end() || entry.key.contains('.')) {
      refuse_unknown(entry, mapping, keys, complaints);
    } else if (!key->read) {
      read_mapping(entry.value, entry.place, path, keys, complaints);
    } else if (auto wrong = key->read(entry.value)) {
      complaints.add(entry.value.place, path, std::move(*wrong));
    }
  }
  for (const Key& key : keys) {
    const bool missing =
        key.need == Need::required && stands_in(key.path, mapping) && !node.find(last_word(key.path));
    if (missing && !complaints.concern(key.path)) complaints.add(place, std::string(key.path), "is missing");
  }
}

}  // namespace

void read_keys(const YamlNode& root, std::span<const Key> keys, Complaints& complaints) {
  read_mapping(root, root.place, "", keys, complaints);
}

std::vector<std::string> values_of(std::span<const Key> keys) {
  std::vector<std::string> paths;
  for (const Key& key : keys) {
    if (key.read) paths.emplace_back(key.path);
  }
  return paths;
}

std::string not_what(const YamlNode& node, std::string_view expected) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return fmt::format("has no value; expected {}", expected);
    case YamlNode::Kind::list:
      return fmt::format("a list is not {}", expected);
    case YamlNode::Kind::mapping:
      return fmt::format("a mapping is not {}", expected);
    case YamlNode::Kind::scalar:
      break;
  }
  return fmt::format("{} is not {}", in_quotes(node.text), expected);
}

Reader text(std::string& out) {
  const auto parse = [](const YamlNode& node) -> std::optional<std::string> {
    std::string line = node.text;
    // Block scalars end in a line break that nobody means.
    while (line.ends_with('\n')) line.pop_back();
    return is_printable(line) ? std::optional(line) : std::nullopt;
  };
  return scalar(out, parse, "a text of one line");
}

Reader boolean(bool& out) {
  const auto parse = [](const YamlNode& node) -> std::optional<bool> {
    if (node.quoted || (node.text != "true" && node.text != "false")) return std::nullopt;
    return node.text == "true";
  };
  return scalar(out, parse, "true or false");
}

std::optional<std::uint64_t> parse_number(const YamlNode& node, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, value);
  const bool whole = error == std::errc() && rest == end && !node.quoted;
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::string number_expected(std::uint64_t least, std::uint64_t most) {
  return fmt::format("a whole number from {} to {}", least, most);
}

}  // namespace netperfd::config
