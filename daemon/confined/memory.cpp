// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/confined/memory.hpp"

#include <new>

namespace netperfd::confined {

void when_memory_is_missing(void (*give_up)()) {
  std::set_new_handler(give_up);
}

}  // namespace netperfd::confined
