// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the configuration remove stored runs.
#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;

class Keep : public SystemTest {
 protected:
  static constexpr const char* kRules = "keep:\n  - {label: 'release-*'}\n  - {count: 3}\n";
  static void SetUpTestSuite() { set_up({.gated = true, .environment = {}, .more_configuration = kRules}); }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
  }

  // Starts it and waits for its end; returns the job's number.
  static std::uint64_t measure(const std::string& label, const std::string& repeat = "1") {
    const Outcome outcome = lab().ctl({"start", "quick", "--label", label, "--repeat", repeat, "-o", "json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out).at("job").at("job").get<std::uint64_t>();
  }
  static std::int64_t runs_of(std::uint64_t job) {
    return lab().database().number(fmt::format("SELECT count(*) FROM runs WHERE job = {}", job));
  }
  static void wait_until_gone(std::uint64_t job) {
    wait_for_database(lab().database_path(), [&] {
      return lab().database().number(fmt::format("SELECT count(*) FROM jobs WHERE id = {}", job)) == 0;
    });
  }
  // The detail of the only entry about the job.
  static std::string reason(std::uint64_t job) {
    const Outcome log = lab().ctl({"log", "--action", "keep", "--all", "-o", "json"});
    EXPECT_EQ(log.code, 0) << log.err;
    std::string found;
    const json entries = json::parse(log.out).at("entries");
    for (const auto& entry : entries) {
      if (entry.value("job", 0U) != job) continue;
      EXPECT_EQ(found, "") << "one entry a job";
      EXPECT_FALSE(entry.contains("user") && !entry.at("user").is_null()) << "netperfd itself";
      found = entry.at("detail");
    }
    return found;
  }
};

TEST_F(Keep, whole_jobs_vanish_by_rule_and_those_with_the_kept_label_stay) {
  const std::uint64_t release = measure("release-1", "4");
  const std::uint64_t old = measure("", "2");
  EXPECT_EQ(runs_of(old), 2) << "nothing is beyond the rule yet";
  const std::uint64_t newer = measure("", "2");
  wait_until_gone(old);
  EXPECT_EQ(runs_of(release), 4);
  EXPECT_EQ(runs_of(newer), 2) << "no job loses a part of its runs";
  EXPECT_EQ(reason(old), "2 runs of quick removed: beyond the newest 3 runs (keep[1].count)");
  EXPECT_EQ(reason(release), "");
  EXPECT_EQ(lab().ctl({"start", "quick", "--detach"}).code, 0) << "the daemon goes on";
}

TEST_F(Keep, rules_that_a_reload_applies_wait_for_the_end_of_the_run_under_way) {
  const std::uint64_t first = measure("x", "3");
  JobWatch watch{lab().bus().address()};
  lab().gate().close();
  const StartedJob job = lab().start("quick");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  NetperfdProcess& netperfd = lab().netperfd();
  const std::size_t ready = netperfd.notified().count("READY=1");
  netperfd.process().signal(SIGHUP);
  netperfd.wait_until_ready(ready + 1);
  // Its answer comes after whatever the loop had to do at once.
  EXPECT_EQ(lab().ctl({"show", "last"}).code, 0);
  EXPECT_EQ(runs_of(first), 3);
  lab().gate().open();
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  wait_until_gone(first);
}

}  // namespace
}  // namespace netperfd::system_test
