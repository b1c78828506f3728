// SPDX-License-Identifier: GPL-2.0-or-later
// The one source of everything that is drawn: the seed decides all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace netperfd::bus_fuzz {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::uint64_t number() { return engine_(); }
  // Less than `limit`, the same on every machine.
  [[nodiscard]] std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  template <class Item>
  [[nodiscard]] const Item& one_of(std::span<const Item> items) {
    return items[below(items.size())];
  }
  // Once in `times`.
  [[nodiscard]] bool happens(std::size_t times) { return below(times) == 0; }
  // At least 1 and at most `limit`, small ones as often as large ones.
  [[nodiscard]] std::size_t size(std::size_t limit) {
    const auto doublings = static_cast<std::size_t>(std::bit_width(limit));
    return 1 + below(std::min(limit, std::size_t{1} << below(doublings + 1)));
  }
  [[nodiscard]] std::string bytes(std::size_t count) {
    std::string text(count, '\0');
    for (char& each : text) each = static_cast<char>(engine_());
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace netperfd::bus_fuzz
