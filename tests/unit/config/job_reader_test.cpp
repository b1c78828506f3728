// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/job_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kSmall = R"(name: ring
workload:
  iperf3:
    server: 10.0.0.2
    duration: 10s
)";

Result<JobSpec> read(const std::string& text, const core::JobOptions& options = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = std::nullopt}, options, {});
}

// The lines of the error; empty if the job is valid.
std::vector<std::string> errors_of(const std::string& text, const core::JobOptions& options = {}) {
  const auto job = read(text, options);
  if (job) return {};
  EXPECT_EQ(job.error().kind, ErrorKind::invalid_argument);
  std::vector<std::string> lines;
  std::istringstream stream(job.error().message);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> errors_of_override(const std::string& text) {
  return errors_of(kSmall, {.overrides = {text}, .label = {}, .repeat = {}});
}

// kSmall with one more line under `iperf3:`, as line 6.
std::string with(const std::string& line) {
  return kSmall + "    "s + line + "\n";
}

TEST(JobReader, reads_every_key) {
  const auto job = read(R"(
name: all
description: every key
label: before
repeat: 4
workload:
  iperf3:
    local: {netns: right, bind: 10.0.0.2}
    netns: left
    protocol: tcp
    duration: 10s
    omit: 2s
    streams: 8
    direction: both
    bitrate: 2.5G
    interval: 500ms
    length: 64K
    window: 8M
    mss: 1400
    congestion: reno
    dscp: 46
    no_delay: true
    zerocopy: true
    dont_fragment: false
    ip_version: 4
    port: 5300
    cport: 6000
    bind: 10.0.0.1
    affinity: [2, 3]
limits: {timeout: 1min}
)");
  ASSERT_TRUE(job) << job.error().message;
  const TestSpec& test = job->test;
  EXPECT_EQ(job->name, "all");
  EXPECT_EQ(job->description, "every key");
  EXPECT_EQ(job->label, "before");
  EXPECT_EQ(job->repeat, 4U);
  ASSERT_TRUE(test.path.local);
  EXPECT_EQ(test.path.local->netns, "right");
  EXPECT_EQ(test.path.local->bind, "10.0.0.2");
  EXPECT_EQ(test.path.server, "10.0.0.2");
  EXPECT_EQ(test.path.netns, "left");
  EXPECT_EQ(test.traffic.duration, 10s);
  EXPECT_EQ(test.traffic.bytes, std::nullopt);
  EXPECT_EQ(test.traffic.omit, 2s);
  EXPECT_EQ(test.traffic.streams, 8U);
  EXPECT_EQ(test.traffic.direction, Direction::both);
  EXPECT_EQ(test.traffic.bitrate, 2'500'000'000U);
  EXPECT_EQ(test.traffic.interval, 500ms);
  EXPECT_EQ(test.iperf3.length_bytes, 65'536U);
  EXPECT_EQ(test.iperf3.window_bytes, 8U << 20U);
  EXPECT_EQ(test.iperf3.mss_bytes, 1400U);
  EXPECT_EQ(test.iperf3.congestion, "reno");
  EXPECT_EQ(test.iperf3.dscp, "46");
  EXPECT_TRUE(test.iperf3.no_delay);
  EXPECT_TRUE(test.iperf3.zerocopy);
  EXPECT_FALSE(test.iperf3.dont_fragment);
  EXPECT_EQ(test.path.ip_version, IpVersion::v4);
  EXPECT_EQ(test.iperf3.port, 5300);
  EXPECT_EQ(test.iperf3.client_port, 6000);
  EXPECT_EQ(test.path.bind, "10.0.0.1");
  EXPECT_THAT(test.iperf3.affinity, ElementsAre(2, 3));
  EXPECT_EQ(job->limits.timeout, 1min);
}

TEST(JobReader, gives_a_run_its_planned_time_and_twenty_seconds) {
  EXPECT_EQ(read(with("omit: 2s"))->limits.timeout, 32s);
  EXPECT_EQ(read("name: a\nworkload: {iperf3: {server: h, bytes: 1G}}\n")->limits.timeout, 10min);
}

TEST(JobReader, tells_the_errors_of_the_sketch) {
  const auto errors = errors_of(R"(name: ring
description: the ring of the lab

workload:
  iperf3:
    server: 10.9.0.2
    duration: 10x
    netns: ring-a
    stream: 4
)");
  EXPECT_THAT(errors,
              ElementsAre("ring.yaml:7:15: workload.iperf3.duration: \"10x\" is not a duration (a number "
                          "with ms, s, min or h, "
                          "like 10s)",
                          "ring.yaml:9:5: workload.iperf3.stream: no such key; did you mean `streams`?"));
}

TEST(JobReader, tells_all_errors_in_the_order_of_the_text) {
  const auto errors = errors_of(R"(label: "a\nb"
name: ring
repeat: many
workload:
  iperf3:
    duration: 1500ms
    streams: 200
    streams: 3
    port: 70000
    zerocopy: yes
    protocol: udpp
    colour: red
    affinity: [0, x]
limits: 60s
)");
  EXPECT_THAT(
      errors,
      ElementsAre(
          "ring.yaml:1:8: label: \"a\\nb\" is not a text of one line: character 2 is U+000A, a control "
          "character: the text must be one line",
          "ring.yaml:3:9: repeat: \"many\" is not a whole number from 0 to 4294967295",
          "ring.yaml:5:3: workload.iperf3.server: is missing: the host to measure against, or `local` for a "
          "server of netperfd's own",
          "ring.yaml:6:15: workload.iperf3.duration: 1.5 s is not a whole number of seconds, which iperf3 "
          "needs here",
          "ring.yaml:7:14: workload.iperf3.streams: 200 is out of range (1 to 128)",
          "ring.yaml:8:5: \"streams\" stands here a second time; the first is in line 7",
          "ring.yaml:9:11: workload.iperf3.port: \"70000\" is not a whole number from 0 to 65535",
          "ring.yaml:10:15: workload.iperf3.zerocopy: \"yes\" is not true or false",
          "ring.yaml:11:15: workload.iperf3.protocol: \"udpp\" is not one of tcp, udp or sctp",
          "ring.yaml:12:5: workload.iperf3.colour: no such key",
          "ring.yaml:13:15: workload.iperf3.affinity: \"x\" is not the number of a CPU",
          "ring.yaml:14:9: limits: \"60s\" is not a mapping (keys with values, indented)"));
}

TEST(JobReader, says_what_is_missing) {
  EXPECT_THAT(errors_of("workload: {iperf3: {server: h, duration: 1s}}"),
              ElementsAre("ring.yaml:1:1: name: is missing"));
  EXPECT_THAT(errors_of("name: a\n"), ElementsAre("ring.yaml:1:1: workload: is missing"));
  EXPECT_THAT(errors_of("name: a\nworkload: {}\n"),
              ElementsAre(StartsWith("ring.yaml:2:1: workload.iperf3: is missing: the traffic to make")));
  EXPECT_THAT(errors_of("name: a\nworkload:\n"),
              ElementsAre(HasSubstr("workload: has no value; expected a mapping")));
  EXPECT_THAT(errors_of("name: a\nworkload:\n  iperf3: {duration: 1s, local: {netns: right}}\n"),
              ElementsAre("ring.yaml:3:26: workload.iperf3.local.bind: is missing"));
  EXPECT_THAT(errors_of(with("omit:")),
              ElementsAre(HasSubstr("workload.iperf3.omit: has no value; expected a dur")));
}

TEST(JobReader, finds_a_key_that_stands_in_the_wrong_mapping) {
  EXPECT_THAT(errors_of("name: a\nworkload: {iperf3: {server: h}}\nduration: 1s\n"),
              ElementsAre("ring.yaml:3:1: duration: no such key; did you mean `workload.iperf3.duration`?"));
}

TEST(JobReader, keeps_errors_back_that_only_follow_from_another) {
  // If the protocol is unreadable, neither the missing bitrate nor a UDP option is reported.
  EXPECT_THAT(errors_of(with("protocol: upd")), SizeIs(1));
  EXPECT_THAT(errors_of(with("protocol: [udp]\n    dont_fragment: true\n    ip_version: 4")), SizeIs(1));
  EXPECT_THAT(errors_of("name: a\nworkload: {iperf3: {server: h, duraton: 1s}}"), SizeIs(1));
  EXPECT_THAT(errors_of("name: a\nworkload: {iperf3: {lcal: {bind: 10.0.0.1}, duration: 1s}}"), SizeIs(1));
  EXPECT_THAT(errors_of("name: a\nworkload: [x]\n"), SizeIs(1));
}

TEST(JobReader, refuses_a_server_beside_a_local_one) {
  EXPECT_THAT(
      errors_of(with("local: {bind: 10.0.0.2}")),
      ElementsAre("ring.yaml:4:5: workload.iperf3.server: stands beside `local`; a job has one of the two"));
}

TEST(JobReader, maps_a_rule_of_two_keys_to_the_place_of_one) {
  EXPECT_THAT(errors_of(with("protocol: udp")),
              ElementsAre(StartsWith("ring.yaml:3:3: workload.iperf3.bitrate: is missing")));
  EXPECT_THAT(
      errors_of(with("dont_fragment: true")),
      ElementsAre(StartsWith("ring.yaml:6:20: workload.iperf3.dont_fragment: has a meaning for udp only")));
  EXPECT_THAT(errors_of(kSmall + "limits: {timeout: 9s}\n"s),
              ElementsAre("ring.yaml:6:19: limits.timeout: 9 s is shorter than the run itself (10 s)"));
}

TEST(JobReader, takes_no_number_in_quotation_marks_but_any_word) {
  EXPECT_THAT(errors_of(with("streams: \"4\"")), SizeIs(1));
  EXPECT_THAT(errors_of(with("zerocopy: \"true\"")), SizeIs(1));
  EXPECT_THAT(errors_of(with("omit: \"2s\"")), IsEmpty());
  EXPECT_EQ(read(with("dscp: 10"))->test.iperf3.dscp, "10");
  EXPECT_EQ(read("label: 42\n"s + kSmall)->label, "42");
  EXPECT_EQ(read("label: no\n"s + kSmall)->label, "no");
}

TEST(JobReader, takes_no_number_in_another_notation) {
  for (const char* number :
       {"0x4", "1e1", "4.0", "-1", "+4", "1_000", ".inf", "99999999999999999999", "''", "4 5"}) {
    EXPECT_THAT(errors_of(with("streams: "s + number)), SizeIs(1)) << number;
  }
}

TEST(JobReader, keeps_jobs_below_the_limits_of_this_daemon) {
  const JobText job{.text =
                        "name: a\nrepeat: 5\nworkload: {iperf3: {server: h, duration: 10s}}\n"
                        "limits: {timeout: 2min}\n",
                    .origin = "x",
                    .expected_name = {}};
  EXPECT_TRUE(read_job(job, {}, {.repeat = 5, .timeout = 2min}));
  const auto refused = read_job(job, {}, {.repeat = 4, .timeout = 1min});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "x:2:9: repeat: 5 is more than this daemon allows (4)\n"
            "x:4:19: limits.timeout: 2 min is more than this daemon allows (60 s)");
}

TEST(JobReader, bounds_the_number_of_lines_of_an_error) {
  std::string text = kSmall;
  for (int i = 0; i < 500; ++i) text += "    zz" + std::to_string(i) + ": 1\n";
  const auto errors = errors_of(text);
  ASSERT_THAT(errors, SizeIs(101));
  EXPECT_EQ(errors.back(), "ring.yaml: 400 more errors");
}

TEST(JobReader, shows_nothing_of_a_value_that_moves_a_cursor) {
  const auto errors = errors_of(with(R"(netns: "\e[2J\0")"));
  EXPECT_THAT(
      errors,
      ElementsAre(
          R"(ring.yaml:6:12: workload.iperf3.netns: "\x1b[2J\x00" is not a text of one line: character 1 is U+001B, a control character)"));
  EXPECT_THAT(errors_of(with("\"\\e[2J\": 1")),
              ElementsAre(R"(ring.yaml:6:5: workload.iperf3."\x1b[2J": no such key)"));
}

TEST(JobReader, shortens_long_values_between_characters) {
  std::string umlauts = "x";
  for (int i = 0; i < 1000; ++i) umlauts += "ä";
  const auto errors = errors_of(with("protocol: " + umlauts));
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0], HasSubstr("ä\"... is not one of"));
  EXPECT_LT(errors[0].size(), 200U);
}

TEST(JobReader, does_not_print_an_origin_that_is_no_line_of_text) {
  const auto job = read_job({.text = "", .origin = "a\nb", .expected_name = {}}, {}, {});
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, StartsWith("job:1:1: "));
}

TEST(Overrides, replace_add_and_remove_keys) {
  const auto job = read(
      kSmall, {.overrides = {"workload.iperf3.streams=8", "workload.iperf3.duration=null",
                             "workload.iperf3.bytes=1G", "limits.timeout=2min", "workload.iperf3.server=null",
                             "workload.iperf3.local={netns: right, bind: 10.0.0.9}",
                             "workload.iperf3.affinity=[1, 2]", "description=a = b"},
               .label = "after",
               .repeat = 7});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->test.traffic.streams, 8U);
  EXPECT_EQ(job->test.traffic.duration, std::nullopt);
  EXPECT_EQ(job->test.traffic.bytes, 1U << 30U);
  EXPECT_EQ(job->limits.timeout, 2min);
  EXPECT_EQ(job->test.path.server, "10.0.0.9");
  EXPECT_THAT(job->test.iperf3.affinity, ElementsAre(1, 2));
  EXPECT_EQ(job->description, "a = b");
  EXPECT_EQ(job->label, "after");
  EXPECT_EQ(job->repeat, 7U);
}

TEST(Overrides, the_last_of_a_key_counts) {
  const auto job = read(
      kSmall,
      {.overrides = {"workload.iperf3.streams=8", "workload.iperf3.streams=9"}, .label = {}, .repeat = {}});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->test.traffic.streams, 9U);
}

