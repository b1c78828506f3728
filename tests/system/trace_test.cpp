// SPDX-License-Identifier: GPL-2.0-or-later
// Tracing the kernel during a run: real daemon, real tracefs, using features that every kernel has.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/tracefs_state.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Nobody listens there: each datagram is dropped because there is no socket.
constexpr std::uint16_t kClosedPort = 9;

class Trace : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
  void SetUp() override {
    SystemTest::SetUp();
    watch = std::make_unique<JobWatch>(lab().bus().address());
  }

  // A job's file, with its trace in place of TRACE.
  static std::string job_file(const std::string& name, const std::string& workload,
                              const std::string& trace) {
    return lab().directory().write(
        name + ".yaml", fmt::format("name: {}\nworkload:\n  {}\ntrace:\n{}\n", name, workload, trace));
  }
  static std::string iperf3_workload(const char* duration = "1s") {
    return fmt::format("iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, duration: {}}}",
                       lab().net().left(), lab().net().right(), NetnsPair::kRightAddress, duration);
  }
  static constexpr const char* kNoWorkload = "none: {until: stop}";

  // Starts the job and waits until its first run is running.
  StartedJob start_and_wait(const std::string& file) {
    const StartedJob job = lab().start(file);
    watch->wait_for_run_state(job.id, "running");
    return job;
  }
  static nlohmann::json shown(std::uint64_t run, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"show", std::to_string(run), "-o", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = lab().ctl(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }

  std::unique_ptr<JobWatch> watch;
  const std::string before = tracefs_state();
};

TEST_F(Trace, counts_each_drop_by_its_reason_and_puts_tracefs_back) {
  const StartedJob job =
      start_and_wait(job_file("drops", kNoWorkload, "  events: [{name: 'skb:kfree_skb', stacktrace: true}]"));
  constexpr int kDatagrams = 25;
  lab().net().send_datagrams(kClosedPort, kDatagrams);
  lab().stop(job.id);
  EXPECT_EQ(watch->wait_for_end(job.id), "finished");
  const std::uint64_t run = job.runs.front();
  EXPECT_GE(lab().database().number(fmt::format(
                "SELECT sum(count) FROM trace_drops WHERE run = {} AND reason = 'NO_SOCKET'", run)),
            kDatagrams);
  const Outcome page = lab().ctl({"show", std::to_string(run)});
  EXPECT_THAT(page.out,
              AllOf(HasSubstr("NO_SOCKET"), HasSubstr("__udp4_lib_rcv"), HasSubstr("skb:kfree_skb")));
  EXPECT_EQ(tracefs_state(), before);
}

TEST_F(Trace, goes_with_a_measurement_and_shows_no_address) {
  const std::string file =
      job_file("both", iperf3_workload(),
               "  events: [skb:consume_skb, {name: 'net:net_dev_queue', filter: 'len > 0'}]");
  const Outcome started = lab().ctl({"start", file});
  ASSERT_EQ(started.code, 0) << started.err;
  const auto run = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
  const auto count = [&](const char* event) {
    return lab().database().number(
        fmt::format("SELECT count FROM trace_events WHERE run = {} AND name = '{}'", run, event));
  };
  EXPECT_GT(count("skb:consume_skb"), 0);
  EXPECT_GT(count("net:net_dev_queue"), 0);
  EXPECT_EQ(
      lab().database().number(fmt::format(
          "SELECT count(*) FROM trace_sample_fields WHERE run = {} AND (value < 0 OR value LIKE '%ffff8%' OR "
          "text LIKE '%ffff8%') AND name LIKE '%addr%'",
          run)),
      0);
  EXPECT_THAT(lab().ctl({"show", std::to_string(run), "--events"}).out,
              AllOf(HasSubstr("consume_skb"), Not(HasSubstr("ffff8")), Not(HasSubstr("0xffff"))));
  EXPECT_EQ(tracefs_state(), before);
}

TEST_F(Trace, takes_marks_of_the_jobs_owner_and_of_nobody_else) {
  const StartedJob job = start_and_wait(job_file("marks", kNoWorkload, "  events: [skb:kfree_skb]"));
  const std::string number = std::to_string(job.id);
  EXPECT_EQ(lab().ctl({"mark", "--job", number, "phase two"}).code, 0);
  EXPECT_EQ(lab().ctl({"mark", "--job", number, "mine too"}, lab().users().other_member).code, kDenied);
  EXPECT_EQ(lab().ctl({"mark", "--job", number, "mine too"}, lab().users().outsider).code, kDenied);
  lab().stop(job.id);
  watch->wait_for_end(job.id);
  EXPECT_EQ(lab().database().value(fmt::format(
                "SELECT group_concat(text) FROM (SELECT text FROM trace_marks WHERE run = {} ORDER BY "
                "time_ns)",
                job.runs.front())),
            "start,release,phase two,end");
}

