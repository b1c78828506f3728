// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/asking.hpp"

#include <unistd.h>

namespace netperfctl {
namespace {

bool g_never_ask = false;  // set before anybody could be asked

}  // namespace

bool may_ask_for_password() {
  return !g_never_ask && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

void never_ask_for_password() {
  g_never_ask = true;
}

}  // namespace netperfctl
