// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/trace_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "daemon/model/job_spec.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TraceSpec a_trace() {
  TraceSpec trace;
  trace.function_graph = FunctionGraphSpec{};
  trace.function_graph->module = "hsr";
  trace.events = {{.name = "skb:kfree_skb", .filter = "reason > 2", .stacktrace = true}};
  return trace;
}

using Change = std::function<void(TraceSpec&)>;

std::vector<JobProblem> problems_of(const Change& change) {
  TraceSpec trace = a_trace();
  change(trace);
  return check_trace(trace);
}

std::vector<std::string> wrong(const Change& change) {
  std::vector<std::string> keys;
  for (const auto& problem : problems_of(change)) keys.push_back(problem.key);
  return keys;
}

Change functions(const std::vector<std::string>& names) {
  return [=](TraceSpec& t) {
    t.function_graph->module = "";
    t.function_graph->functions = names;
  };
}

Change event(const EventSpec& spec) {
  return [=](TraceSpec& t) { t.events = {spec}; };
}

TEST(TraceCheck, finds_nothing_in_a_right_trace) {
  EXPECT_THAT(check_trace(a_trace()), IsEmpty());
  EXPECT_THAT(wrong([](TraceSpec& t) { t.function_graph.reset(); }), IsEmpty());
  EXPECT_THAT(wrong([](TraceSpec& t) { t.events.clear(); }), IsEmpty());
}

TEST(TraceCheck, wants_something_to_trace) {
  EXPECT_THAT(check_trace({}), SizeIs(1));
  EXPECT_EQ(check_trace({}).at(0).key, "trace");
}

TEST(TraceCheck, wants_exactly_one_of_module_and_functions) {
  EXPECT_THAT(wrong(functions({})), ElementsAre("trace.function_graph"));
  EXPECT_THAT(wrong(functions({"tcp_sendmsg"})), IsEmpty());
  EXPECT_THAT(wrong([](TraceSpec& t) { t.function_graph->functions = {"tcp_sendmsg"}; }),
              ElementsAre("trace.function_graph.functions"));
}

TEST(TraceCheck, wants_names_that_a_module_can_have) {
  const auto module = [](const std::string& name) {
    return [=](TraceSpec& t) { t.function_graph->module = name; };
  };
  for (const auto& name : {"hsr"s, "nf-tables"s, "8021q"s, std::string(55, 'm')}) {
    EXPECT_THAT(wrong(module(name)), IsEmpty()) << name;
  }
  for (const auto& name : {"a b"s, "../x"s, "a:b"s, "h*"s, "hsr\n"s, "h\0r"s, "ä"s, std::string(56, 'm')}) {
    EXPECT_THAT(wrong(module(name)), ElementsAre("trace.function_graph.module")) << name;
  }
}

TEST(TraceCheck, takes_only_functions_that_are_no_command_of_the_filter_file) {
  for (const auto& name :
       {"tcp_sendmsg"s, "ip_*"s, "*rcv*"s, "tcp_[ab]?"s, "foo.isra.0"s, "*"s, std::string(127, 'f')}) {
    EXPECT_THAT(wrong(functions({name})), IsEmpty()) << name;
  }
  for (const auto& name : {""s, "a b"s, "a\tb"s, "a\n"s, ":mod:hsr"s, "schedule:traceoff"s, "!tcp"s, "#x"s,
                           "17"s, "f\0g"s, "\x7f"s, "ä"s, std::string(128, 'f')}) {
    EXPECT_THAT(wrong(functions({"good", name})), ElementsAre("trace.function_graph.functions[1]")) << name;
    EXPECT_THAT(wrong([&](TraceSpec& t) { t.function_graph->exclude = {name}; }),
                ElementsAre("trace.function_graph.exclude[0]"))
        << name;
  }
}

TEST(TraceCheck, bounds_the_number_of_functions) {
  EXPECT_THAT(wrong(functions(std::vector<std::string>(512, "f"))), IsEmpty());
  EXPECT_THAT(wrong(functions(std::vector<std::string>(513, "f"))),
              ElementsAre("trace.function_graph.functions"));
  EXPECT_THAT(wrong([](TraceSpec& t) { t.function_graph->exclude.assign(513, "f"); }),
              ElementsAre("trace.function_graph.exclude"));
}

TEST(TraceCheck, wants_a_depth_of_at_least_1) {
  const auto depth = [](std::uint32_t value) {
    return [=](TraceSpec& t) { t.function_graph->depth = value; };
  };
  EXPECT_THAT(wrong(depth(1)), IsEmpty());
  EXPECT_THAT(wrong(depth(0)), ElementsAre("trace.function_graph.depth"));
}

TEST(TraceCheck, wants_events_by_system_and_name) {
  for (const auto& name : {"skb:kfree_skb"s, "tcp:tcp-x"s, "a:b"s, "s:" + std::string(125, 'e')}) {
    EXPECT_THAT(wrong(event({name, "", false})), IsEmpty()) << name;
  }
  for (const auto& name : {""s, ":"s, "kfree_skb"s, "skb:"s, ":kfree_skb"s, "a:b:c"s, "skb:*"s, "../a:b"s,
                           "a/b:c"s, "a:b "s, "a:b\n"s, "a:b\0"s, "s:" + std::string(126, 'e')}) {
    EXPECT_THAT(wrong(event({name, "", false})), ElementsAre("trace.events[0].name")) << name;
  }
}

