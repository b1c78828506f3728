// SPDX-License-Identifier: GPL-2.0-or-later
// What only the text of a stored job tells. It is as config::emit_yaml() wrote it: a key stands at the
// beginning of a line, and keys below it are indented by two spaces.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/store/store_parts.hpp"

namespace netperfd::store {
namespace {

// Removes it from `text`.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::optional<std::uint32_t> most_of_until(std::string_view text) {
  constexpr std::string_view kMost = "  most: ";
  bool within = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.starts_with(' ')) within = line == "until:";
    if (!within || !line.starts_with(kMost)) continue;
    std::uint32_t most = 0;
    const auto [end, error] = std::from_chars(line.data() + kMost.size(), line.data() + line.size(), most);
    if (error == std::errc{} && end == line.data() + line.size()) return most;
  }
  return std::nullopt;
}

// The seed only orders the runs.
std::string test_in(std::string_view text) {
  constexpr std::array<std::string_view, 4> kKeys{"workload", "with", "design", "sweep"};
  constexpr std::string_view kSeed = "  seed: ";
  std::string test;
  bool within = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.empty() && !line.starts_with(' '))
      within = std::ranges::find(kKeys, line.substr(0, line.find(':'))) != kKeys.end();
    if (within && !line.starts_with(kSeed)) test.append(line).append("\n");
  }
  return test;
}

// Empty if there is no such job.
Result<std::string> text_of(Connection& connection, JobId job) {
  auto select = connection.prepare("SELECT text FROM jobs WHERE id = ?");
  if (!select) return std::unexpected(select.error());
  std::string text;
  auto done = for_each_row(select->bind(job), [&](RowReader& row) { row.read(text); });
  if (done) done = expect_intact(connection, of_job(job), {"jobs"});
  if (!done) return std::unexpected(std::move(done.error()));
  return text;
}

}  // namespace

Result<std::optional<std::uint32_t>> SqliteStore::until_of_job(JobId job) {
  const auto text = text_of(parts_->database->connection(), job);
  if (!text) return std::unexpected(text.error());
  return most_of_until(*text);
}

Result<std::string> SqliteStore::test_of_job(JobId job) {
  const auto text = text_of(parts_->database->connection(), job);
  if (!text) return std::unexpected(text.error());
  return test_in(*text);
}

}  // namespace netperfd::store
