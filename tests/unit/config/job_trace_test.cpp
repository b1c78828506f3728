// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a trace, and jobs without a workload.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kWatch = R"(name: watch
workload:
  none: {until: stop}
trace:
  events:
    - skb:kfree_skb
    - {name: tcp:tcp_retransmit_skb, filter: 'sport > 1000', stacktrace: true}
)";

Result<JobSpec> read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = std::nullopt},
                  {.overrides = overrides, .label = {}, .repeat = {}}, {});
}

// The lines of the error; empty if the job is valid.
std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto job = read(text, overrides);
  if (job) return {};
  std::vector<std::string> lines;
  std::istringstream stream(job.error().message);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A job of iperf3 with these lines of `trace`, the first of which is line 4.
std::string traced(const std::string& trace) {
  return "name: ring\nworkload: {iperf3: {server: h, duration: 1s}}\ntrace:\n" + trace;
}

TEST(JobTrace, reads_every_key) {
  const auto job = read(traced(R"(  function_graph:
    functions: [tcp_sendmsg, 'ip_*']
    exclude: [ip_rcv]
    depth: 2
  events:
    - skb:kfree_skb
    - name: tcp:tcp_retransmit_skb
      filter: sport > 1000
      stacktrace: true
  pid: workload
  cpus: [0, 1]
  buffer: 8M
  keep_raw: 64M
  optional: true
)"));
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_TRUE(job->trace);
  const TraceSpec& trace = *job->trace;
  ASSERT_TRUE(trace.function_graph);
  EXPECT_THAT(trace.function_graph->functions, ElementsAre("tcp_sendmsg", "ip_*"));
  EXPECT_THAT(trace.function_graph->exclude, ElementsAre("ip_rcv"));
  EXPECT_EQ(trace.function_graph->module, "");
  EXPECT_EQ(trace.function_graph->depth, 2U);
  EXPECT_THAT(trace.events, ElementsAre(EventSpec{"skb:kfree_skb", "", false},
                                        EventSpec{"tcp:tcp_retransmit_skb", "sport > 1000", true}));
  EXPECT_TRUE(trace.workload_only);
  EXPECT_THAT(trace.cpus, ElementsAre(0, 1));
  EXPECT_EQ(trace.buffer_bytes, 8U << 20U);
  EXPECT_EQ(trace.keep_raw_bytes, 64U << 20U);
  EXPECT_TRUE(trace.optional);
  EXPECT_EQ(job->workload.name, "iperf3");
  EXPECT_EQ(read(traced("  function_graph: {module: hsr}\n"))->trace->function_graph->module, "hsr");
}

TEST(JobTrace, has_defaults_that_leave_the_choice_to_netperfd) {
  const auto job = read(traced("  events: [skb:kfree_skb]\n"));
  ASSERT_TRUE(job) << job.error().message;
  TraceSpec expected;
  expected.events = {{"skb:kfree_skb", "", false}};
  expected.of_others = true;  // the text is a caller's
  EXPECT_EQ(job->trace, expected);
  EXPECT_EQ(read("name: a\nworkload: {iperf3: {server: h, duration: 1s}}\n")->trace, std::nullopt);
}

TEST(JobTrace, keeps_raw_bytes_of_events_and_of_functions) {
  for (const char* what : {"events: [skb:kfree_skb]", "function_graph: {module: hsr}"}) {
    const auto job = read(traced(fmt::format("  {}\n  keep_raw: 1M\n", what)));
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->trace->keep_raw_bytes, 1U << 20U);
    EXPECT_THAT(job->text, HasSubstr("keep_raw: 1M")) << "what the store keeps of it";
  }
  const auto changed = read(traced("  events: [skb:kfree_skb]\n"), {"trace.keep_raw=256M"});
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(changed->trace->keep_raw_bytes, 256U << 20U);
  EXPECT_THAT(changed->text, HasSubstr("keep_raw: 256M"));
  EXPECT_THAT(errors_of(traced("  keep_raw: 1M\n")),
              ElementsAre("ring.yaml:4:3: trace: asks for nothing; give `events`, `function_graph` or both"));
  EXPECT_THAT(errors_of(traced("  events: [skb:kfree_skb]\n  keep_raw: all\n")),
              ElementsAre(StartsWith("ring.yaml:5:13: trace.keep_raw: \"all\" is not a number of bytes")));
}

