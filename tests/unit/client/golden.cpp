// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/client/golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

namespace netperfctl {
namespace {

// Times are shown in local time: a zone with summer time, written out, so that no zone file is needed.
// NOLINTBEGIN(concurrency-mt-unsafe): before any test and any thread
class Zone : public testing::Environment {
 public:
  void SetUp() override {
    ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    ::tzset();
  }
};

const testing::Environment* const zone = testing::AddGlobalTestEnvironment(new Zone);

bool updates() {
  return std::getenv("NETPERFD_UPDATE_GOLDEN") != nullptr;
}
// NOLINTEND(concurrency-mt-unsafe)

}  // namespace

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = NETPERFD_TEST_DATA "/client/" + name;
  if (updates()) std::ofstream{path, std::ios::binary} << text;
  std::ifstream file{path, std::ios::binary};
  ASSERT_TRUE(file) << path << " is missing; NETPERFD_UPDATE_GOLDEN=1 writes it";
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << path;
}

}  // namespace netperfctl
