// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kInstance = "instances/netperfd-4711/";

class SessionTest : public ::testing::Test {
 protected:
  [[nodiscard]] Result<std::unique_ptr<TraceSession>> open(const TraceSpec& spec) {
    return TraceSession::open(tracefs_, fake_settings(scratch_), spec);
  }
  [[nodiscard]] std::string in_instance(const std::string& file) const {
    return tracefs_.get(kInstance + file);
  }
  // The position of the first operation on this file; -1 if there is none.
  [[nodiscard]] std::ptrdiff_t when(const std::string& path) const {
    const auto& operations = tracefs_.operations();
    const auto found = std::ranges::find(operations, path, &FakeTracefs::Operation::path);
    return found == operations.end() ? -1 : found - operations.begin();
  }
  [[nodiscard]] Error refusal(const TraceSpec& spec) {
    const std::string before = tracefs_.snapshot();
    const auto session = open(spec);
    EXPECT_FALSE(session);
    EXPECT_EQ(tracefs_.snapshot(), before);
    EXPECT_FALSE(scratch_.has("journal"));
    return session ? Error{} : session.error();
  }

  ScratchDirectory scratch_;
  FakeTracefs tracefs_;
};

TEST_F(SessionTest, applies_everything_in_its_own_instance) {
  scratch_.write("proc/modules", "hsr 65536 0 - Live 0x0000000000000000\n");
  const auto session = open(whole_spec());
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->directory(), "instances/netperfd-4711");
  EXPECT_EQ((*session)->path("trace_marker"), "instances/netperfd-4711/trace_marker");
  EXPECT_EQ((*session)->clock(), "mono");
  EXPECT_EQ(in_instance("trace_clock"), "local global counter uptime perf [mono] mono_raw boot x86-tsc\n");
  EXPECT_EQ(in_instance("tracing_on"), "0\n");
  EXPECT_EQ((*session)->buffer_bytes(), 1027U << 10);
  EXPECT_EQ(in_instance("buffer_size_kb"), "1027\n");
  EXPECT_EQ(in_instance("buffer_percent"), "25\n");
  EXPECT_EQ(in_instance("tracing_cpumask"), "1\n");
  EXPECT_EQ(in_instance("options/event-fork"), "1\n");
  EXPECT_EQ(in_instance("options/function-fork"), "1\n");
  EXPECT_EQ(in_instance("events/skb/kfree_skb/enable"), "1*\n");
  EXPECT_EQ(in_instance("events/tcp/tcp_retransmit_skb/filter"), "sport > 1000\n");
  EXPECT_EQ(in_instance("set_ftrace_filter"),
            "hsr_dev_xmit [hsr]\nhsr_forward_skb [hsr]\nhsr_get_node [hsr]\n");
  EXPECT_EQ(in_instance("set_ftrace_notrace"), "hsr_get_node [hsr]\n");
  EXPECT_EQ((*session)->functions(), 2U);
  EXPECT_EQ(tracefs_.get("max_graph_depth"), "3\n");
  EXPECT_EQ(in_instance("current_tracer"), "function_graph\n");
  EXPECT_THAT((*session)->neighbours(), IsEmpty());
}

TEST_F(SessionTest, touches_nothing_of_the_top_but_what_all_instances_share) {
  const auto session = open(whole_spec());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->start({42}));
  for (const auto& operation : tracefs_.operations()) {
    EXPECT_TRUE(operation.path.starts_with("instances/netperfd-4711") || operation.path == "max_graph_depth")
        << describe(operation);
  }
}

TEST_F(SessionTest, switches_tracing_off_first_and_the_tracer_on_last) {
  ASSERT_TRUE(open(whole_spec()));
  const std::string instance = kInstance;
  EXPECT_EQ(when("instances/netperfd-4711"), 0);
  EXPECT_EQ(when(instance + "tracing_on"), 2);
  EXPECT_EQ(when(instance + "trace_clock"), 3);
  const std::string event = instance + "events/tcp/tcp_retransmit_skb/";
  EXPECT_LT(when(event + "filter"), when(event + "trigger"));
  EXPECT_LT(when(event + "trigger"), when(event + "enable"));
  EXPECT_LT(when(instance + "set_ftrace_filter"), when(instance + "set_ftrace_notrace"));
  EXPECT_LT(when(instance + "set_ftrace_notrace"), when("max_graph_depth"));
  EXPECT_LT(when("max_graph_depth"), when(instance + "current_tracer"));
}

TEST_F(SessionTest, takes_stacks_only_of_events_that_pass_the_filter) {
  const auto session = open(event_spec());
  ASSERT_TRUE(session);
  EXPECT_EQ(in_instance("events/skb/kfree_skb/trigger"), "stacktrace:unlimited\n");
  EXPECT_EQ(in_instance("events/tcp/tcp_retransmit_skb/trigger"), "stacktrace:unlimited if sport > 1000\n");
}

