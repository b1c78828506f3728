// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/digested_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

namespace netperfd::analysis {
namespace {

constexpr std::string_view kBetween = ", ", kOf = " of ";

// "2 of pfifo options 2259d71c"; without the count if the device has one queueing discipline.
struct QueueWords {
  std::string_view count, kind, options;
};

QueueWords queue_words(std::string_view text) {
  QueueWords part;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0 && text.substr(digits).starts_with(kOf)) {
    part.count = text.substr(0, digits + kOf.size());
    text.remove_prefix(part.count.size());
  }
  const std::size_t end = std::min(text.find(' '), text.size());
  part.kind = text.substr(0, end);
  part.options = text.substr(std::min(end + 1, text.size()));
  return part;
}

std::vector<QueueWords> queues_of(std::string_view value) {
  std::vector<QueueWords> parts;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(kBetween), value.size());
    parts.push_back(queue_words(value.substr(0, end)));
    value.remove_prefix(std::min(end + kBetween.size(), value.size()));
  }
  return parts;
}

bool is_digest(std::string_view options) {
  constexpr std::string_view kWord = "options ";
  constexpr std::size_t kDigits = 8;
  return options.starts_with(kWord) && options.size() == kWord.size() + kDigits &&
         options.find_first_not_of("0123456789abcdef", kWord.size()) == std::string_view::npos;
}

}  // namespace

void OptionKinds::add(std::string_view value) {
  for (const QueueWords& part : queues_of(value)) {
    if (!part.options.empty()) (is_digest(part.options) ? digested : in_words).emplace(part.kind);
  }
}

std::set<std::string, std::less<>> OptionKinds::both() const {
  std::set<std::string, std::less<>> kinds;
  std::ranges::set_intersection(digested, in_words, std::inserter(kinds, kinds.end()));
  return kinds;
}

std::string without_options(std::string_view value, const std::set<std::string, std::less<>>& kinds) {
  std::vector<std::string> texts;
  for (const QueueWords& part : queues_of(value)) {
    const bool left_out = part.options.empty() || kinds.contains(part.kind);
    texts.push_back(left_out ? fmt::format("{}{}", part.count, part.kind)
                             : fmt::format("{}{} {}", part.count, part.kind, part.options));
  }
  // They were in the order of their options.
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, kBetween));
}

}  // namespace netperfd::analysis