TEST(Overrides, a_label_is_text_whatever_it_looks_like) {
  for (const char* label : {"null", "12", "true", "a: b", "[x", "# no", "~", "it's \"quoted\"", "", "- x"}) {
    const auto job = read(kSmall, {.overrides = {}, .label = label, .repeat = {}});
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->label, label);
    const auto again = read(job->text);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->label, label);
  }
}

TEST(Overrides, are_checked_like_the_text) {
  EXPECT_THAT(
      errors_of_override("workload.iperf3.streams=many"),
      ElementsAre("--set workload.iperf3.streams: \"many\" is not a whole number from 0 to 4294967295"));
  EXPECT_THAT(errors_of_override("workload.iperf3.streams=200"),
              ElementsAre("--set workload.iperf3.streams: 200 is out of range (1 to 128)"));
  EXPECT_THAT(errors_of_override("workload.iperf3.stream=8"),
              ElementsAre("--set workload.iperf3.stream: no such key; did you mean `streams`?"));
  EXPECT_THAT(errors_of_override("streams=8"),
              ElementsAre("--set streams: no such key; did you mean `workload.iperf3.streams`?"));
  EXPECT_THAT(
      errors_of_override("workload.iperf.streams=8"),
      ElementsAre("--set workload.iperf.streams: workload.iperf: no such key; did you mean `iperf3`?"));
  EXPECT_THAT(
      errors_of_override("workload.iperf3.local={bnd: 10.0.0.2}"),
      testing::Contains(
          "--set workload.iperf3.local: workload.iperf3.local.bnd: no such key; did you mean `bind`?"));
  EXPECT_THAT(errors_of_override("workload=5"),
              ElementsAre("--set workload: \"5\" is not a mapping (keys with values, indented)"));
  EXPECT_THAT(errors_of_override("name.x=5"),
              ElementsAre("--set name.x: stands below a key that is no mapping"));
  EXPECT_THAT(errors_of_override("workload.iperf3.omit=null"),
              ElementsAre("--set workload.iperf3.omit: is not set, so null has nothing to remove"));
  EXPECT_THAT(errors_of_override("workload.iperf3.streams="),
              ElementsAre("--set workload.iperf3.streams: has no value (null removes the key)"));
  EXPECT_THAT(errors_of_override("workload.iperf3.streams=[1"),
              ElementsAre("--set workload.iperf3.streams: \"[1\" cannot be read as a YAML value"));
  EXPECT_THAT(errors_of(kSmall, {.overrides = {}, .label = std::string(65, 'x'), .repeat = 0}),
              ElementsAre("--label: has 65 bytes; at most 64 are kept",
                          "--repeat: 0 is out of range; a job has at least 1 run"));
}

