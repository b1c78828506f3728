// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/capability_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kFileLimit = 65'536;
constexpr std::array kAbilities{core::Ability::yes, core::Ability::no, core::Ability::limited};

std::string header(const CacheKey& key) {
  return fmt::format("netperfd capabilities 1\nboot {}\nkernel {}\nversion {}\n", key.boot_id,
                     key.kernel_release, key.version);
}

// The last line: a checksum of the text before it.
std::string seal(std::string_view text) {
  const auto* bytes = reinterpret_cast<const Bytef*>(text.data());
  return fmt::format("end {:08x}\n", ::crc32(0, bytes, static_cast<uInt>(text.size())));
}

// Tabs separate the fields of a line, so the field must not contain one.
std::string one_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\t' || letter == '\n'; }, ' ');
  return text;
}

std::optional<core::Capability> parse_line(std::string_view line) {
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto tab = line.find('\t');
    const bool last = i + 1 == fields.size();
    if ((tab == std::string_view::npos) != last) return std::nullopt;
    fields.at(i) = line.substr(0, tab);
    if (!last) line.remove_prefix(tab + 1);
    if (!is_printable(fields.at(i))) return std::nullopt;
  }
  const auto* const ability = std::find_if(kAbilities.begin(), kAbilities.end(), [&](core::Ability one) {
    return core::to_string(one) == fields[1];
  });
  if (ability == kAbilities.end()) return std::nullopt;
  return core::Capability{std::string{fields[0]}, *ability, std::string{fields[2]}, std::string{fields[3]}};
}

Status write_whole(const Fd& file, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

std::vector<core::Capability> load_capabilities(const std::string& path, const CacheKey& key) {
  const auto text = read_file(path, kFileLimit);
  const std::string start = header(key);
  if (!text || !text->starts_with(start)) return {};
  const auto end = text->rfind("end ");
  if (end == std::string::npos || end < start.size()) return {};
  if (std::string_view{*text}.substr(end) != seal(std::string_view{*text}.substr(0, end))) return {};
  std::string_view rest = std::string_view{*text}.substr(start.size(), end - start.size());
  std::vector<core::Capability> result;
  while (!rest.empty()) {
    const auto line_end = rest.find('\n');
    if (line_end == std::string_view::npos) return {};
    auto capability = parse_line(rest.substr(0, line_end));
    if (!capability) return {};
    result.push_back(std::move(*capability));
    rest.remove_prefix(line_end + 1);
  }
  return result;
}

Status save_capabilities(const std::string& path, const CacheKey& key,
                         const std::vector<core::Capability>& capabilities) {
  std::string text = header(key);
  for (const core::Capability& one : capabilities) {
    text += fmt::format("{}\t{}\t{}\t{}\n", one.name, core::to_string(one.ability), one_field(one.detail),
                        one_field(one.advice));
  }
  text += seal(text);
  const std::string partial = path + ".new";
  ::unlink(partial.c_str());
  Fd file{::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644)};
  if (!file) return fail_errno(partial, errno);
  Status done = write_whole(file, partial, text);
  file.reset();
  if (done && std::rename(partial.c_str(), path.c_str()) != 0) done = fail_errno(path, errno);
  if (!done) ::unlink(partial.c_str());
  return done;
}

}  // namespace netperfd::trace
