// SPDX-License-Identifier: GPL-2.0-or-later
// Written out here because none of the libraries that netperfd links offers a cryptographic digest.
#include "daemon/import/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace netperfd::import {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;  // at the end of the last block, in bits
using Words = std::array<std::uint32_t, 8>;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The same of the square roots of the first eight.
constexpr Words kBegin = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t big_endian(std::span<const std::byte> four) {
  std::uint32_t word = 0;
  for (const std::byte each : four) word = word << 8U | std::to_integer<std::uint32_t>(each);
  return word;
}

void take_block(std::span<const std::byte> block, Words& state) {
  std::array<std::uint32_t, kRounds.size()> schedule{};
  for (std::size_t i = 0; i < 16; ++i) schedule[i] = big_endian(block.subspan(4 * i, 4));
  for (std::size_t i = 16; i < schedule.size(); ++i) {
    const std::uint32_t low = schedule[i - 15], high = schedule[i - 2];
    schedule[i] = schedule[i - 16] + (std::rotr(low, 7) ^ std::rotr(low, 18) ^ low >> 3U) + schedule[i - 7] +
                  (std::rotr(high, 17) ^ std::rotr(high, 19) ^ high >> 10U);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRounds[i] + schedule[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = std::exchange(g, std::exchange(f, std::exchange(e, d + first)));
    d = std::exchange(c, std::exchange(b, std::exchange(a, first + second)));
  }
  const Words worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
}

}  // namespace

std::string sha256_of(std::span<const std::byte> bytes) {
  Words state = kBegin;
  std::span<const std::byte> rest = bytes;
  for (; rest.size() >= kBlockBytes; rest = rest.subspan(kBlockBytes)) {
    take_block(rest.first(kBlockBytes), state);
  }
  // A bit 1, zeros, and the length end the last block, or one more if there is no room in it.
  std::array<std::byte, 2 * kBlockBytes> end{};
  std::ranges::copy(rest, end.begin());
  end[rest.size()] = std::byte{0x80};
  const std::size_t size = rest.size() + 1 + kLengthBytes > kBlockBytes ? 2 * kBlockBytes : kBlockBytes;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < kLengthBytes; ++i) end[size - 1 - i] = static_cast<std::byte>(bits >> 8 * i);
  for (std::size_t at = 0; at < size; at += kBlockBytes) {
    take_block(std::span(end).subspan(at, kBlockBytes), state);
  }
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace netperfd::import
