// SPDX-License-Identifier: GPL-2.0-or-later
// Real iperf3 between real namespaces; a script simulates only what iperf3 cannot be made to do.
#include "daemon/workload/iperf3/workload.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::filesystem::path program_of(pid_t pid) {
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid));
}

std::string status_of(pid_t pid) {
  const Result<std::string> text = read_file(fmt::format("/proc/{}/status", pid), 1 << 16);
  return text ? *text : text.error().message;
}

TEST_F(Iperf3WorkloadTest, measures_between_two_namespaces_with_a_server_of_its_own) {
  prepare_and_release(with_local_server());
  wait_for_end();
  EXPECT_EQ(error(), "");
  ASSERT_EQ(listener.result->report.sums.size(), 1U);
  EXPECT_GT(listener.result->report.sums[0].received_bytes.value_or(0), 0U);
  EXPECT_THAT(document("client.stdout"), HasSubstr("\"end\""));
  EXPECT_THAT(document("server.stdout"), HasSubstr("Accepted connection from 10.97.0.1"));
  EXPECT_EQ(listener.result->documents.size(), 2U);
  ASSERT_TRUE(listener.result->client_usage);
  EXPECT_GT(listener.result->client_usage->system, 0us);
  EXPECT_EQ(!listener.intervals.empty(), features.json_stream());
}

TEST_F(Iperf3WorkloadTest, measures_against_a_server_of_somebody_else) {
  start_foreign_server();
  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_EQ(error(), "");
  EXPECT_EQ(document("server.stdout"), "");
}

TEST_F(Iperf3WorkloadTest, runs_no_iperf3_client_before_its_release) {
  prepare(with_local_server());
  wait_for_prepared();
  EXPECT_EQ(children_with("--server").size(), 1U);
  const std::vector<pid_t> waiting = children_with("--client");
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(program_of(waiting[0]), program_of(::getpid()));
}

TEST_F(Iperf3WorkloadTest, says_nothing_from_inside_prepare_release_and_stop) {
  prepare(with_foreign_server());
  EXPECT_EQ(listener.prepared, 0);
  wait_for_prepared();
  listener.active->release();
  listener.active->stop();
  EXPECT_FALSE(listener.result);
  wait_for_end();
}

TEST_F(Iperf3WorkloadTest, may_be_released_the_moment_it_is_prepared) {
  listener.on_prepared = [this] { listener.active->release(); };
  prepare(with_local_server());
  wait_for_end();
  EXPECT_EQ(error(), "");
}

TEST_F(Iperf3WorkloadTest, fails_with_the_words_of_a_refused_connection) {
  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_THAT(error(), HasSubstr("Connection refused"));
}

TEST_F(Iperf3WorkloadTest, fails_with_the_words_of_a_busy_server) {
  start_foreign_server();
  Watched occupant;
  LaunchOrder order = order_for({"iperf3", "--client", NamespacePair::kRightAddress, "--time", "60"});
  order.netns = namespaces->left();
  ASSERT_TRUE(start(loop, occupant, std::move(order)));
  ASSERT_TRUE(turn_until(loop, [&] { return occupant.ready; }));
  occupant.child->release();
  wait_for_traffic();

  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_THAT(error(), HasSubstr("the server is busy running a test"));
}

TEST_F(Iperf3WorkloadTest, fails_before_the_client_where_the_address_of_its_server_is_in_use) {
  start_foreign_server();
  prepare(with_local_server());
  wait_for_end();
  EXPECT_EQ(listener.prepared, 0);
  EXPECT_THAT(error(), AllOf(StartsWith("local server: it ended before it listened; the local server says: "),
                             HasSubstr("Address already in use")));
  EXPECT_FALSE(listener.result->client_usage);
}

TEST_F(Iperf3WorkloadTest, fails_where_the_address_of_its_server_is_not_of_that_namespace) {
  JobSpec job = with_local_server();
  job.test.path.local->bind = job.test.path.server = NamespacePair::kLeftAddress;
  prepare(job);
  wait_for_end();
  EXPECT_THAT(error(), HasSubstr("Cannot assign requested address"));
}

