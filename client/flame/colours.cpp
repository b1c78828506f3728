// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/colours.hpp"

#include <cstdint>

namespace netperfctl::flame {
namespace {

// FNV-1a: the same on every machine.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char each : text) {
    value ^= static_cast<unsigned char>(each);
    value *= 16777619U;
  }
  return value ^ (value >> 16U);
}

constexpr std::uint32_t kOrange = 28, kBlue = 215;
// Modules are green to cyan or violet to pink, between the colours of the kernel and of users.
constexpr std::uint32_t kFirstOfModules = 80, kHuesBelowBlue = 110, kHuesOfModules = 200, kBlueHues = 50;

std::uint32_t hue_of_module(std::string_view module) {
  const std::uint32_t hue = kFirstOfModules + hash(module) % kHuesOfModules;
  return hue < kFirstOfModules + kHuesBelowBlue ? hue : hue + kBlueHues;
}

}  // namespace

Colour colour_of(const Frame& frame) {
  constexpr std::uint32_t kSaturation = 75, kDarkest = 62, kShades = 18, kGrey = 82;
  const std::uint32_t lightness = kDarkest + hash(frame.name) % kShades;
  switch (frame.place) {
    case Place::kernel:
      return {kOrange, kSaturation, lightness};
    case Place::module:
      return {hue_of_module(frame.module), kSaturation * 2 / 3, lightness};
    case Place::user:
      return {kBlue, kSaturation, lightness};
    case Place::root:
    case Place::other:
      break;
  }
  return {0, 0, kGrey};
}

}  // namespace netperfctl::flame
