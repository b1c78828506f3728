// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/caveats.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace netperfd::analysis {

void Caveats::add(Gravity gravity, const std::string& sentence) {
  if (std::ranges::find(caveats_, sentence, &std::pair<Gravity, std::string>::second) != caveats_.end())
    return;
  caveats_.emplace_back(gravity, sentence);
}

std::vector<std::string> Caveats::sentences() const {
  auto sorted = caveats_;
  std::ranges::stable_sort(sorted, {}, &std::pair<Gravity, std::string>::first);
  std::vector<std::string> sentences;
  for (auto& [gravity, sentence] : sorted) sentences.push_back(std::move(sentence));
  return sentences;
}

std::string listed(const std::vector<std::string>& words, std::size_t most) {
  const std::size_t named = std::min(words.size(), most);
  std::string text = words.front();
  for (std::size_t i = 1; i < named; ++i) {
    text += (i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  if (named < words.size()) text += fmt::format(" and {} more", words.size() - named);
  return text;
}

std::string listed(const std::set<std::string>& words, std::size_t most) {
  return listed(std::vector<std::string>(words.begin(), words.end()), most);
}

}  // namespace netperfd::analysis
