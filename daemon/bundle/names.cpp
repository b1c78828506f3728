// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/names.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <netinet/in.h>
#include <algorithm>
#include <cctype>
#include <cstddef>

namespace netperfd::bundle {
namespace {

// Shorter ones are parts of many words and tell nothing.
constexpr std::size_t kShortest = 2;

bool is_word_sign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_space_or_sign(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || std::string_view{"\"'`<>(){}[],;=|"}.contains(c);
}

// The longest beginning of `text` that is an IPv4, an IPv6 or a MAC address; 0 if there is none.
std::size_t address_at(std::string_view text) {
  const auto* const end = std::ranges::find_if_not(
      text, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':'; });
  for (auto size = static_cast<std::size_t>(end - text.begin()); size > 0; --size) {
    if (size < text.size() && is_word_sign(text[size])) continue;
    const std::string candidate{text.substr(0, size)};
    in6_addr parsed{};
    if (::inet_pton(AF_INET, candidate.c_str(), &parsed) == 1) return size;
    if (candidate != "::" && ::inet_pton(AF_INET6, candidate.c_str(), &parsed) == 1) return size;
    constexpr std::size_t kMac = 17;
    const auto is_mac = [&] {
      for (std::size_t i = 0; i < kMac; ++i) {
        if ((candidate[i] == ':') != (i % 3 == 2) || candidate[i] == '.') return false;
      }
      return true;
    };
    if (size == kMac && is_mac()) return size;
  }
  return 0;
}

// An absolute path at the beginning of `text`, but not / alone.
std::size_t path_at(std::string_view text) {
  if (text.size() < 2 || text[0] != '/' || !(is_word_sign(text[1]) || text[1] == '.')) return 0;
  auto size = static_cast<std::size_t>(std::ranges::find_if(text, is_space_or_sign) - text.begin());
  // The end of a clause is none of the path.
  while (size > 1 && std::string_view{".:!?"}.contains(text[size - 1])) --size;
  return size;
}

}  // namespace

std::string Names::word_of(std::string_view kind, const std::string& name) {
  const auto known = words_.find(name);
  if (known != words_.end()) return known->second;
  auto count = counts_.find(kind);
  if (count == counts_.end()) count = counts_.emplace(kind, 0).first;
  std::string word = fmt::format("{}-{}", kind, ++count->second);
  words_.emplace(name, word);
  return word;
}

std::string Names::replace(std::string_view kind, const std::string& name) {
  return name.empty() ? name : word_of(kind, name);
}

std::string Names::replace_all(std::string_view text) {
  std::string result;
  bool at_word = true;   // whether a word may begin here,
  bool at_value = true;  // and a path
  while (!text.empty()) {
    std::size_t size = 0;
    std::string word;
    if (at_word) {
      // The longest name that is here as a word.
      for (const auto& [name, placeholder] : words_) {
        const bool here = name.size() >= kShortest && name.size() > size && text.starts_with(name);
        if (!here ||
            (name.size() < text.size() && is_word_sign(name.back()) && is_word_sign(text[name.size()])))
          continue;
        size = name.size();
        word = placeholder;
      }
      if (const std::size_t address = address_at(text); address > size) {
        size = address;
        word = word_of("address", std::string{text.substr(0, size)});
      }
    }
    if (const std::size_t path = at_value ? path_at(text) : 0; path > size) {
      size = path;
      word = word_of("path", std::string{text.substr(0, size)});
    }
    const char last = text[size == 0 ? 0 : size - 1];
    if (size == 0) {
      result += text.front();
      size = 1;
    } else {
      result += word;
    }
    at_word = !is_word_sign(last);
    at_value = is_space_or_sign(last) || last == ':' || last == '@';
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace netperfd::bundle
