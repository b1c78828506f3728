// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/output_tail.hpp"

#include <unistd.h>

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

}  // namespace

void OutputTail::add(std::string_view bytes) {
  bytes_ += bytes;
  if (bytes_.size() <= kKeptBytes) return;
  bytes_.erase(0, bytes_.size() - kKeptBytes);
  is_cut_ = true;
}

std::string OutputTail::text() const {
  std::string_view rest = bytes_;
  while (is_cut_ && !rest.empty() && continues_a_character(rest.front())) rest.remove_prefix(1);
  std::string text;
  for (const char c : rest) {
    if (!is_blank(c)) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.ends_with(' ')) text.pop_back();
  if (!is_printable(text)) {
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
  }
  return is_cut_ ? "..." + text : text;
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
