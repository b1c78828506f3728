// SPDX-License-Identifier: GPL-2.0-or-later
// A process of any user that stays inside exec(): the kernel lets everybody wait who reads its times.
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/hung_exec.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

class ExecHangs : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
};

TEST_F(ExecHangs, keep_no_run_from_its_end_and_nobody_from_an_answer) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  JobWatch watch{lab().bus().address()};
  const auto hung = support::HungExec::make();
  ASSERT_TRUE(hung);
  const StartedJob job = lab().start("quick");
  EXPECT_EQ(lab().ctl({"jobs"}, lab().users().outsider).code, 0);
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  const Outcome shown = lab().ctl({"show", "last", "--counters", "-o", "json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(nlohmann::json::parse(shown.out).at("counters_unknown"),
              Contains(HasSubstr("noise: tasks: not available here")));
}

TEST_F(ExecHangs, keep_netperfd_neither_from_its_end_nor_from_its_start) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  JobWatch watch{lab().bus().address()};
  const auto hung = support::HungExec::make();
  ASSERT_TRUE(hung);
  const StartedJob job = lab().start("local", {"duration=30s"});
  watch.wait_for_run_state(job.id, "running");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"jobs"}, lab().users().outsider).code, 0);
}

}  // namespace
}  // namespace netperfd::system_test
