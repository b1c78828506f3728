// SPDX-License-Identifier: GPL-2.0-or-later
// In a file of its own because the fuzzers replace it by a constant key.
#include <cstdint>
#include <random>

#include "daemon/trace/ring/symbols.hpp"

namespace netperfd::trace {

std::uint64_t Symbols::random_key() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

}  // namespace netperfd::trace
