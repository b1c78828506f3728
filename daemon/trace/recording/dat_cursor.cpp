// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/dat_cursor.hpp"

#include <fmt/format.h>

namespace netperfd::trace {

std::span<const std::byte> DatCursor::bytes(std::uint64_t size, std::string_view what) {
  if (!ok()) return {};
  if (size > left()) {
    fail_with(fmt::format("{} should follow in {} bytes, {} are left", what, size, left()));
    return {};
  }
  const auto found = bytes_.subspan(at_, static_cast<std::size_t>(size));
  at_ += found.size();
  return found;
}

std::string_view DatCursor::text(std::uint64_t size, std::string_view what) {
  const auto found = bytes(size, what);
  return {reinterpret_cast<const char*>(found.data()), found.size()};
}

std::string_view DatCursor::word(std::string_view what) {
  if (!ok()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, left());
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) {
    fail_with(fmt::format("{} has no end", what));
    return {};
  }
  at_ += end + 1;
  return rest.substr(0, end);
}

void DatCursor::expect(std::string_view wanted, std::string_view what) {
  const std::size_t begin = at_;
  if (text(wanted.size(), what) == wanted || !ok()) return;
  at_ = begin;
  fail_with(fmt::format("{} should stand here", what));
}

void DatCursor::seek(std::uint64_t offset, std::string_view what) {
  if (!ok()) return;
  if (offset > bytes_.size()) {
    fail_with(fmt::format("{} should be at byte {}, there are {}", what, offset, bytes_.size()));
    return;
  }
  at_ = static_cast<std::size_t>(offset);
}

void DatCursor::fail_with(std::string_view what) {
  if (ok()) error_ = fmt::format("{}, at byte {}: {}", where_, at_, what);
}

Status DatCursor::status() const {
  if (ok()) return {};
  return fail(ErrorKind::invalid_argument, error_);
}

}  // namespace netperfd::trace
