// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/ports/catalogue.hpp"

namespace netperfd::core {

std::string_view to_string(Ability ability) {
  switch (ability) {
    case Ability::yes:
      return "yes";
    case Ability::no:
      return "no";
    case Ability::limited:
      return "limited";
  }
  return "";
}

}  // namespace netperfd::core
