// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks with weights: the one form from which folded lines, speedscope's file and flame graphs are made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/rows/views.hpp"

namespace netperfctl::flame {

enum class Unit : std::uint8_t { samples, nanoseconds };

enum class Place : std::uint8_t {
  root,    // a program, `others`, or what an interrupt began
  kernel,  // a function of the kernel itself
  module,  // a function of a module
  user,    // [user] and [guest]: code outside the kernel
  other,   // [unknown] and [more]
};

struct Frame {
  std::string name;    // as it is shown: printable() and without the module
  std::string module;  // of a function; empty: the kernel itself, or no function
  Place place = Place::kernel;

  auto operator<=>(const Frame&) const = default;
};

// "hsr_xmit [hsr]"
[[nodiscard]] std::string label_of(const Frame& frame);

struct Stack {
  std::vector<std::uint32_t> frames;   // outermost first, indices into Stacks::frames
  std::uint64_t weight = 0;            // of its innermost frame alone
  std::optional<std::uint64_t> calls;  // of the innermost frame; samples have none
};

struct Stacks {
  Unit unit = Unit::samples;
  std::vector<Frame> frames;  // each one once
  std::vector<Stack> stacks;

  [[nodiscard]] std::uint64_t total() const;
};

// A sample's weight is 1. The stacks must have been listed.
[[nodiscard]] Stacks stacks_of(const SampledDetails& details);
// Of the call tree, which must have been listed. A weight is the self time as it was recorded, with the
// tracer's own cost. Without times (ProfileView::timed), nothing has a weight.
[[nodiscard]] Stacks stacks_of(const ProfileDetails& details);

// Gives each frame its number.
class Frames {
 public:
  // Appends to `frames`, which must be empty and outlive this object.
  explicit Frames(std::vector<Frame>& frames);
  [[nodiscard]] std::uint32_t number_of(Frame frame);

 private:
  std::vector<Frame>& frames_;
  std::map<Frame, std::uint32_t> numbers_;
};

}  // namespace netperfctl::flame
