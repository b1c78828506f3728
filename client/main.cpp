// SPDX-License-Identifier: GPL-2.0-or-later
#include <exception>

#include "client/app.hpp"
#include "client/terminal/terminal.hpp"

int main(int argc, char** argv) {
  try {
    netperfctl::App app;
    return static_cast<int>(app.run(argc, argv));
  } catch (const std::exception& error) {  // out of memory, or a library's own bug
    netperfctl::complain(error.what());
    return static_cast<int>(netperfctl::Exit::other);
  }
}
