// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/system_test.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/system/harness/job_watch.hpp"

namespace netperfd::system_test {
namespace {

void stop_all(const Lab& lab) {
  JobWatch watch{lab.bus().address()};
  const Outcome listed = lab.ctl({"jobs", "-o", "json"}, User{});
  ASSERT_EQ(listed.code, 0) << listed.err;
  std::vector<std::uint64_t> stopped;
  const auto document = nlohmann::json::parse(listed.out);
  for (const auto& job : document.at("jobs")) {
    const auto id = job.at("job").get<std::uint64_t>();
    // A failure is ignored: the job may have ended meanwhile.
    if (lab.ctl({"stop", std::to_string(id)}, User{}).code == 0) stopped.push_back(id);
  }
  for (const std::uint64_t job : stopped) watch.wait_for_end(job);
}

}  // namespace

std::unique_ptr<Lab> SystemTest::shared_lab;

void SystemTest::set_up(LabOptions options) {
  shared_lab = std::make_unique<Lab>(std::move(options));
}

void SystemTest::TearDownTestSuite() {
  shared_lab.reset();
}

void SystemTest::SetUp() {
  ASSERT_NE(shared_lab, nullptr) << "the lab of this suite could not be set up";
  if (!lab().is_running()) lab().start_netperfd();
}

void SystemTest::TearDown() {
  if (shared_lab == nullptr) return;
  if (lab().is_running()) stop_all(lab());
  EXPECT_TRUE(lab().workload_ends()) << "processes of a run are left";
  if (HasFailure()) {
    std::printf("---- log of netperfd ----\n%s---- end of the log ----\n",
                read_text(lab().directory().path("netperfd.log")).c_str());
  }
}

}  // namespace netperfd::system_test
