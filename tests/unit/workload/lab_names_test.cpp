// SPDX-License-Identifier: GPL-2.0-or-later
// The labs that messages name are those of tools/lab.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/workload/iperf3/workload.hpp"
#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload::test {
namespace {

// Lines of `tools/lab list`: the lab, whether it is up, and its namespaces.
std::vector<std::vector<std::string>> labs() {
  std::vector<std::vector<std::string>> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> list{::popen(NETPERFD_TEST_DATA "/../../tools/lab list", "r"),
                                                   ::pclose};
  std::array<char, 256> line{};
  while (list && std::fgets(line.data(), line.size(), list.get()) != nullptr) {
    std::istringstream words{line.data()};
    lines.emplace_back(std::istream_iterator<std::string>{words}, std::istream_iterator<std::string>{});
  }
  return lines;
}

using LabNames = Iperf3WorkloadTest;

TEST_F(LabNames, names_the_lab_of_each_namespace_that_is_missing) {
  Iperf3Workload workload{loop, reports, settings, features};
  ASSERT_EQ(labs().size(), 5U);
  for (const std::vector<std::string>& lab : labs()) {
    ASSERT_GE(lab.size(), 4U);
    for (const std::string& netns : std::span{lab}.subspan(2)) {
      JobSpec job = with_local_server();
      job.test.path.netns = netns;
      const auto prepared = workload.prepare(job, listener);
      ASSERT_FALSE(prepared) << netns << " is up";
      EXPECT_THAT(prepared.error().message, testing::HasSubstr("/usr/share/netperfd/lab up " + lab[0] + "`"))
          << netns;
    }
  }
}

}  // namespace
}  // namespace netperfd::workload::test
