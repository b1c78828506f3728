// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/keys/complaints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::keys {
namespace {

// A D-Bus error carries all complaints, so a text full of mistakes must not make it long.
constexpr std::size_t kMaxLines = 100;
constexpr std::size_t kMaxOrigin = 4096;

// Whether `above` is `key`, or a mapping or list that contains it.
bool covers(std::string_view above, std::string_view key) {
  return key.starts_with(above) &&
         (key.size() == above.size() || key[above.size()] == '.' || key[above.size()] == '[');
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
  // The place, such as "--set workload.iperf3.streams", already names the key.
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

}  // namespace netperfd::keys
