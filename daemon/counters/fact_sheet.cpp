// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/fact_sheet.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <system_error>
#include <tuple>

#include "daemon/base/fd.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::counters {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{64} << 10;
constexpr std::string_view kBlanks = " \t\n";

// Errors of files that stand for something that this device or machine does not have.
bool does_not_apply(int error_number) {
  return error_number == ENOENT || error_number == ENODEV || error_number == ENOTDIR ||
         error_number == EINVAL || error_number == EOPNOTSUPP || error_number == ENXIO;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\t' || c == '\n') c = ' ';
  }
  if (!is_printable(line)) {
    std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, '?');
  }
  if (line.size() <= kMostValueBytes) return line;
  const std::string end = fmt::format("... (digest {:016x})", digest_of(text));
  std::size_t kept = kMostValueBytes - end.size();
  while (kept > 0 && !is_utf8(std::string_view(line).substr(0, kept))) --kept;
  return line.substr(0, kept) + end;
}

}  // namespace

std::expected<std::string, int> read_text(const std::string& path) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return std::unexpected(errno);
  std::string text;
  std::array<char, 4096> chunk{};
  while (text.size() < kMostFileBytes) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(errno);
    if (got == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  text.erase(text.find_last_not_of(kBlanks) + 1);
  text.erase(0, text.find_first_not_of(kBlanks));
  return text;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), &::closedir);
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string link_target(const std::string& path) {
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0) return {};
  const std::string_view text(target.data(), static_cast<std::size_t>(size));
  return std::string(text.substr(text.find_last_of('/') + 1));
}

std::string collapsed(const std::vector<std::pair<std::string, std::string>>& values) {
  std::map<std::string, std::vector<std::string>> by_value;
  for (const auto& [part, value] : values) by_value[value].push_back(part);
  if (by_value.empty()) return {};
  if (by_value.size() == 1) return by_value.begin()->first;
  std::vector<std::string> texts;
  for (const auto& [value, parts] : by_value)
    texts.push_back(fmt::format("{} ({})", value, fmt::join(parts, " ")));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::uint64_t digest_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

void FactSheet::add(std::string_view group, std::string_view key, std::string_view value) {
  found_.facts.push_back({std::string(group), one_line(key), one_line(value)});
}

bool FactSheet::add_file(std::string_view group, std::string_view key, const std::string& path) {
  const auto text = read_text(path);
  if (text) {
    add(group, key, *text);
  } else if (!does_not_apply(text.error())) {
    add_unknown(group, key, text.error());
  }
  return text.has_value();
}

void FactSheet::add_unknown(std::string_view clause) {
  found_.unknown.push_back(one_line(clause));
}

void FactSheet::add_unknown(std::string_view group, std::string_view what, int error_number) {
  add_unknown(fmt::format("{}: {}: {}", group, what, std::generic_category().message(error_number)));
}

// Each group that loses a fact becomes partly unknown.
void FactSheet::leave_out_from(std::size_t kept) {
  for (std::size_t i = kept; i < found_.facts.size(); ++i) {
    if (i > kept && found_.facts[i].group == found_.facts[i - 1].group) continue;
    add_unknown(
        fmt::format("{}: there are more facts than {}, the most that are kept", found_.facts[i].group, kept));
  }
  found_.facts.resize(kept);
}

Fingerprint FactSheet::take(std::string boot_id) {
  std::ranges::stable_sort(found_.facts, [](const Fact& a, const Fact& b) {
    return std::tie(a.group, a.key) < std::tie(b.group, b.key);
  });
  const auto again = std::ranges::unique(found_.facts, [](const Fact& a, const Fact& b) {
    return std::tie(a.group, a.key) == std::tie(b.group, b.key);
  });
  found_.facts.erase(again.begin(), again.end());
  std::size_t kept = 0;
  for (std::size_t bytes = 0; kept < std::min(found_.facts.size(), kMostFacts); ++kept) {
    const Fact& fact = found_.facts[kept];
    bytes += kBytesOfFact + fact.group.size() + fact.key.size() + fact.value.size();
    if (bytes > kMostFactBytes) break;
  }
  leave_out_from(kept);
  std::ranges::sort(found_.unknown);
  const auto same = std::ranges::unique(found_.unknown);
  found_.unknown.erase(same.begin(), same.end());
  if (found_.unknown.size() > kMostUnknown) found_.unknown.resize(kMostUnknown);
  found_.boot_id = std::move(boot_id);
  return std::exchange(found_, {});
}

}  // namespace netperfd::counters