TEST(TraceCheck, wants_each_event_once_and_not_too_many) {
  EXPECT_THAT(
      wrong([](TraceSpec& t) { t.events = {{"a:b", "", false}, {"a:c", "", false}, {"a:b", "x", true}}; }),
      ElementsAre("trace.events[2].name"));
  const auto many = [](int count) {
    return [=](TraceSpec& t) {
      t.events.clear();
      for (int i = 0; i < count; ++i) t.events.push_back({"a:b" + std::to_string(i), "", false});
    };
  };
  EXPECT_THAT(wrong(many(64)), IsEmpty());
  EXPECT_THAT(wrong(many(65)), ElementsAre("trace.events"));
}

TEST(TraceCheck, wants_filters_of_one_line) {
  for (const auto& filter : {"sport > 1000 && comm ~ \"ip*\""s, "nonsense ("s, std::string(1024, '1')}) {
    EXPECT_THAT(wrong(event({"a:b", filter, false})), IsEmpty()) << filter;
  }
  for (const auto& filter : {"a == 1\n0"s, "a\0"s, "\x1b"s, "\xff"s, std::string(1025, '1')}) {
    EXPECT_THAT(wrong(event({"a:b", filter, false})), ElementsAre("trace.events[0].filter")) << filter;
  }
}

TEST(TraceCheck, wants_each_cpu_once_and_in_range) {
  const auto cpus = [](const std::vector<std::uint32_t>& list) {
    return [=](TraceSpec& t) { t.cpus = list; };
  };
  EXPECT_THAT(wrong(cpus({0, 1023})), IsEmpty());
  EXPECT_THAT(wrong(cpus({0, 1024})), ElementsAre("trace.cpus[1]"));
  EXPECT_THAT(wrong(cpus({2, 1, 2})), ElementsAre("trace.cpus[2]"));
}

TEST(TraceCheck, bounds_the_buffer) {
  const auto buffer = [](std::uint64_t bytes) { return [=](TraceSpec& t) { t.buffer_bytes = bytes; }; };
  EXPECT_THAT(wrong(buffer(65'536)), IsEmpty());
  EXPECT_THAT(wrong(buffer(1U << 30U)), IsEmpty());
  EXPECT_THAT(wrong(buffer(65'535)), ElementsAre("trace.buffer"));
  EXPECT_THAT(wrong(buffer((1U << 30U) + 1)), ElementsAre("trace.buffer"));
}

TEST(TraceCheck, bounds_the_raw_bytes_to_keep) {
  const auto raw = [](std::uint64_t bytes) { return [=](TraceSpec& t) { t.keep_raw_bytes = bytes; }; };
  EXPECT_THAT(wrong(raw(1U << 20U)), IsEmpty());
  EXPECT_THAT(wrong(raw(256U << 20U)), IsEmpty());
  EXPECT_THAT(wrong(raw(0)), ElementsAre("trace.keep_raw"));
  EXPECT_THAT(wrong(raw((1U << 20U) - 1)), ElementsAre("trace.keep_raw"));
  EXPECT_THAT(wrong(raw((256U << 20U) + 1)), ElementsAre("trace.keep_raw"));
  EXPECT_THAT(wrong([](TraceSpec& t) {
                t.events.clear();
                t.function_graph.reset();
                t.keep_raw_bytes = 1U << 20U;
              }),
              ElementsAre("trace"));
}

TEST(TraceCheck, shows_no_more_of_a_wrong_name_than_a_line_holds) {
  const auto problems = problems_of(functions({std::string(5000, 'x') + "\n"}));
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_LT(problems[0].message.size(), 300U);
}

// ---- Jobs without a workload ------------------------------------------------------------------------------

JobSpec a_watching_job() {
  JobSpec job;
  job.name = "watch";
  job.workload = workload::traits_of("none");
  job.trace = a_trace();
  job.limits.timeout = 10min;
  return job;
}

std::vector<std::string> wrong_job(const std::function<void(JobSpec&)>& change) {
  JobSpec job = a_watching_job();
  change(job);
  std::vector<std::string> keys;
  for (const auto& problem : check(job)) keys.push_back(problem.key);
  return keys;
}

TEST(WatchingJob, needs_nothing_of_iperf3) {
  EXPECT_THAT(check(a_watching_job()), IsEmpty());
}

TEST(WatchingJob, has_one_run_that_nothing_bounds_but_its_timeout) {
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.repeat = 2; }), ElementsAre("repeat"));
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.repeat = 0; }), ElementsAre("repeat"));
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.limits.timeout = 0s; }), ElementsAre("limits.timeout"));
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.limits.timeout = 1ms; }), IsEmpty());
}

TEST(WatchingJob, is_nothing_without_its_trace) {
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.trace.reset(); }), ElementsAre("trace"));
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.trace->optional = true; }), ElementsAre("trace.optional"));
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.trace->workload_only = true; }), ElementsAre("trace.pid"));
  EXPECT_THAT(wrong_job([](JobSpec& j) { j.trace->events[0].name = "x"; }),
              ElementsAre("trace.events[0].name"));
}

TEST(WatchingJob, has_no_say_in_a_job_of_iperf3) {
  const auto iperf3 = [](JobSpec& j) {
    j.workload = workload::traits_of("iperf3");
    j.test.path.server = "10.0.0.2";
    j.test.traffic.duration = 10s;
    j.repeat = 3;
    j.trace->optional = true;
    j.trace->workload_only = true;
  };
  EXPECT_THAT(wrong_job(iperf3), IsEmpty());
  EXPECT_THAT(wrong_job([&](JobSpec& j) {
                iperf3(j);
                j.trace->cpus = {5000};
              }),
              ElementsAre("trace.cpus[0]"));
}

}  // namespace
}  // namespace netperfd
