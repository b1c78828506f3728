// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/caveats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace netperfd::analysis {
namespace {

// "sent" is no word of "present".
bool has_word(std::string_view sentence, std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '.' || c == '_'; };
  for (auto at = sentence.find(word); at != std::string_view::npos; at = sentence.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(sentence[at - 1]);
    if (begins && (end == sentence.size() || !is_letter(sentence[end]))) return true;
  }
  return false;
}

}  // namespace

void Caveats::add(Gravity gravity, const std::string& sentence) {
  if (!has(sentence)) caveats_.emplace_back(gravity, sentence);
}

bool Caveats::has(const std::string& sentence) const {
  return std::ranges::find(caveats_, sentence, &std::pair<Gravity, std::string>::second) != caveats_.end();
}

void Caveats::add_of_figures(const std::vector<std::pair<std::string, Caveats>>& figures) {
  for (const auto& [name, of_figure] : figures) {
    for (const auto& [gravity, sentence] : of_figure.caveats_) {
      const bool of_all =
          std::ranges::all_of(figures, [&sentence](const auto& other) { return other.second.has(sentence); });
      add(gravity, of_all || has_word(sentence, name) ? sentence : fmt::format("{}: {}", name, sentence));
    }
  }
}

void Caveats::add_beside(const std::vector<std::pair<std::string, Caveats>>& figures, const std::string& name,
                         const Caveats& beside) {
  for (const auto& [gravity, sentence] : beside.caveats_) {
    const bool known =
        std::ranges::any_of(figures, [&sentence](const auto& figure) { return figure.second.has(sentence); });
    if (known) continue;
    add(std::max(gravity, Gravity::weakens),
        has_word(sentence, name) ? sentence : fmt::format("{}: {}", name, sentence));
  }
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
