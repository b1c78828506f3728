// SPDX-License-Identifier: GPL-2.0-or-later
// Random values of a D-Bus signature: mostly what a method expects and the edges of it, sometimes nonsense.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::bus_fuzz {

// Numbers and texts that mean something to the daemon that is called.
struct Known {
  std::vector<std::uint64_t> numbers;  // of jobs and runs
  std::vector<std::string> texts;
};

class Values {
 public:
  Values(std::uint64_t seed, Known known) : random_(seed), known_(std::move(known)) {}

  // Less than `limit`, the same on every machine.
  [[nodiscard]] std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  template <class Item>
  [[nodiscard]] const Item& one_of(std::span<const Item> items) {
    return items[below(items.size())];
  }
  // Once in `times`.
  [[nodiscard]] bool happens(std::size_t times) { return below(times) == 0; }

  // A complete type, or several one after the other.
  [[nodiscard]] std::string signature();
  // Appends a value for each complete type of the signature.
  void append(sd_bus_message* message, std::string_view signature);

 private:
  void append_number(sd_bus_message* message, char type);
  void append_text(sd_bus_message* message, char type);
  void append_descriptor(sd_bus_message* message);
  void append_container(sd_bus_message* message, std::string_view type, unsigned depth);
  void append_list(sd_bus_message* message, std::string_view element, unsigned depth);
  void append_one(sd_bus_message* message, std::string_view type, unsigned depth);
  // An entry of a{sv}: an option or filter with its type, mostly.
  void append_option(sd_bus_message* message, unsigned depth);
  [[nodiscard]] std::string text();

  std::mt19937_64 random_;
  Known known_;
  unsigned descriptors_ = 0;  // in the message
};

}  // namespace netperfd::bus_fuzz
