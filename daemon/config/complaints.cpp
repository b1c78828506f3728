#include "daemon/config/complaints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::config {
namespace {

// A D-Bus error carries them all, so a text of nothing but mistakes must not make it long.
constexpr std::size_t kMaxLines = 100;
constexpr std::size_t kMaxQuoted = 60;
constexpr std::size_t kMaxOrigin = 4096;

// Whether `above` is `key`, or a mapping or list that it stands in.
bool covers(std::string_view above, std::string_view key) {
  return key.starts_with(above) &&
         (key.size() == above.size() || key[above.size()] == '.' || key[above.size()] == '[');
}

// Insertions, deletions, replacements and swaps of neighbours that make `a` into `b`.
std::size_t typing_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

Complaints::Complaints(std::string origin) : origin_(std::move(origin)) {
  if (origin_.empty() || origin_.size() > kMaxOrigin || !is_printable(origin_)) origin_ = "job";
}

void Complaints::add(const Place& place, std::string key, std::string message) {
  rows_.push_back({place, std::move(key), std::move(message)});
}

bool Complaints::concern(std::string_view key) const {
  return std::ranges::any_of(rows_,
                             [&](const Row& row) { return !row.key.empty() && covers(row.key, key); }) ||
         std::ranges::any_of(silenced_, [&](const std::string& mapping) { return covers(mapping, key); });
}

std::string Complaints::line(const Row& row) const {
  std::string text = row.place.option.empty()
                         ? fmt::format("{}:{}:{}: ", origin_, row.place.line, row.place.column)
                         : fmt::format("{}: ", row.place.option);
  // "--set workload.iperf3.streams" has said the key.
  const bool named = row.place.option.ends_with(" " + row.key) || row.place.option == "--" + row.key;
  if (!row.key.empty() && !named) text += row.key + ": ";
  return text + row.message;
}

Error Complaints::to_error() const {
  std::vector<Row> rows = rows_;
  std::ranges::stable_sort(rows, {}, [](const Row& row) {
    const bool in_text = row.place.option.empty();
    return std::tuple(!in_text, in_text ? row.place.line : 0, in_text ? row.place.column : 0);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxLines); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : "\n", line(rows[i]));
  }
  if (rows.size() > kMaxLines) text += fmt::format("\n{}: {} more errors", origin_, rows.size() - kMaxLines);
  return Error{ErrorKind::invalid_argument, std::move(text)};
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kMaxQuoted) return fmt::format("{:?}", text);
  std::size_t end = kMaxQuoted;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // not inside a UTF-8 character
  return fmt::format("{:?}...", text.substr(0, end));
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const auto candidate : candidates) {
    const std::size_t distance = typing_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace netperfd::config
