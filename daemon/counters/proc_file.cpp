// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/proc_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace netperfd::counters {

Fd open_to_read(const std::string& path) {
  return Fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
}

std::optional<std::string> read_again(const Fd& file) {
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return std::nullopt;
  std::string text;
  std::array<char, 16384> chunk{};
  while (text.size() <= kLargestText) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kSpaces = " \t";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kSpaces); at != std::string_view::npos;
       at = line.find_first_not_of(kSpaces, at)) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace netperfd::counters
