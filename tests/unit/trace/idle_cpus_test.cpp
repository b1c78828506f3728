// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/idle_cpus.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using std::chrono::milliseconds;

class IdleCpusTest : public testing::Test {
 protected:
  double read(int at_ms, const std::string& uptime) {
    directory_.write("proc/uptime", uptime);
    return idle_.of_late(milliseconds{at_ms});
  }

  ScratchDirectory directory_;
  IdleCpus idle_{directory_.path("proc")};
};

TEST_F(IdleCpusTest, tells_how_many_were_idle_between_two_readings) {
  EXPECT_EQ(read(0, "1000.00 3000.00\n"), 0);
  EXPECT_NEAR(read(200, "1000.20 3000.30\n"), 1.5, 1e-9);
  EXPECT_NEAR(read(300, "1000.30 3000.30\n"), 0, 1e-9);
}

TEST_F(IdleCpusTest, waits_until_the_hundredths_of_the_file_say_something) {
  (void)read(0, "1000.00 3000.00\n");
  EXPECT_EQ(read(99, "1000.10 3000.20\n"), 0);
  EXPECT_NEAR(read(100, "1000.10 3000.20\n"), 2, 1e-9);
  EXPECT_NEAR(read(199, "1000.20 3000.20\n"), 2, 1e-9) << "the last figure holds meanwhile";
}

TEST_F(IdleCpusTest, takes_no_cpu_for_idle_if_it_cannot_know) {
  (void)read(0, "1000.00 3000.00\n");
  EXPECT_EQ(read(200, "1000.20\n"), 0);
  EXPECT_EQ(read(400, "1000.40 3001.00\n"), 0) << "there is no earlier reading";
  EXPECT_NEAR(read(600, "1000.60 3001.20\n"), 1, 1e-9);
  EXPECT_EQ(read(500, "1000.60 3001.40\n"), 0) << "the clock was set back";
  std::filesystem::remove(directory_.path("proc/uptime"));
  EXPECT_EQ(idle_.of_late(milliseconds{900}), 0);
}

}  // namespace
}  // namespace netperfd::trace