TEST_F(SessionTest, traces_only_the_workloads_tasks_where_asked) {
  const auto session = open(whole_spec());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->start({42, 43}));
  EXPECT_EQ(in_instance("set_event_pid"), "42\n43\n");
  EXPECT_EQ(in_instance("set_ftrace_pid"), "42\n43\n");
  EXPECT_EQ(in_instance("tracing_on"), "1\n");
  ASSERT_TRUE((*session)->stop());
  EXPECT_EQ(in_instance("tracing_on"), "0\n");
}

TEST_F(SessionTest, refuses_to_trace_every_task_in_place_of_an_unknown_workload) {
  const auto session = open(event_spec());
  ASSERT_TRUE(session);
  EXPECT_FALSE((*session)->start({}));
  EXPECT_EQ(in_instance("tracing_on"), "0\n");
}

TEST_F(SessionTest, stops_tracing_and_the_tracer_before_it_removes_the_instance_and_the_journal) {
  const std::string before = tracefs_.snapshot();
  auto session = open(whole_spec());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->start({42}));
  EXPECT_TRUE(scratch_.has("journal"));
  tracefs_.forget_operations();
  ASSERT_TRUE((*session)->restore());
  std::vector<std::string> steps;
  for (const auto& operation : tracefs_.operations()) steps.push_back(describe(operation));
  EXPECT_THAT(steps, ElementsAre("write \"0\" to max_graph_depth",
                                 "write \"0\" to instances/netperfd-4711/tracing_on",
                                 "write \"nop\" to instances/netperfd-4711/current_tracer",
                                 "rmdir instances/netperfd-4711"));
  EXPECT_EQ(tracefs_.snapshot(), before);
  EXPECT_FALSE(scratch_.has("journal"));
  tracefs_.forget_operations();
  EXPECT_TRUE((*session)->restore());
  session->reset();
  EXPECT_THAT(tracefs_.operations(), IsEmpty());
}

TEST_F(SessionTest, restores_when_it_is_destroyed) {
  const std::string before = tracefs_.snapshot();
  {
    ASSERT_TRUE(open(whole_spec()));
  }
  EXPECT_EQ(tracefs_.snapshot(), before);
}

TEST_F(SessionTest, goes_to_the_top_where_an_instance_refuses_function_graph) {
  FakeTracefs old(kernel_of_old());
  use_settings(old);
  const std::string before = old.snapshot();
  auto session = TraceSession::open(old, fake_settings(scratch_), whole_spec());
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->directory(), "");
  EXPECT_EQ((*session)->path("tracing_on"), "tracing_on");
  EXPECT_FALSE(old.exists("instances/netperfd-4711"));
  EXPECT_EQ(old.get("current_tracer"), "function_graph\n");
  EXPECT_EQ(old.get("set_ftrace_notrace"), "hsr_get_node [hsr]\n");
  EXPECT_EQ(old.get("buffer_percent"), "25\n");
  EXPECT_EQ((*session)->functions(), 2U);
  ASSERT_TRUE((*session)->start({42}));
  EXPECT_EQ(old.get("set_event_pid"), "42\n");
  ASSERT_TRUE((*session)->stop());
  old.forget_operations();
  ASSERT_TRUE((*session)->restore());
  EXPECT_EQ(old.snapshot(), before);
  ASSERT_GE(old.operations().size(), 3U);
  EXPECT_EQ(describe(old.operations()[1]), "write \"nop\" to current_tracer");
  EXPECT_EQ(describe(old.operations().back()), "write \"1\" to tracing_on");
}

TEST_F(SessionTest, gives_a_ring_that_was_never_used_the_size_that_its_first_use_would_have_given_it) {
  FakeTracefs old(kernel_of_old());
  ASSERT_EQ(old.get("buffer_size_kb"), "7 (expanded: 1408)\n");
  {
    ASSERT_TRUE(TraceSession::open(old, fake_settings(scratch_), whole_spec()));
  }
  EXPECT_EQ(old.get("buffer_size_kb"), "1410\n");
}

TEST_F(SessionTest, puts_roots_of_earlier_graphs_and_a_threshold_aside_and_back) {
  tracefs_.set("set_graph_function", "ip_rcv\nhsr_get_node [hsr]\n");
  tracefs_.set("tracing_thresh", "100\n");
  const std::string before = tracefs_.snapshot();
  auto session = open(whole_spec());
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(tracefs_.get("set_graph_function"), "");
  EXPECT_EQ(tracefs_.get("tracing_thresh"), "0\n");
  ASSERT_TRUE((*session)->restore());
  EXPECT_EQ(tracefs_.get("tracing_thresh"), "100\n");
  // The fake does not resolve this; the kernel finds the module's function by its plain name as well.
  EXPECT_THAT(tracefs_.get("set_graph_function"), HasSubstr("hsr_get_node"));
}

