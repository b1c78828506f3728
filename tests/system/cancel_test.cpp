// SPDX-License-Identifier: GPL-2.0-or-later
// Ending a job early in every state, and letting go of one without ending it.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Cancel : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({.gated = true, .queue_limit = 64, .iperf3_script = {}, .environment = {}});
  }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
  }

  static std::string stored_states(std::uint64_t job) {
    return lab().database().value(fmt::format(
        "SELECT group_concat(state) FROM (SELECT state FROM runs WHERE job = {} ORDER BY idx)", job));
  }
  static std::unique_ptr<Process> follow(std::vector<std::string> more) {
    std::vector<std::string> arguments{"start", "local"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<Process>(lab().ctl_command(std::move(arguments), lab().users().member));
  }
  static std::uint64_t newest_job() {
    return static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM jobs"));
  }

  JobWatch watch{lab().bus().address()};
};

TEST_F(Cancel, a_job_that_waits_for_its_turn) {
  const StartedJob first = lab().start("local", {"duration=30s"});
  const StartedJob second = lab().start("local", {}, {"--repeat", "2"});
  watch.wait_for_run_state(first.id, "running");
  lab().stop(second.id);
  EXPECT_EQ(watch.wait_for_end(second.id), "canceled");
  EXPECT_EQ(stored_states(second.id), "canceled,canceled");
  EXPECT_EQ(stored_states(first.id), "running");
}

TEST_F(Cancel, a_run_that_is_preparing) {
  lab().gate().close();
  const StartedJob job = lab().start("local");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  EXPECT_EQ(stored_states(job.id), "preparing");
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_EQ(stored_states(job.id), "canceled");
  EXPECT_THAT(lab().workload(), IsEmpty());
}

