// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/note_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace netperfd::command {

std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields;
  for (auto end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    fields.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return fields;
}

std::string text_of_fields(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text.append(field).push_back('\0');
  return text;
}

std::optional<std::int64_t> number_of(const std::string& field) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc{} || end != field.data() + field.size()) return std::nullopt;
  return number;
}

Status check_owner(const Fd& file, const std::string& path) {
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return fail_errno(path, errno);
  if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorKind::access_denied,
                fmt::format("{}: is not a file that only netperfd can write", path));
  }
  return {};
}

}  // namespace netperfd::command