TEST_F(SessionTest, names_functions_that_are_not_there_and_traces_the_others) {
  TraceSpec spec;
  spec.function_graph = FunctionGraphSpec{
      .module = "", .functions = {"tcp_*", "nobody", "ip_rcv"}, .exclude = {}, .depth = std::nullopt};
  const auto session = open(spec);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_THAT((*session)->missing_functions(), ElementsAre("nobody"));
  EXPECT_EQ((*session)->functions(), 3U);
}

TEST_F(SessionTest, refuses_functions_of_which_none_is_there) {
  TraceSpec spec;
  spec.function_graph =
      FunctionGraphSpec{.module = "", .functions = {"nobody"}, .exclude = {}, .depth = std::nullopt};
  const Error error = refusal(spec);
  EXPECT_EQ(error.kind, ErrorKind::invalid_argument);
  EXPECT_THAT(error.message, HasSubstr("nobody"));
}

TEST_F(SessionTest, refuses_an_exclusion_that_leaves_nothing) {
  TraceSpec spec = whole_spec();
  spec.function_graph->exclude = {"hsr_*"};
  EXPECT_THAT(refusal(spec).message, HasSubstr("leaves no function"));
}

TEST_F(SessionTest, says_whether_the_module_without_functions_is_loaded) {
  TraceSpec spec = whole_spec();
  spec.function_graph->module = "veth";
  EXPECT_THAT(refusal(spec).message, HasSubstr("module veth: no function to trace: it is not loaded"));
  scratch_.write("proc/modules", "hsr 1 0 - Live 0x0\nveth 1 0 - Live 0x0\n");
  EXPECT_THAT(refusal(spec).message, HasSubstr("it is loaded, but has none"));
}

TEST_F(SessionTest, takes_no_command_and_no_index_for_a_functions_name) {
  for (const char* name : {"schedule:traceoff", "!ip_rcv", "17", "", "ip rcv", "#x", ":mod:hsr"}) {
    TraceSpec spec;
    spec.function_graph = FunctionGraphSpec{.module = "", .functions = {name}, .exclude = {}, .depth = {}};
    EXPECT_EQ(refusal(spec).kind, ErrorKind::invalid_argument) << name;
  }
  TraceSpec spec = whole_spec();
  spec.function_graph->module = "hsr:traceoff";
  EXPECT_EQ(refusal(spec).kind, ErrorKind::invalid_argument);
}

TEST_F(SessionTest, takes_no_path_for_an_events_name) {
  for (const char* name : {"../../skb:kfree_skb", "skb:../tcp/tcp_retransmit_skb", "skb", "skb:", ":x"}) {
    TraceSpec spec;
    spec.events = {{.name = name, .filter = "", .stacktrace = false}};
    const Error error = refusal(spec);
    EXPECT_EQ(error.kind, ErrorKind::invalid_argument);
    EXPECT_THAT(error.message, HasSubstr(name));
  }
}

TEST_F(SessionTest, names_an_event_that_this_kernel_lacks) {
  TraceSpec spec;
  spec.events = {{.name = "skb:nobody", .filter = "", .stacktrace = false}};
  const Error error = refusal(spec);
  EXPECT_EQ(error.kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error.message, "skb:nobody: this kernel has no such event.");
}

TEST_F(SessionTest, names_a_field_that_an_event_lacks) {
  TraceSpec spec;
  spec.events = {{.name = "tcp:tcp_retransmit_skb", .filter = "sprt > 10", .stacktrace = false}};
  const Error error = refusal(spec);
  EXPECT_EQ(error.kind, ErrorKind::invalid_argument);
  EXPECT_EQ(
      error.message,
      "tcp:tcp_retransmit_skb: filter \"sprt > 10\" names a field sprt that the event does not have; the "
      "nearest is sport.");
}

TEST_F(SessionTest, names_a_cpu_that_is_not_there) {
  TraceSpec spec = event_spec();
  spec.cpus = {1, 9};
  EXPECT_EQ(refusal(spec).message, "cpus: this machine has no CPU 9.");
}

TEST_F(SessionTest, falls_back_to_the_next_best_clock) {
  FakeKernel kernel;
  kernel.clocks = "local global counter";
  FakeTracefs tracefs(kernel);
  const auto session = TraceSession::open(tracefs, fake_settings(scratch_), event_spec());
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->clock(), "global");
}

