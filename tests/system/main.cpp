// SPDX-License-Identifier: GPL-2.0-or-later
// GoogleTest's own main() would report success for a filter that matches no test, and many confusing failures
// on a machine that cannot run these tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "tests/system/harness/process.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (::geteuid() != 0) {
    (void)std::fputs("The system tests make network namespaces and change users: run them as root.\n",
                     stderr);
    return 1;
  }
  const int result = RUN_ALL_TESTS();
  const auto& all = *testing::UnitTest::GetInstance();
  if (!testing::GTEST_FLAG(list_tests) && all.test_to_run_count() == 0) {
    (void)std::fputs("No test has this name.\n", stderr);
    return 1;
  }
  return result;
}