// A run of that kind is made only from an imported file, never from a text.
TEST(JobTrace, cannot_be_that_of_an_imported_file) {
  const std::string rest = "trace: {events: [skb:kfree_skb]}\n";
  EXPECT_THAT(errors_of("name: a\nworkload: {import: {}}\n" + rest),
              ElementsAre(StartsWith("ring.yaml:2:1: workload.iperf3: is missing"),
                          "ring.yaml:2:12: workload.import: no such key"));
  EXPECT_THAT(errors_of("name: a\nworkload: import\n" + rest),
              ElementsAre(StartsWith("ring.yaml:2:11: workload: \"import\" is not a mapping")));
  EXPECT_THAT(errors_of(kWatch, {"workload.import=true"}), ElementsAre("--set workload.import: no such key"));
}

TEST(JobTrace, of_a_job_without_a_workload_ends_with_it_or_after_ten_minutes) {
  const auto job = read(kWatch);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->workload.name, "none");
  EXPECT_EQ(job->test, TestSpec{});
  EXPECT_EQ(job->limits.timeout, 10min);
  EXPECT_EQ(job->repeat, 1U);
}

TEST(JobTrace, tells_all_errors_in_the_order_of_the_text) {
  EXPECT_THAT(
      errors_of(traced(R"(  function_graph:
    functions: [good, ':mod:x']
    exlude: [a]
    depth: 0
  events:
    - skb kfree
    - {name: tcp:a, filer: x}
    - {filter: x}
    - [tcp:b]
    - ~
    - {name: tcp:c, stacktrace: 1, filter: "a\tb"}
    - tcp:a
  filter: a
  pid: 4711
  cpus: [0, 0]
  buffer: 1K
  keep_raw: 1000K
)")),
      ElementsAre(
          StartsWith(
              "ring.yaml:5:23: trace.function_graph.functions[1]: \":mod:x\" is not the name of a function "
              "or a glob"),
          "ring.yaml:6:5: trace.function_graph.exlude: no such key; did you mean `exclude`?",
          StartsWith("ring.yaml:7:12: trace.function_graph.depth: 0 is out of range"),
          "ring.yaml:9:7: trace.events[0].name: \"skb kfree\" is not the name of an event (SYSTEM:EVENT, "
          "such as "
          "skb:kfree_skb)",
          "ring.yaml:10:21: trace.events[1].filer: no such key; did you mean `filter`?",
          "ring.yaml:11:7: trace.events[2].name: is missing",
          "ring.yaml:12:7: trace.events[3]: a list is not a mapping (keys with values, indented)",
          StartsWith("ring.yaml:13:7: trace.events[4]: has no value; expected a mapping"),
          "ring.yaml:14:33: trace.events[5].stacktrace: \"1\" is not true or false",
          "ring.yaml:14:44: trace.events[5].filter: \"a\\tb\" is not a text of one line: character 2 is "
          "U+0009, a control character",
          "ring.yaml:15:7: trace.events[6].name: tcp:a is in the list a second time",
          "ring.yaml:16:3: trace.filter: no such key; did you mean `trace.events[].filter`?",
          "ring.yaml:17:8: trace.pid: \"4711\" is not workload (the one value there is)",
          "ring.yaml:18:13: trace.cpus[1]: 0 is in the list a second time",
          "ring.yaml:19:11: trace.buffer: 1024 bytes is out of range (64K to 1G, of each CPU)",
          "ring.yaml:20:13: trace.keep_raw: 1024000 bytes is out of range (1M to 256M, of all CPUs)"));
}

TEST(JobTrace, keeps_errors_back_that_only_follow_from_another) {
  for (const auto* trace : {"  event: [skb:kfree_skb]\n", "  events: skb:kfree_skb\n", "  events: [~]\n",
                            "  function_graph: hsr\n", "  function_graph: {modul: hsr}\n",
                            "  function_graph: {functions: tcp_sendmsg}\n",
                            "  function_graph: {functions: []}\n", "  function_graph: {module: [hsr]}\n"}) {
    EXPECT_THAT(errors_of(traced(trace)), testing::SizeIs(1)) << trace;
  }
}

TEST(JobTrace, says_what_a_list_is_expected_to_be) {
  EXPECT_THAT(
      errors_of(traced("  events: skb:kfree_skb\n")),
      ElementsAre(StartsWith("ring.yaml:4:11: trace.events: \"skb:kfree_skb\" is not a list of events")));
  EXPECT_THAT(
      errors_of(traced("  events: [a:b]\n  cpus: []\n")),
      ElementsAre(HasSubstr("trace.cpus: an empty list is not a list of CPU numbers (like [2] or [2, 3])")));
}

TEST(JobTrace, asks_for_nothing_where_it_is_empty) {
  for (const auto* trace : {"  {}\n", "  events: []\n", "  optional: true\n"}) {
    EXPECT_THAT(
        errors_of(traced(trace)),
        ElementsAre(StartsWith("ring.yaml:4:3: trace: asks for nothing; give `events`, `function_graph`")))
        << trace;
  }
  EXPECT_THAT(
      errors_of(traced("  function_graph: {depth: 1}\n")),
      ElementsAre("ring.yaml:4:19: trace.function_graph: names no function; give `module` or `functions`"));
}

TEST(JobTrace, says_that_a_glob_needs_quotation_marks) {
  EXPECT_THAT(errors_of(traced("  function_graph: {functions: [*rcv]}\n")),
              ElementsAre(HasSubstr("; a text that begins with * needs quotation marks")));
  EXPECT_THAT(errors_of("a: {\n"), ElementsAre(testing::Not(HasSubstr("quotation"))));
}

TEST(JobTrace, takes_overrides_of_whole_lists_and_of_single_keys) {
  const auto job = read(kWatch, {"trace.events=[net:netif_rx, {name: skb:kfree_skb, filter: 'reason != 2'}]",
                                 "trace.function_graph.module=hsr", "trace.buffer=1M"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->trace->events, ElementsAre(EventSpec{"net:netif_rx", "", false},
                                              EventSpec{"skb:kfree_skb", "reason != 2", false}));
  EXPECT_EQ(job->trace->function_graph->module, "hsr");
  EXPECT_EQ(job->trace->buffer_bytes, 1U << 20U);
  EXPECT_EQ(read(traced("  events: [a:b]\n"), {"trace=null"})->trace, std::nullopt);

  EXPECT_THAT(errors_of(kWatch, {"trace.events=[a:b, {nam: x}]"}),
              ElementsAre("--set trace.events: trace.events[1].nam: no such key; did you mean `name`?"));
  EXPECT_THAT(errors_of(kWatch, {"trace.events=[a:b, oops]"}),
              ElementsAre(StartsWith(
                  "--set trace.events: trace.events[1].name: \"oops\" is not the name of an event")));
  EXPECT_THAT(errors_of(kWatch, {"trace.events.name=x"}),
              ElementsAre("--set trace.events.name: stands below a key that is no mapping"));
}

TEST(JobTrace, may_have_all_that_its_rules_allow) {
  std::string text = "name: a\nworkload: {none: {until: stop}}\ntrace:\n  function_graph: {functions: [f0";
  for (int i = 1; i < 512; ++i) text += ", f" + std::to_string(i);
  text += "], exclude: [g0";
  for (int i = 1; i < 512; ++i) text += ", g" + std::to_string(i);
  text += "]}\n  events:\n";
  for (int i = 0; i < 64; ++i) {
    text += "    - {name: a:e" + std::to_string(i) + ", filter: x > 1, stacktrace: true}\n";
  }
  const auto job = read(text);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->trace->function_graph->exclude.size(), 512U);
  EXPECT_EQ(job->trace->events.size(), 64U);
}

TEST(JobTrace, is_kept_whole_in_the_text_of_the_job) {
  const auto job =
      read(traced(R"(  function_graph: {functions: ['*rcv', "a[bc]?"], exclude: ['-*', 'ip_?'], depth: 3}
  events:
    - skb:kfree_skb
    - {name: tcp:x, filter: 'comm == "a: b" && n != 0 # {no} [end]', stacktrace: true}
  cpus: [1]
)"));
  ASSERT_TRUE(job) << job.error().message;
  const auto again = read(job->text);
  ASSERT_TRUE(again) << again.error().message << "\n" << job->text;
  EXPECT_EQ(*again, *job) << job->text;
  EXPECT_EQ(again->trace->events[1].filter, "comm == \"a: b\" && n != 0 # {no} [end]");
  EXPECT_THAT(again->trace->function_graph->exclude, ElementsAre("-*", "ip_?"));

  const auto watch = read(kWatch);
  ASSERT_TRUE(watch) << watch.error().message;
  EXPECT_EQ(*read(watch->text), *watch) << watch->text;
}

TEST(Workload, is_one_of_the_two) {
  EXPECT_THAT(errors_of("name: a\nworkload:\n  iperf3: {server: h, duration: 1s}\n  none: {until: stop}\n"),
              ElementsAre("ring.yaml:4:3: workload.none: stands beside `iperf3`; a job has one of them"));
  EXPECT_THAT(
      errors_of("name: a\nworkload: {}\ntrace: {events: [a:b]}\n"),
      ElementsAre("ring.yaml:2:1: workload.iperf3: is missing: the traffic to make, `latency` for probes "
                  "alone, `netperf` for transactions or a stream, `sockperf` for messages and their answers, "
                  "`command` for any other program, or `none` to watch somebody else's"));
  EXPECT_THAT(errors_of("name: a\nworkload: {non: {until: stop}}\ntrace: {events: [a:b]}\n"),
              ElementsAre("ring.yaml:2:12: workload.non: no such key; did you mean `none`?"));
}

TEST(Workload, of_none_says_how_it_ends) {
  EXPECT_THAT(errors_of("name: a\nworkload: {none: {}}\ntrace: {events: [a:b]}\n"),
              ElementsAre("ring.yaml:2:12: workload.none.until: is missing"));
  EXPECT_THAT(
      errors_of("name: a\nworkload: {none: {until: end}}\ntrace: {events: [a:b]}\n"),
      ElementsAre("ring.yaml:2:26: workload.none.until: \"end\" is not stop (the one value there is)"));
}

TEST(Workload, of_none_needs_a_trace_and_has_one_run) {
  EXPECT_THAT(
      errors_of("name: a\nworkload: {none: {until: stop}}\n"),
      ElementsAre("ring.yaml:1:1: trace: is missing: what to watch, since workload none makes no traffic"));
  EXPECT_THAT(
      errors_of(fmt::format("repeat: 3\n{}", kWatch)),
      ElementsAre("ring.yaml:1:9: repeat: 3 is out of range; a job with workload none has 1 run, which its "
                  "caller ends"));
  EXPECT_THAT(errors_of(kWatch + "  optional: true\n  pid: workload\n"s),
              ElementsAre(StartsWith("ring.yaml:8:13: trace.optional: would leave nothing to do"),
                          StartsWith("ring.yaml:9:8: trace.pid: means the tasks of the workload")));
}

TEST(JobTrace, of_a_text_that_others_can_change_is_not_roots) {
  const std::string text = "name: x\nworkload: {none: {until: stop}}\ntrace:\n  events: [printk:console]\n";
  for (const char* refused : {"", "others than its owner may write it"}) {
    const auto job = read_job(
        {.text = text, .origin = "x.yaml", .expected_name = {}, .commands_refused = refused}, {}, {});
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->trace->of_others, *refused != '\0') << refused;
  }
}

}  // namespace
}  // namespace netperfd::config
