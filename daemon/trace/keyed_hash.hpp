// A keyed hash of one number that does not tell the number.
#pragma once

#include <cstdint>

namespace netperfd::trace {

struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// SipHash-2-4 of the value's eight bytes, the lowest first. Without the key its results say nothing of the
// values, not even how far two of them lie apart.
[[nodiscard]] std::uint64_t keyed_hash(std::uint64_t value, HashKey key);

}  // namespace netperfd::trace
