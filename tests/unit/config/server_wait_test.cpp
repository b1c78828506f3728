// SPDX-License-Identifier: GPL-2.0-or-later
// How long a job has its runs wait for a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string kForeign = "name: ring\nworkload:\n  iperf3:\n    duration: 10s\n    server: 10.0.0.2\n";
const std::string kOwn = "name: ring\nworkload:\n  iperf3:\n    duration: 10s\n    local: {bind: 10.0.0.2}\n";

Result<JobSpec> read(const std::string& text) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}}, {}, {});
}

std::string error_of(const Result<JobSpec>& job) {
  return job ? "" : job.error().message;
}

TEST(ServerWait, is_a_minute_for_the_server_of_somebody_else_and_none_for_ones_own) {
  EXPECT_EQ(read(kForeign)->test.path.server_wait, 60s);
  EXPECT_EQ(read(kForeign + "    server_wait: 0s\n")->test.path.server_wait, 0s);
  EXPECT_EQ(read(kForeign + "    server_wait: 1h\n")->test.path.server_wait, 1h);
  EXPECT_EQ(read(kOwn)->test.path.server_wait, 0s);
}

TEST(ServerWait, is_refused_beyond_an_hour_and_beside_a_server_of_ones_own) {
  EXPECT_THAT(error_of(read(kForeign + "    server_wait: 61min\n")),
              HasSubstr("61 min is out of range (0 s to 1 h)"));
  EXPECT_THAT(error_of(read(kOwn + "    server_wait: 5s\n")),
              HasSubstr("stands beside `local`, whose server netperfd itself starts"));
}

}  // namespace
}  // namespace netperfd::config
