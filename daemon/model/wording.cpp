// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/wording.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace netperfd {
namespace {

constexpr std::size_t kMaxQuoted = 60;

}  // namespace

std::string in_quotes(std::string_view text) {
  if (text.size() <= kMaxQuoted) return fmt::format("{:?}", text);
  std::size_t end = kMaxQuoted;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // do not cut inside a UTF-8 character
  return fmt::format("{:?}...", text.substr(0, end));
}

}  // namespace netperfd
