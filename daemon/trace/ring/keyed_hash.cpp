// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/keyed_hash.hpp"

#include <bit>

namespace netperfd::trace {
namespace {

struct SipState {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t d = 0;

  void rounds(int count) {
    for (; count > 0; --count) {
      a += b;
      b = std::rotl(b, 13) ^ a;
      a = std::rotl(a, 32);
      c += d;
      d = std::rotl(d, 16) ^ c;
      a += d;
      d = std::rotl(d, 21) ^ a;
      c += b;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  }

  void take(std::uint64_t word) {
    d ^= word;
    rounds(2);
    a ^= word;
  }
};

}  // namespace

std::uint64_t keyed_hash(std::uint64_t value, HashKey key) {
  // The start values spell "somepseudorandomlygeneratedbytes".
  SipState state{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d, key.low ^ 0x6c7967656e657261,
                 key.high ^ 0x7465646279746573};
  state.take(value);
  state.take(std::uint64_t{8} << 56);  // the input's length, as its last word
  state.c ^= 0xff;
  state.rounds(4);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace netperfd::trace
