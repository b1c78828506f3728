// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/output_tail.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "daemon/model/text.hpp"

namespace netperfd::command {
namespace {

// Keeps a command that floods its pipe from blocking the loop.
constexpr int kReadsATurn = 16;

bool is_blank(char c) {
  return (c >= '\0' && c <= ' ') || c == '\x7f';
}

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

std::string printable_line(std::string_view bytes) {
  std::string line;
  for (const char c : bytes) {
    if (!is_blank(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  if (!is_printable(line)) {
    for (char& c : line) {
      if (c < ' ' || c > '~') c = '?';
    }
  }
  return line;
}

}  // namespace

void OutputTail::add(std::string_view bytes) {
  bytes_ += bytes;
  if (bytes_.size() <= kKeptBytes) return;
  bytes_.erase(0, bytes_.size() - kKeptBytes);
  is_cut_ = true;
}

std::string OutputTail::lines() const {
  std::string_view rest = bytes_;
  while (is_cut_ && !rest.empty() && continues_a_character(rest.front())) rest.remove_prefix(1);
  std::string text = is_cut_ ? "..." : "";
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    const std::string line = printable_line(rest.substr(0, length));
    if (!line.empty()) text += line + '\n';
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return text;
}

std::string OutputTail::last_line() const {
  std::string text = lines();
  if (text.ends_with('\n')) text.pop_back();
  std::string_view line = text;
  if (const auto end = line.rfind('\n'); end != std::string_view::npos) line.remove_prefix(end + 1);
  if (line.size() <= kSaidBytes) return std::string{line};
  line.remove_prefix(line.size() - kSaidBytes);
  while (!line.empty() && continues_a_character(line.front())) line.remove_prefix(1);
  return fmt::format("...{}", line);
}

bool read_into(OutputTail& tail, const Fd& pipe) {
  std::array<char, OutputTail::kKeptBytes>
      chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (int i = 0; i < kReadsATurn; ++i) {
    const ssize_t got = ::read(pipe.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    tail.add({chunk.data(), static_cast<std::size_t>(got)});
  }
  return true;
}

}  // namespace netperfd::command
