// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/asking.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>

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

bool can_ask() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

bool agrees(const std::string& question) {
  (void)std::fputs((question + " [y/N] ").c_str(), stderr);
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "yes");
}

}  // namespace netperfctl