TEST_F(Iperf3WorkloadTest, is_refused_where_a_namespace_is_missing) {
  Iperf3Workload workload{loop, reports, settings, features};
  JobSpec job = with_local_server();
  job.test.path.netns = "npw-none";
  const auto without_client = workload.prepare(job, listener);
  ASSERT_FALSE(without_client);
  EXPECT_EQ(without_client.error().kind, ErrorKind::not_found);
  EXPECT_EQ(
      without_client.error().message,
      "network namespace \"npw-none\" does not exist (/run/netns/npw-none); `ip netns list` lists those "
      "there are");
  job = with_local_server();
  job.test.path.local->netns = "npw-none";
  EXPECT_FALSE(workload.prepare(job, listener));
}

TEST_F(Iperf3WorkloadTest, fails_with_the_reason_of_a_failed_exec) {
  settings.path = "/nonexistent/iperf3";
  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_EQ(error(), "iperf3: execute /nonexistent/iperf3: No such file or directory");
}

TEST_F(Iperf3WorkloadTest, starts_nothing_that_this_iperf3_cannot_do) {
  JobSpec job = with_local_server();
  job.test.traffic.protocol = Protocol::sctp;
  features.options.erase("--sctp");
  Iperf3Workload workload{loop, reports, settings, features};
  const auto active = workload.prepare(job, listener);
  ASSERT_FALSE(active);
  EXPECT_EQ(active.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(active.error().message, StartsWith("workload.iperf3.protocol: "));
}

TEST_F(Iperf3WorkloadTest, binds_client_and_server_to_their_cpus) {
  JobSpec job = with_local_server();
  job.test.iperf3.affinity = {0, 1};
  prepare(job);
  wait_for_prepared();
  EXPECT_THAT(status_of(children_with("--client").at(0)), HasSubstr("Cpus_allowed_list:\t0\n"));
  EXPECT_THAT(status_of(children_with("--server").at(0)), HasSubstr("Cpus_allowed_list:\t1\n"));
}

TEST_F(Iperf3WorkloadTest, ends_when_stopped_while_its_server_starts) {
  prepare(with_local_server());
  listener.active->stop();
  wait_for_end();
  EXPECT_EQ(listener.prepared, 0);
  EXPECT_EQ(error(), "stopped before its end");
}

TEST_F(Iperf3WorkloadTest, ends_when_stopped_while_it_waits_for_its_release) {
  prepare(with_local_server());
  wait_for_prepared();
  listener.active->stop();
  wait_for_end();
  EXPECT_EQ(error(), "stopped before its end");
}

TEST_F(Iperf3WorkloadTest, ends_when_stopped_in_the_middle_and_keeps_what_was_measured) {
  prepare_and_release(for_long(with_local_server()));
  wait_for_traffic();
  listener.active->stop();
  listener.active->stop();
  wait_for_end();
  EXPECT_THAT(error(), AllOf(StartsWith("stopped before its end; "), HasSubstr("the client has terminated")));
  EXPECT_THAT(document("client.stdout"), HasSubstr("\"end\""));
}

TEST_F(Iperf3WorkloadTest, is_killed_with_all_its_processes_when_destroyed) {
  prepare_and_release(for_long(with_local_server()));
  wait_for_traffic();
  listener.active.reset();
  EXPECT_THAT(children_with("iperf3"), ElementsAre());
  EXPECT_FALSE(listener.result);
}

TEST_F(Iperf3WorkloadTest, fails_where_its_server_is_killed_before_the_release) {
  prepare(with_local_server());
  wait_for_prepared();
  ASSERT_EQ(::kill(children_with("--server").at(0), SIGKILL), 0);
  wait_for_end();
  EXPECT_EQ(error(), "local server: killed by signal 9 (Killed)");
}

TEST_F(Iperf3WorkloadTest, fails_where_its_server_is_killed_in_the_middle) {
  prepare_and_release(for_long(with_local_server()));
  wait_for_traffic();
  ASSERT_EQ(::kill(children_with("--server").at(0), SIGKILL), 0);
  wait_for_end();
  // It is random which socket informs the client first.
  EXPECT_THAT(error(), AllOf(StartsWith("local server: killed by signal 9 (Killed); "),
                             AnyOf(HasSubstr("the server went away during the test"),
                                   HasSubstr("the server broke off the test"),
                                   HasSubstr("the connection to the server broke during the test"))));
}

TEST_F(Iperf3WorkloadTest, fails_where_its_server_is_ended_in_the_middle) {
  prepare_and_release(for_long(with_local_server()));
  wait_for_traffic();
  ASSERT_EQ(::kill(children_with("--server").at(0), SIGTERM), 0);
  wait_for_end();
  EXPECT_THAT(error(), EndsWith("; the local server says: interrupt - the server has terminated"));
}

TEST_F(Iperf3WorkloadTest, fails_where_its_client_is_killed) {
  prepare_and_release(for_long(with_local_server()));
  wait_for_traffic();
  ASSERT_EQ(::kill(children_with("--client").at(0), SIGKILL), 0);
  wait_for_end();
  EXPECT_THAT(error(), StartsWith("iperf3: killed by signal 9 (Killed)"));
  EXPECT_THAT(children_with("iperf3"), ElementsAre());
}

TEST_F(Iperf3WorkloadTest, ends_a_server_that_its_client_never_met) {
  JobSpec job = with_local_server();
  job.test.path.server = NamespacePair::kLeftAddress;
  prepare_and_release(job);
  wait_for_end();
  EXPECT_THAT(error(), HasSubstr("Connection refused"));
}

TEST_F(Iperf3WorkloadTest, refuses_a_congestion_control_that_iperf3_may_not_use) {
  JobSpec job = with_local_server();
  job.test.iperf3.congestion = "nosuch";
  Iperf3Workload workload{loop, reports, settings, features};
  const auto refused = workload.prepare(job, listener);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::not_found);
  EXPECT_THAT(refused.error().message, HasSubstr("sysctl net.ipv4.tcp_allowed_congestion_control='"));
}

