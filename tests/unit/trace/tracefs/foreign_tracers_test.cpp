// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/foreign_tracers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOwn = "netperfd-4711";

class ForeignTracersTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> found() {
    return foreign_tracers(tracefs_, scratch_.path("proc"), kOwn);
  }
  ScratchDirectory scratch_;
  FakeTracefs tracefs_;
};

TEST_F(ForeignTracersTest, finds_nobody_on_an_idle_machine_and_changes_nothing) {
  const std::string before = tracefs_.snapshot();
  add_process(scratch_, 5, "bash", {"/dev/null", "/sys/kernel/tracing/trace_marker"});
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_EQ(tracefs_.snapshot(), before);
  EXPECT_THAT(tracefs_.operations(), IsEmpty());
}

TEST_F(ForeignTracersTest, names_the_tracer_of_the_top_and_who_has_its_files_open) {
  tracefs_.set("current_tracer", "function_graph\n");
  add_process(scratch_, 123, "trace-cmd",
              {"/tmp/trace.dat", "/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw"});
  add_process(scratch_, 77, "perf", {"/sys/kernel/debug/tracing/trace_pipe"});
  EXPECT_THAT(found(), ElementsAre("the tracer function_graph is on in the top instance; perf (pid 77), "
                                   "trace-cmd (pid 123) has its files open"));
}

TEST_F(ForeignTracersTest, does_not_blame_a_writer_of_marks_or_a_reader_of_another_instance) {
  tracefs_.set("current_tracer", "function\n");
  add_process(scratch_, 5, "app", {"/sys/kernel/tracing/trace_marker"});
  add_process(scratch_, 6, "rasdaemon", {"/sys/kernel/tracing/instances/rasdaemon/trace_pipe"});
  EXPECT_THAT(found(), ElementsAre("the tracer function is on in the top instance"));
}

TEST_F(ForeignTracersTest, names_a_few_of_the_events_of_the_top) {
  tracefs_.set("events/sched/sched_switch/enable", "1\n");
  EXPECT_THAT(found(), ElementsAre("events are enabled in the top instance (sched:sched_switch)"));
  for (const char* event : {"skb/kfree_skb", "skb/consume_skb", "tcp/tcp_retransmit_skb"}) {
    tracefs_.set(fmt::format("events/{}/enable", event), "1\n");
  }
  ASSERT_EQ(tracefs_.read("events/enable"), "1\n");
  EXPECT_THAT(found(),
              ElementsAre(HasSubstr("(sched:sched_switch, skb:consume_skb, skb:kfree_skb, and 1 more)")));
}

TEST_F(ForeignTracersTest, do_not_mind_the_event_that_a_program_of_bpf_leaves) {
  FakeKernel kernel;
  kernel.events["bpf_trace:bpf_trace_printk"] = {};
  FakeTracefs tracefs(kernel);
  tracefs.set("events/bpf_trace/bpf_trace_printk/enable", "1\n");
  EXPECT_THAT(foreign_tracers(tracefs, scratch_.path("proc"), kOwn), IsEmpty());
  tracefs.set("events/sched/sched_switch/enable", "1\n");
  EXPECT_THAT(foreign_tracers(tracefs, scratch_.path("proc"), kOwn),
              ElementsAre("events are enabled in the top instance (sched:sched_switch)"));
}

TEST_F(ForeignTracersTest, minds_a_tracer_in_another_instance_but_not_its_events) {
  tracefs_.add_instance("rasdaemon");
  tracefs_.set("instances/rasdaemon/events/sched/sched_switch/enable", "1\n");
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(neighbouring_tracers(tracefs_, kOwn),
              ElementsAre("events are enabled in instances/rasdaemon (sched:sched_switch)"));
  tracefs_.set("instances/rasdaemon/current_tracer", "function\n");
  add_process(scratch_, 9, "trace-cmd",
              {"/sys/kernel/tracing/instances/rasdaemon/per_cpu/cpu1/trace_pipe_raw"});
  EXPECT_THAT(found(),
              ElementsAre("the tracer function is on in instances/rasdaemon; trace-cmd (pid 9) has its "
                          "files open"));
}

TEST_F(ForeignTracersTest, minds_another_living_netperfd_and_nothing_of_its_own) {
  tracefs_.add_instance(kOwn);
  tracefs_.set(fmt::format("instances/{}/current_tracer", kOwn), "function_graph\n");
  tracefs_.add_instance("netperfd-100");
  tracefs_.add_instance("netperfd-200");
  tracefs_.add_instance("netperfd-300");
  tracefs_.add_instance("netperfd-x");
  add_process(scratch_, 4711, "netperfd", {});
  add_process(scratch_, 100, "netperfd", {});
  add_process(scratch_, 200, "bash", {});  // its pid was reused
  EXPECT_THAT(found(), ElementsAre("netperfd (pid 100) traces in instances/netperfd-100"));
}

TEST_F(ForeignTracersTest, says_what_it_can_without_proc) {
  tracefs_.set("current_tracer", "function\n");
  EXPECT_THAT(foreign_tracers(tracefs_, scratch_.path("nowhere"), kOwn),
              ElementsAre("the tracer function is on in the top instance"));
}

TEST_F(ForeignTracersTest, finds_a_real_process_by_its_open_file) {
  const auto root = find_tracefs();
  if (!root) GTEST_SKIP() << root.error().message;
  const auto tracefs = make_real_tracefs(*root);
  const std::string instance = fmt::format("instances/holders-test-{}", ::getpid());
  ASSERT_TRUE(tracefs->make_directory(instance));
  // This process itself never counts as foreign, so a child process is needed, which only has to exist.
  int ready[2];
  int leave[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(leave), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(leave[1]);
    const auto pipe = tracefs->open(instance + "/trace_pipe", OpenMode::read);
    char byte = pipe ? 1 : 0;
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(leave[0], &byte, 1);
    ::_exit(0);
  }
  char opened = 0;
  ASSERT_EQ(::read(ready[0], &opened, 1), 1);
  EXPECT_EQ(opened, 1);
  EXPECT_THAT(holders_of("/proc", instance), HasSubstr(fmt::format("(pid {})", child)));
  EXPECT_EQ(holders_of("/proc", instance + "-another"), "");
  for (const int fd : {leave[0], leave[1], ready[0], ready[1]}) ::close(fd);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(tracefs->remove_directory(instance));
}

}  // namespace
}  // namespace netperfd::trace
