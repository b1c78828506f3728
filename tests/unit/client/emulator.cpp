// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/client/emulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace netperfctl {

void Emulator::next_line() {
  ++row_;
  if (row_ == all_.size()) all_.emplace_back();
  if (row_ - top_ >= rows_) ++top_;
}

void Emulator::put(std::string_view character) {
  if (column_ == columns_) {
    wrapped_ = true;
    next_line();
    column_ = 0;
  }
  Row& row = all_[row_];
  if (row.size() <= column_) row.resize(column_ + 1, " ");
  row[column_++] = character;
}

std::string_view Emulator::control(std::string_view sequence) {
  const std::size_t end = sequence.find_first_of("AJm");
  if (end == std::string_view::npos) {
    ADD_FAILURE() << "a sequence that this terminal does not know: " << sequence.substr(1);
    return {};
  }
  if (sequence[end] == 'A' && row_ > top_) --row_;
  if (sequence[end] == 'J') {
    all_.resize(row_ + 1);
    all_[row_].resize(std::min(all_[row_].size(), column_));
  }
  return sequence.substr(end + 1);
}

void Emulator::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (bytes.front() == '\x1b') {
      bytes = control(bytes);
      continue;
    }
    std::size_t size = 1;
    while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0xC0U) == 0x80) ++size;
    if (bytes.front() == '\r') {
      column_ = 0;
    } else if (bytes.front() == '\n') {
      column_ = 0;
      next_line();
    } else {
      put(bytes.substr(0, size));
    }
    bytes.remove_prefix(size);
  }
}

std::vector<std::string> Emulator::lines() const {
  std::vector<std::string> lines;
  for (const Row& row : all_) {
    std::string& line = lines.emplace_back();
    for (const std::string& character : row) line += character;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::size_t Emulator::count(std::string_view part) const {
  const auto having = lines();
  return static_cast<std::size_t>(std::ranges::count_if(
      having, [part](const std::string& line) { return line.find(part) != std::string::npos; }));
}

}  // namespace netperfctl
