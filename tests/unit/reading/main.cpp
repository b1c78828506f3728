// SPDX-License-Identifier: GPL-2.0-or-later
// The test program also acts as the reader of files.
#include <gmock/gmock.h>

#include <string_view>

#include "daemon/reading/reader.hpp"
#include "tests/unit/reading/support.hpp"

int main(int argc, char** argv) {
  using namespace netperfd::reading;
  if (argc > 1 && argv[1] == kReaderFlag) run_reader(argc, argv, test::reader_functions());
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