TEST_F(Trace, tells_live_rates_to_who_watches) {
  const BusClient subscriber = lab().connect(lab().users().outsider);
  ASSERT_EQ(subscriber.manager("Subscribe", "").error_name, "");
  const StartedJob job = lab().start(job_file("live", iperf3_workload("3s"), "  events: [skb:consume_skb]"));
  watch->wait_for_end(job.id);
  EXPECT_GT(watch->traced_events(job.id, "skb:consume_skb"), 0U);
}

TEST_F(Trace, counts_what_was_lost_while_nobody_could_read) {
  const StartedJob job =
      start_and_wait(job_file("losses", kNoWorkload, "  events: [skb:kfree_skb]\n  buffer: 64K"));
  ASSERT_EQ(::kill(lab().netperfd().process().pid(), SIGSTOP), 0);
  lab().net().send_datagrams(kClosedPort, 20'000);
  ASSERT_EQ(::kill(lab().netperfd().process().pid(), SIGCONT), 0);
  lab().stop(job.id);
  watch->wait_for_end(job.id);
  const nlohmann::json page = shown(job.runs.front());
  EXPECT_GT(page.at("trace").at("lost").get<std::uint64_t>(), 0U);
  EXPECT_THAT(page.at("flags").dump(), HasSubstr("events-lost"));
  EXPECT_EQ(tracefs_state(), before);
}

TEST_F(Trace, that_the_kernel_refuses_is_an_error_up_front_unless_it_is_optional) {
  if (tracefs_allows_function_graph()) GTEST_SKIP() << "this kernel refuses nothing";
  const std::string needed =
      job_file("needed", iperf3_workload(), "  function_graph: {functions: [tcp_sendmsg]}");
  const Outcome refused = lab().ctl({"start", needed});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("function_graph"));
  const std::string optional = job_file("optional", iperf3_workload(),
                                        "  function_graph: {functions: [tcp_sendmsg]}\n  optional: true");
  const Outcome measured = lab().ctl({"start", optional});
  EXPECT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(lab().ctl({"show", "last"}).out, HasSubstr("not traced"));
  EXPECT_EQ(tracefs_state(), before);
}

TEST_F(Trace, that_names_no_event_or_a_wrong_filter_is_an_error_in_the_kernels_words) {
  const Outcome unknown = lab().ctl(
      {"start", job_file("unknown", iperf3_workload(), "  events: [skb:kfree_skp]\n  optional: true")});
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("skb:kfree_skp"), HasSubstr("skb:kfree_skb")));
  const Outcome field =
      lab().ctl({"start", job_file("field", iperf3_workload(),
                                   "  events: [{name: 'skb:kfree_skb', filter: 'reasn == 2'}]")});
  EXPECT_NE(field.code, 0);
  EXPECT_THAT(field.err, HasSubstr("reason")) << "the nearest one";
  const Outcome filter =
      lab().ctl({"start", job_file("filter", iperf3_workload(),
                                   "  events: [{name: 'skb:kfree_skb', filter: 'protocol == \"x\"'}]")});
  EXPECT_NE(filter.code, 0);
  EXPECT_THAT(filter.err + filter.out, HasSubstr("Expecting numeric field"));
  EXPECT_EQ(tracefs_state(), before);
}

TEST_F(Trace, is_refused_while_somebody_else_is_tracing) {
  const ForeignTracer other{"sched:sched_switch"};
  const Outcome refused =
      lab().ctl({"start", job_file("contested", iperf3_workload(), "  events: [skb:kfree_skb]")});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err + refused.out, HasSubstr("sched_switch"));
}

class TraceCrash : public Trace {};

TEST_F(TraceCrash, of_the_daemon_leaves_nothing_that_its_next_start_does_not_put_back) {
  const StartedJob job = start_and_wait(job_file(
      "crash", iperf3_workload("30s"), "  events: [{name: 'skb:kfree_skb', stacktrace: true}]\n  cpus: [0]"));
  EXPECT_NE(tracefs_state(), before);
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  ASSERT_TRUE(lab().workload_ends());
  EXPECT_NE(tracefs_state(), before);
  lab().start_netperfd();
  EXPECT_EQ(tracefs_state(), before);
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("tracefs"));
}

TEST_F(TraceCrash, of_the_daemon_is_cleaned_up_by_its_own_command) {
  start_and_wait(job_file("crash", kNoWorkload, "  events: [skb:kfree_skb]"));
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  const auto clean_up = [] {
    return run({.argv = {NETPERFD_PROGRAM, "--config", lab().configuration(), "--cleanup"},
                .environment = {},
                .user = {},
                .netns = {},
                .stderr_file = {}});
  };
  const Outcome first = clean_up();
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("instances/netperfd-"));
  EXPECT_EQ(tracefs_state(), before);
  EXPECT_EQ(clean_up().out, "") << "there is nothing left to do";
  lab().start_netperfd();
}

TEST_F(TraceCrash, of_a_stopped_daemon_is_none) {
  start_and_wait(job_file("stopped", iperf3_workload("30s"), "  events: [skb:kfree_skb]"));
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  EXPECT_EQ(tracefs_state(), before);
  lab().start_netperfd();
}

}  // namespace
}  // namespace netperfd::system_test