TEST_F(SessionTest, says_what_a_kernel_without_function_graph_lacks) {
  FakeKernel kernel;
  kernel.function_graph = false;
  FakeTracefs tracefs(kernel);
  const auto session = TraceSession::open(tracefs, fake_settings(scratch_), whole_spec());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::unsupported);
  EXPECT_TRUE(TraceSession::open(tracefs, fake_settings(scratch_), event_spec()));
}

TEST_F(SessionTest, says_that_a_locked_down_kernel_refuses_and_leaves_it_as_it_was) {
  FakeKernel kernel;
  kernel.lockdown = true;
  FakeTracefs tracefs(kernel);
  const std::string before = tracefs.snapshot();
  const auto session = TraceSession::open(tracefs, fake_settings(scratch_), whole_spec());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(session.error().message, HasSubstr("does not allow function tracing"));
  EXPECT_EQ(tracefs.snapshot(), before);
  EXPECT_TRUE(TraceSession::open(tracefs, fake_settings(scratch_), event_spec()));
}

TEST_F(SessionTest, is_refused_with_the_other_tracers_name) {
  tracefs_.set("current_tracer", "function\n");
  add_process(scratch_, 123, "trace-cmd", {"/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw"});
  const Error error = refusal(event_spec());
  EXPECT_EQ(error.kind, ErrorKind::busy);
  EXPECT_THAT(error.message, HasSubstr("trace-cmd (pid 123)"));
}

TEST_F(SessionTest, names_who_holds_the_pipe_that_keeps_the_tracer_from_being_set) {
  FakeTracefs old(kernel_of_old());
  add_process(scratch_, 7, "cat", {"/sys/kernel/tracing/trace_pipe"});
  const auto pipe = old.open("trace_pipe", OpenMode::read);
  const std::string before = old.snapshot();
  const auto session = TraceSession::open(old, fake_settings(scratch_), whole_spec());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::busy);
  EXPECT_THAT(session.error().message, HasSubstr("cat (pid 7)"));
}

TEST_F(SessionTest, is_refused_while_another_one_lives) {
  const auto first = open(event_spec());
  ASSERT_TRUE(first);
  const std::string during = tracefs_.snapshot();
  const auto second = open(event_spec());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
  // Not even with its own journal.
  SessionSettings settings = fake_settings(scratch_);
  settings.journal = scratch_.path("another");
  const auto third = TraceSession::open(tracefs_, settings, event_spec());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind, ErrorKind::busy);
  EXPECT_EQ(tracefs_.snapshot(), during);
  EXPECT_TRUE((*first)->restore());
  EXPECT_TRUE(open(event_spec()));
}

TEST_F(SessionTest, tells_of_a_neighbour_without_being_kept_by_it) {
  tracefs_.add_instance("rasdaemon");
  tracefs_.set("instances/rasdaemon/events/sched/sched_switch/enable", "1\n");
  const auto session = open(event_spec());
  ASSERT_TRUE(session);
  EXPECT_THAT((*session)->neighbours(),
              ElementsAre("events are enabled in instances/rasdaemon (sched:sched_switch)"));
}

TEST_F(SessionTest, sees_no_disturbance_where_there_is_none) {
  const auto session = open(whole_spec());
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->disturbance(), "");
  ASSERT_TRUE((*session)->start({42}));
  EXPECT_EQ((*session)->disturbance(), "");
  ASSERT_TRUE((*session)->stop());
  EXPECT_EQ((*session)->disturbance(), "");
}

TEST_F(SessionTest, sees_what_others_did_to_it) {
  const auto session = open(whole_spec());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->start({42}));
  tracefs_.unload_module("hsr");
  EXPECT_EQ((*session)->disturbance(), "the module hsr was unloaded");
  tracefs_.load_module("hsr", {"hsr_dev_xmit", "hsr_forward_skb", "hsr_get_node"});
  scratch_.write("proc/modules", "hsr 1 0 - Live 0x0\n");
  EXPECT_EQ((*session)->disturbance(), "the module hsr was unloaded and loaded again");
  const std::string instance = kInstance;
  tracefs_.set(instance + "current_tracer", "nop\n");
  EXPECT_EQ((*session)->disturbance(), "somebody changed the tracer to nop");
  tracefs_.set(instance + "events/skb/kfree_skb/enable", "0*\n");
  EXPECT_EQ((*session)->disturbance(), "somebody disabled skb:kfree_skb");
  tracefs_.set(instance + "tracing_on", "0\n");
  EXPECT_EQ((*session)->disturbance(), "somebody switched tracing off");
  tracefs_.erase("instances/netperfd-4711");
  EXPECT_THAT((*session)->disturbance(), HasSubstr("cannot be read any more"));
}

}  // namespace
}  // namespace netperfd::trace
