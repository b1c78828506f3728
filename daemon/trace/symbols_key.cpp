// In a file of its own, since the fuzzers have another one that is always the same.
#include <cstdint>
#include <random>

#include "daemon/trace/symbols.hpp"

namespace netperfd::trace {

std::uint64_t Symbols::random_key() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

}  // namespace netperfd::trace
