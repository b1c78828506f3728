// SPDX-License-Identifier: GPL-2.0-or-later
// Sweeps, measured for real: each run has what its point and its side set, and the table has each point.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Sweep : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    LabOptions options;
    options.more_configuration =
        fmt::format("switch: {{path: {}}}\nallow: {{devices: ['veth0@*']}}\n", NETPERFD_SWITCH);
    set_up(options);
  }

  static std::string mtu_axis() { return fmt::format("mtu.veth0@{}=1400,1300", lab().net().left()); }

  // What the runs of the newest job were told of, by point and side.
  static std::string told(const std::string& fact, const std::string& group = "iperf3") {
    return lab().database().value(
        fmt::format("SELECT group_concat(line, '; ') FROM (SELECT DISTINCT point || variant || ' ' || value "
                    "AS line FROM runs "
                    "JOIN environment_overview ON run = runs.id WHERE job = (SELECT max(id) FROM jobs) AND "
                    "fact_group = '{}' AND "
                    "key = '{}' ORDER BY point, variant)",
                    group, fact));
  }
};

TEST_F(Sweep, of_keys_and_of_the_machine_measures_each_side_at_each_point) {
  const Outcome done = lab().ctl({"ab", "local", "--b", "length=32K", "--sweep", "streams=1,2", "--sweep",
                                  mtu_axis(), "--repeat", "1", "--force", "--fail-on", "never"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("4 points"), HasSubstr("STREAMS"), HasSubstr("too few")));
  EXPECT_EQ(lab().database().value(
                "SELECT group_concat(line, '; ') FROM (SELECT DISTINCT point || ' ' || point_name AS "
                "line FROM runs WHERE job = (SELECT max(id) FROM jobs) ORDER BY point)"),
            fmt::format("1 streams=1, mtu.veth0@{0}=1400; 2 streams=1, mtu.veth0@{0}=1300; 3 streams=2, "
                        "mtu.veth0@{0}=1400; 4 streams=2, mtu.veth0@{0}=1300",
                        lab().net().left()));
  EXPECT_EQ(told("streams"), "1A 1; 1B 1; 2A 1; 2B 1; 3A 2; 3B 2; 4A 2; 4B 2");
  EXPECT_EQ(told("mtu.veth0@" + lab().net().left(), "machine"),
            "1A 1400; 1B 1400; 2A 1300; 2B 1300; 3A 1400; 3B 1400; 4A 1300; 4B 1300");
  const json page = json::parse(lab().ctl({"compare", "last", "-o", "json"}).out);
  EXPECT_THAT(page.dump(), HasSubstr("streams=2, mtu"));
  const Outcome one = lab().ctl({"compare", "last", "--point", "3"});
  EXPECT_THAT(one.out, AllOf(HasSubstr("streams=2"), HasSubstr("TOO FEW"))) << one.err;
  EXPECT_THAT(lab().ctl({"show", "last"}).out, HasSubstr("streams="));
}

TEST_F(Sweep, goes_on_at_its_next_point_after_the_daemon_was_killed) {
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local", {},
                                     {"--set", "design.a.name=old", "--set", "design.b.set.length=32K",
                                      "--set", "sweep.streams=[1, 2]", "--repeat", "1", "--force"});
  ASSERT_EQ(job.runs.size(), 8U);
  watch.wait_for_runs(job.id, 2);
  const auto slots = [&] {
    return lab().database().value(
        fmt::format("SELECT group_concat(block || '.' || point || '.' || letter || variant, ' ') FROM runs "
                    "WHERE job = {}",
                    job.id));
  };
  const std::string before = slots();
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  lab().start_netperfd();
  const Outcome waited = lab().ctl({"wait", std::to_string(job.id)});
  EXPECT_EQ(slots(), before);
  EXPECT_GE(lab().database().number(
                fmt::format("SELECT count(*) FROM runs WHERE job = {} AND state = 'finished'", job.id)),
            6)
      << waited.out << waited.err << lab().netperfd().log();
  EXPECT_EQ(told("streams"), "1A 1; 1B 1; 2A 2; 2B 2");
}

TEST_F(Sweep, is_the_same_table_from_a_bundle) {
  ASSERT_EQ(lab()
                .ctl({"ab", "local", "--b", "length=32K", "--sweep", "streams=1,2", "--repeat", "1",
                      "--force", "--fail-on", "never"})
                .code,
            0);
  const auto figures = [](const Outcome& outcome) {
    const json page = json::parse(outcome.out, nullptr, false);
    if (page.is_discarded()) return outcome.out + outcome.err;
    json rows = page.at("figures");
    for (json& row : rows) row.erase("caveat");  // a bundle's own comes first
    return rows.dump();
  };
  const std::string here = figures(lab().ctl({"compare", "last", "-o", "json"}));
  const std::string file = lab().directory().path("sweep.netperf");
  std::filesystem::permissions(lab().directory().path(""), std::filesystem::perms::all);
  const auto job = lab().database().number("SELECT max(id) FROM jobs");
  const Outcome exported =
      lab().ctl({"export", fmt::format("job:{}", job), "--format", "bundle", "-O", file}, User{});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::string page = lab().directory().path("sweep.html");
  const Outcome reported = lab().ctl({"report", fmt::format("job:{}", job), "-O", page}, User{});
  EXPECT_EQ(reported.code, 0) << reported.err;
  EXPECT_THAT(read_text(page), HasSubstr("STREAMS"));
  const Outcome imported = lab().ctl({"import", file}, User{});
  ASSERT_EQ(imported.code, 0) << imported.err;
  const auto copy = lab().database().number("SELECT max(id) FROM jobs");
  ASSERT_GT(copy, job);
  EXPECT_EQ(figures(lab().ctl({"compare", fmt::format("job:{}", copy), "-o", "json"}, User{})), here);
}

TEST_F(Sweep, of_what_a_member_may_not_set_is_refused) {
  const Outcome refused =
      lab().ctl({"ab", "local", "--b", "length=32K", "--sweep", "mtu.lo=1400,1500", "--force"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err + refused.out, HasSubstr("the key allow."));
  const Outcome wrong = lab().ctl({"ab", "local", "--b", "length=32K", "--sweep", "streams"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--sweep: streams; expected is KEY=VALUE,VALUE"));
}

}  // namespace
}  // namespace netperfd::system_test
