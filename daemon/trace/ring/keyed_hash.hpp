// SPDX-License-Identifier: GPL-2.0-or-later
// A keyed hash that does not reveal its input.
#pragma once

#include <cstdint>

namespace netperfd::trace {

struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// SipHash-2-4 of the value's eight bytes, the lowest first. Without the key its results reveal nothing about
// the values, not even how far apart two of them are.
[[nodiscard]] std::uint64_t keyed_hash(std::uint64_t value, HashKey key);

}  // namespace netperfd::trace