TEST_F(Cancel, a_run_that_is_running) {
  TrafficTap tap{lab().net().right()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  tap.wait_for_traffic();
  EXPECT_EQ(stored_states(job.id), "running");
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_EQ(stored_states(job.id), "canceled");
  EXPECT_THAT(lab().workload(), IsEmpty());
}

TEST_F(Cancel, the_runs_that_would_have_followed) {
  lab().gate().close();
  const StartedJob job = lab().start("local", {}, {"--repeat", "3"});
  lab().gate().wait_for_run();
  lab().gate().let_one_pass();
  ASSERT_EQ(watch.wait_for_runs(job.id, 1).front().state, "finished");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server") << "of the second run";
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_EQ(stored_states(job.id), "finished,canceled,canceled");
}

TEST_F(Cancel, says_why_in_the_stored_error) {
  const StartedJob job = lab().start("local", {"duration=30s"});
  watch.wait_for_run_state(job.id, "running");
  lab().stop(job.id);
  watch.wait_for_end(job.id);
  EXPECT_NE(lab().database().value(fmt::format("SELECT error FROM runs WHERE job = {}", job.id)), "");
}

TEST_F(Cancel, an_iperf3_that_does_not_listen_to_sigterm_is_killed) {
  TrafficTap tap{lab().net().right()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  tap.wait_for_traffic();
  ASSERT_EQ(::kill(lab().iperf3_with("--client").pid, SIGSTOP), 0);
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_THAT(lab().workload(), IsEmpty());
}

TEST_F(Cancel, a_job_that_is_over_is_not_running) {
  const StartedJob job = lab().start("local");
  watch.wait_for_end(job.id);
  const Reply reply = lab().connect(lab().users().member).manager("StopJob", "t", job.id);
  EXPECT_EQ(reply.error_name, dbus::error::kNotRunning);
  const Outcome outcome = lab().ctl({"stop", std::to_string(job.id)});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ended"));
  EXPECT_EQ(stored_states(job.id), "finished");
}

TEST_F(Cancel, the_next_job_runs_after_a_canceled_one) {
  const StartedJob first = lab().start("local", {"duration=30s"});
  const StartedJob second = lab().start("local");
  watch.wait_for_run_state(first.id, "running");
  lab().stop(first.id);
  EXPECT_EQ(watch.wait_for_end(second.id), "finished");
}

TEST_F(Cancel, the_client_is_executed_only_once_its_run_is_stored_as_running) {
  lab().gate().close();
  const StartedJob job = lab().start("local");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  EXPECT_EQ(stored_states(job.id), "preparing");
  EXPECT_THAT(lab().workload(), testing::SizeIs(1));
  lab().gate().let_one_pass();
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--client");
  EXPECT_EQ(stored_states(job.id), "running");
  lab().gate().let_one_pass();
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
}

TEST_F(Cancel, every_state_of_a_run_is_announced_in_its_order) {
  const StartedJob job = lab().start("local");
  watch.wait_for_end(job.id);
  EXPECT_THAT(watch.run_states(job.id),
              ElementsAre("pending", "preparing", "running", "collecting", "finished"));
}

TEST_F(Cancel, ctrl_c_leaves_the_job_running) {
  lab().gate().close();
  const auto started = follow({});
  started->wait_for_output("Ctrl-C leaves it running");
  lab().gate().wait_for_run();
  started->signal(SIGINT);
  EXPECT_EQ(started->wait(), (Exit{kInterrupted, 0})) << started->out() << started->err();
  lab().gate().open();
  const std::uint64_t job = newest_job();
  EXPECT_EQ(watch.wait_for_end(job), "finished");
  EXPECT_EQ(stored_states(job), "finished");
}

TEST_F(Cancel, a_job_that_somebody_stops_ends_its_follower_with_an_exit_code_of_its_own) {
  TrafficTap tap{lab().net().right()};
  const auto started = follow({"--set", "workload.iperf3.duration=30s"});
  tap.wait_for_traffic();
  lab().stop(newest_job());
  EXPECT_EQ(started->wait(), (Exit{kCanceled, 0})) << started->out() << started->err();
}

TEST_F(Cancel, ctrl_c_ends_the_job_where_that_was_asked_for) {
  TrafficTap tap{lab().net().right()};
  const auto started = follow({"--cancel-on-interrupt", "--set", "workload.iperf3.duration=30s"});
  started->wait_for_output("Ctrl-C stops it");
  tap.wait_for_traffic();
  started->signal(SIGINT);
  EXPECT_EQ(started->wait(), (Exit{kInterrupted, 0})) << started->out() << started->err();
  const std::uint64_t job = newest_job();
  EXPECT_EQ(watch.wait_for_end(job), "canceled");
  EXPECT_THAT(lab().workload(), IsEmpty());
}

TEST_F(Cancel, any_end_of_netperfctl_ends_the_job_where_that_was_asked_for) {
  for (const int number : {SIGTERM, SIGHUP, SIGKILL}) {
    TrafficTap tap{lab().net().right()};
    const auto started = follow({"--cancel-on-interrupt", "--set", "workload.iperf3.duration=30s"});
    tap.wait_for_traffic();
    started->signal(number);
    const Exit killed{-1, SIGKILL}, stopped{kInterrupted, 0};
    EXPECT_EQ(started->wait(), number == SIGKILL ? killed : stopped) << started->out() << started->err();
    EXPECT_EQ(watch.wait_for_end(newest_job()), "canceled");
    EXPECT_TRUE(lab().workload_ends());
  }
}

TEST_F(Cancel, a_killed_netperfctl_leaves_the_job_running) {
  lab().gate().close();
  const auto started = follow({});
  lab().gate().wait_for_run();
  started->signal(SIGKILL);
  started->wait();
  lab().gate().open();
  const std::uint64_t job = newest_job();
  EXPECT_EQ(watch.wait_for_end(job), "finished");
  EXPECT_EQ(stored_states(job), "finished");
}

TEST_F(Cancel, a_job_that_is_tied_to_its_caller_ends_with_it) {
  TrafficTap tap{lab().net().right()};
  BusClient caller = lab().connect(lab().users().member);
  const Reply reply = caller.manager("StartScenario", "sa{sv}", "local", 2, "tie_to_caller", "b", 1,
                                     "overrides", "as", 1, "workload.iperf3.duration=30s");
  ASSERT_EQ(reply.error_name, "") << reply.error_text;
  tap.wait_for_traffic();
  caller.close();
  EXPECT_EQ(watch.wait_for_end(newest_job()), "canceled");
  EXPECT_THAT(lab().workload(), IsEmpty());
}

TEST_F(Cancel, live_intervals_come_exactly_where_the_daemon_says_so) {
  const BusClient subscriber = lab().connect(lab().users().outsider);
  ASSERT_EQ(subscriber.manager("Subscribe", "").error_name, "");
  const Reply reply = subscriber.call(dbus::kManagerPath, "org.freedesktop.DBus.Properties", "Get", "ss",
                                      dbus::kManagerInterface, "LiveIntervals");
  int live = 0;
  ASSERT_GE(sd_bus_message_read(reply.message.get(), "v", "b", &live), 0) << reply.error_text;
  const StartedJob job = lab().start("local");
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  EXPECT_EQ(watch.saw_interval(job.id), live != 0);
}

}  // namespace
}  // namespace netperfd::system_test
