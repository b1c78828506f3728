// SPDX-License-Identifier: GPL-2.0-or-later
// The test program also acts as the process of a query, and as a daemon that has one.
#include <gmock/gmock.h>

#include <string_view>

#include "daemon/query/query_process.hpp"
#include "tests/unit/query/support.hpp"

int main(int argc, char** argv) {
  using namespace netperfd::query;
  if (argc > 1 && (argv[1] == kQueryFlag || argv[1] == kStreamFlag))
    run_query(argc, argv, test::query_functions());
  if (argc > 1 && argv[1] == kCandidateFlag) run_query(argc, argv, test::candidate_functions());
  if (argc > 2 && argv[1] == test::kPoolFlag) test::run_pool(argv[2]);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
