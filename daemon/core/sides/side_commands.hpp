// SPDX-License-Identifier: GPL-2.0-or-later
// The commands of a design's sides: those of the scenario, or calls of tools/switch if they set something on
// the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/model/design.hpp"

namespace netperfd::core {

struct SwitchProgram {
  std::string path;  // of tools/switch, as it is installed
  std::string note;  // the file in which it notes what it changes
};

// In place of a side's letter: Design::home.
inline constexpr char kHome = 'H';

// A side, its build and the point of a sweep, both from 1; 0: there is none.
struct Place {
  char variant = 'A';
  std::uint32_t build = 0;
  std::uint32_t point = 0;
  bool operator==(const Place&) const = default;
};

class SideCommands {
 public:
  // `design` has variants.
  SideCommands(Design design, SwitchProgram program);

  [[nodiscard]] const Design& design() const { return design_; }
  [[nodiscard]] const Variant& side_of(Place place) const;
  // Empty: there is nothing to do.
  [[nodiscard]] std::vector<std::string> switch_to(Place place) const;
  [[nodiscard]] std::vector<std::string> check_of(Place place) const;
  // Brings the machine back to what it was before any switch, which may have been neither side. Empty: the
  // switch of the side that it was on does.
  [[nodiscard]] std::vector<std::string> undo() const;

 private:
  Design design_;
  SwitchProgram program_;
};

}  // namespace netperfd::core
