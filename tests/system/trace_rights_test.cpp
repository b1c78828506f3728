// SPDX-License-Identifier: GPL-2.0-or-later
// What members of the group can learn of other users by tracing.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A program of another user's, by its name.
constexpr const char* kTheirProgram = "netperfd-secret";

// Root lets members see when that program begins.
constexpr const char* kScenario = R"(name: execs
workload: {{none: {{until: stop}}}}
trace:
  events:
    - {{name: 'sched:sched_process_exec', filter: 'filename ~ "*{program}*"'}}
    - skb:kfree_skb
)";

class TraceRights : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    lab().directory().write("scenarios.d/execs.yaml",
                            fmt::format(kScenario, fmt::arg("program", kTheirProgram)));
    their_program = lab().directory().path(kTheirProgram);
    std::filesystem::copy_file("/bin/true", their_program);
  }

  static Outcome start_own(const std::string& events) {
    const std::string file = lab().directory().write(
        "own.yaml", "name: own\nworkload: {none: {until: stop}}\ntrace: {events: [" + events + "]}\n");
    return lab().ctl({"start", file, "--detach"});
  }
  static std::int64_t runs() { return lab().database().number("SELECT count(*) FROM runs"); }

  // Runs the scenario as `user` while root runs its program. Returns the samples as the user reads them.
  static std::string samples_of_execs(const User& user) {
    JobWatch watch{lab().bus().address()};
    const Outcome started = lab().ctl({"start", "execs", "--detach", "-o", "json"}, user);
    EXPECT_EQ(started.code, 0) << started.err;
    const auto job = json::parse(started.out).at("job").at("job").get<std::uint64_t>();
    watch.wait_for_run_state(job, "running");
    EXPECT_EQ(
        run({.argv = {their_program}, .environment = {}, .user = {}, .netns = {}, .stderr_file = {}}).code,
        0);
    EXPECT_EQ(lab().ctl({"stop", std::to_string(job)}, user).code, 0);
    EXPECT_EQ(watch.wait_for_end(job), "finished");
    const auto number = lab().database().number("SELECT max(id) FROM runs");
    EXPECT_EQ(
        lab().database().number(fmt::format(
            "SELECT count FROM trace_events WHERE run = {} AND name = 'sched:sched_process_exec'", number)),
        1);
    const Outcome shown = lab().ctl({"show", std::to_string(number), "--events", "-o", "json"}, user);
    EXPECT_EQ(shown.code, 0) << shown.err;
    return json::parse(shown.out).at("trace_samples").dump();  // the page has the scenario's filter too
  }

  static std::string their_program;
};

std::string TraceRights::their_program;

TEST_F(TraceRights, a_member_cannot_trace_the_log_programs_or_system_calls_of_others) {
  const std::int64_t before = runs();
  for (const char* event : {"printk:console", "sched:sched_process_exec", "raw_syscalls:sys_enter",
                            "sched:sched_switch", "tcp:tcp_probe"}) {
    const Outcome outcome = start_own(fmt::format("skb:kfree_skb, '{}'", event));
    EXPECT_EQ(outcome.code, kDenied) << event;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(event), HasSubstr("trace.events"), HasSubstr("skb:*"))) << event;
  }
  const Outcome filtered = start_own("{name: 'skb:kfree_skb', filter: 'comm == \"sshd\"'}");
  EXPECT_EQ(filtered.code, kDenied);
  EXPECT_THAT(filtered.err, HasSubstr("filter on comm"));
  EXPECT_EQ(runs(), before);
}

TEST_F(TraceRights, a_member_cannot_change_a_scenario_to_trace_them) {
  const std::int64_t before = runs();
  for (const char* change :
       {"trace.events=[printk:console]", "trace={events: [printk:console]}", "trace.buffer=1M"}) {
    EXPECT_EQ(lab().ctl({"start", "execs", "--detach", "--set", change}).code, kDenied) << change;
  }
  EXPECT_EQ(runs(), before);
}

TEST_F(TraceRights, in_a_scenario_of_roots_a_member_sees_no_program_of_another_user) {
  const std::string samples = samples_of_execs(lab().users().member);
  EXPECT_THAT(samples, Not(HasSubstr(kTheirProgram)));
  EXPECT_THAT(samples, HasSubstr("\"other\""));
  EXPECT_EQ(lab().database().number(fmt::format(
                "SELECT count(*) FROM trace_sample_fields WHERE value LIKE '%{}%'", kTheirProgram)),
            0)
      << "nor is it stored";
}

TEST_F(TraceRights, root_sees_it) {
  EXPECT_THAT(samples_of_execs(User{}), HasSubstr(kTheirProgram));
}

TEST_F(TraceRights, the_list_of_events_tells_which_are_allowed) {
  const auto allowed = [](const char* pattern) {
    const Outcome outcome = lab().ctl({"events", pattern, "-o", "json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out).at("events").at(0).at("allowed").get<bool>();
  };
  EXPECT_TRUE(allowed("skb:kfree_*"));
  EXPECT_FALSE(allowed("printk:consol*"));
}

}  // namespace
}  // namespace netperfd::system_test