TEST(Overrides, of_a_wrong_form_are_refused) {
  for (const auto& text : {""s, "streams"s, "=8"s, ".a=8"s, "a.=8"s, "a..b=8"s, "a b=8"s, "A=8"s, "a=\n8"s,
                           "-x=8"s, "a="s + std::string(5000, 'x'), "a[0]=1"s}) {
    EXPECT_THAT(errors_of_override(text), ElementsAre(HasSubstr("is not of the form KEY=VALUE"))) << text;
  }
  EXPECT_THAT(
      errors_of(kSmall, {.overrides = std::vector<std::string>(101, "a=1"), .label = {}, .repeat = {}}),
      ElementsAre("--set: given more than 100 times"));
}

TEST(Overrides, come_after_the_errors_of_the_text) {
  EXPECT_THAT(
      errors_of(with("omit: x"), {.overrides = {"workload.iperf3.port=x"}, .label = {}, .repeat = {}}),
      ElementsAre(StartsWith("ring.yaml:6:11: "), StartsWith("--set workload.iperf3.port: ")));
}

TEST(EffectiveText, gives_the_same_job_again) {
  const auto job = read(kSmall + R"(    dscp: "46"
    netns: 'left'
description: >
  with a colon: and "marks",
  a # sign and ünïcode
)"s,
                        {.overrides = {"workload.iperf3.affinity=[1]"}, .label = "a: b", .repeat = 3});
  ASSERT_TRUE(job) << job.error().message;
  const auto again = read(job->text);
  ASSERT_TRUE(again) << again.error().message << "\n" << job->text;
  EXPECT_EQ(again->text, job->text);
  EXPECT_EQ(again->label, "a: b");
  EXPECT_EQ(again->repeat, 3U);
  EXPECT_EQ(again->description, "with a colon: and \"marks\", a # sign and ünïcode");
  EXPECT_EQ(again->test.iperf3.dscp, "46");
  EXPECT_EQ(again->test.path.netns, "left");
  EXPECT_THAT(again->test.iperf3.affinity, ElementsAre(1));
}

}  // namespace
}  // namespace netperfd::config
