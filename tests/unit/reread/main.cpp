// SPDX-License-Identifier: GPL-2.0-or-later
// The test program also acts as the reader of files, by the daemon's own readers.
#include <gmock/gmock.h>

#include <string_view>

#include "daemon/reading/reader.hpp"
#include "tests/unit/reread/reread_fixture.hpp"

int main(int argc, char** argv) {
  using namespace netperfd;
  if (argc > 1 && argv[1] == reading::kReaderFlag) {
    reading::run_reader(argc, argv, {import::test::read_file, {}, {}, workload::parse_iperf3_report, {}, {}});
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
