// SPDX-License-Identifier: GPL-2.0-or-later
// Well-formed arguments that are large: many entries, long texts, and containers as deep as the bus allows.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/fuzz/dbus/random.hpp"
#include "tests/fuzz/dbus/values.hpp"

namespace netperfd::bus_fuzz {

class Large {
 public:
  // Of one argument; one with values that take a multiple of their bytes in memory has less.
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  static constexpr std::size_t kMostEntries = 8'192;

  Large(Random& random, Values& values) : random_(random), values_(values) {}

  // Arguments of this signature, or of another one if nothing of it can be large. Returns what they are.
  std::string append(sd_bus_message* message, std::string_view signature);
  // Options in that number, of one name or all with names of their own.
  std::string append_many_options(sd_bus_message* message, std::size_t entries, bool is_same);

 private:
  std::string append_large(sd_bus_message* message, std::string_view type);
  std::string append_options(sd_bus_message* message);
  std::string append_list(sd_bus_message* message, std::string_view element);
  std::string append_deep(sd_bus_message* message);
  [[nodiscard]] std::string long_text();

  Random& random_;
  Values& values_;
};

}  // namespace netperfd::bus_fuzz