// ---- A script in place of iperf3 --------------------------------------------------------------------------

class ScriptedWorkloadTest : public Iperf3WorkloadTest {
 protected:
  static constexpr const char* kInterval =
      R"({"event":"interval","data":{"streams":[{"socket":5,"start":0,"end":1,"seconds":1,"bytes":1000,)"
      R"("bits_per_second":8000,"omitted":false,"sender":true}],"sum":{"start":0,"end":1,"seconds":1,"bytes":1000,)"
      R"("bits_per_second":8000,"omitted":false,"sender":true}}})";

  // A server that listens, and a client that reports one interval; then both execute `then`.
  void use_script(const std::string& begin, const std::string& then) {
    features.options.insert("--json-stream");
    settings.path = directory_.add_program(
        "iperf3", fmt::format("#!/bin/sh\n{}\ncase $1 in\n--server) echo 'Server listening on 5201';;\n"
                              "*) echo '{}';;\nesac\n{}\n",
                              begin, kInterval, then));
  }
  // A client that writes this, and ends.
  void use_client(const std::string& writes) {
    settings.path = directory_.add_program(
        "iperf3", fmt::format("#!/bin/sh\ncase $1 in --server) echo 'Server listening on 5201'; exec sleep "
                              "1000;; esac\n{}\n",
                              writes));
  }
  void wait_for_reading() {
    ASSERT_TRUE(turn_until(loop, [this] { return reports.begun > 0 || listener.result; }));
    ASSERT_FALSE(listener.result) << error();
  }
  void wait_for_interval() {
    ASSERT_TRUE(turn_until(loop, [this] { return !listener.intervals.empty() || listener.result; }));
    ASSERT_FALSE(listener.result) << error();
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(ScriptedWorkloadTest, tells_intervals_while_iperf3_runs) {
  use_script("", "exec sleep 1000");
  prepare_and_release(with_local_server());
  wait_for_interval();
  EXPECT_EQ(listener.intervals[0].bytes, 1000U);
}

TEST_F(ScriptedWorkloadTest, lacks_what_each_further_run_would_lack_too) {
  use_client(R"(echo '{"start":{},"intervals":[],"end":{},"error":"unable to set CPU affinity"}')");
  prepare_and_release(with_local_server());
  wait_for_end();
  EXPECT_TRUE(listener.result->lacks_something) << error();
}

TEST_F(ScriptedWorkloadTest, kills_by_force_what_is_deaf_to_sigterm) {
  use_script("trap '' TERM", "while :; do sleep 0.1; done");
  prepare_and_release(with_local_server());
  wait_for_interval();
  listener.active->stop();
  wait_for_end();
  EXPECT_THAT(error(), StartsWith("stopped before its end; iperf3: no end within 2 s of SIGTERM, killed"));
  EXPECT_THAT(children_with("--"), ElementsAre());
}

TEST_F(ScriptedWorkloadTest, tells_no_more_intervals_than_a_test_can_have_had) {
  features.options.insert("--json-stream");
  use_client(fmt::format("i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo '{}'; done", kInterval));
  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_GE(listener.intervals.size(), 64U);
  EXPECT_LE(listener.intervals.size(), 64U + 20U) << "one more for each second of the test";
  EXPECT_THAT(document("client.stdout").size(), testing::Gt(300U * 200U)) << "they are stored nevertheless";
}

TEST_F(ScriptedWorkloadTest, has_its_output_read_when_no_process_is_left) {
  use_client("echo text");
  listener.on_stopped = [this] {
    EXPECT_EQ(reports.begun, 0) << "tracing ends before the reading begins";
    EXPECT_THAT(children_with("--"), ElementsAre());
  };
  prepare_and_release(with_local_server());
  wait_for_end();
  EXPECT_EQ(listener.stopped, 1);
  EXPECT_EQ(reports.begun, 1);
  EXPECT_EQ(document("client.stdout"), "text\n");
}

TEST_F(ScriptedWorkloadTest, has_nothing_read_of_a_client_that_never_ran) {
  prepare(with_local_server());
  listener.active->stop();
  wait_for_end();
  EXPECT_EQ(reports.begun, 0);
}

TEST_F(ScriptedWorkloadTest, fails_with_the_reason_why_its_output_was_not_read_and_keeps_the_output) {
  use_client("echo text; echo error >&2");
  reports.failure = Error{ErrorKind::invalid_argument, "the process that read it was killed"};
  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_EQ(error(), "the process that read it was killed");
  EXPECT_EQ(document("client.stdout"), "text\n");
  EXPECT_EQ(document("client.stderr"), "error\n");
  ASSERT_TRUE(listener.result->client_usage);
}

TEST_F(ScriptedWorkloadTest, fails_where_the_reading_cannot_begin) {
  use_client("echo text");
  reports.refusal = Error{ErrorKind::io, "spawn: no processes left"};
  prepare_and_release(with_foreign_server());
  wait_for_end();
  EXPECT_EQ(error(), "spawn: no processes left");
  EXPECT_EQ(document("client.stdout"), "text\n");
}

TEST_F(ScriptedWorkloadTest, ends_soon_when_stopped_while_its_output_is_read) {
  use_client("echo text");
  reports.is_endless = true;
  prepare_and_release(with_foreign_server());
  wait_for_reading();
  listener.active->stop();
  listener.active->stop();
  EXPECT_FALSE(listener.result);
  EXPECT_FALSE(reports.alive.expired()) << "the reading may end by itself";
  wait_for_end();
  EXPECT_EQ(error(), "stopped before its end; iperf3's output was not read within 5 s of the stop");
  EXPECT_TRUE(reports.alive.expired());
  EXPECT_EQ(document("client.stdout"), "text\n");
}

TEST_F(ScriptedWorkloadTest, lets_go_of_the_reading_when_destroyed) {
  use_client("echo text");
  reports.is_endless = true;
  prepare_and_release(with_foreign_server());
  wait_for_reading();
  listener.active.reset();
  EXPECT_TRUE(reports.alive.expired());
  EXPECT_FALSE(listener.result);
}

}  // namespace
}  // namespace netperfd::workload::test
