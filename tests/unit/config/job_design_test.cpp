// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a design, and who may give its commands.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Lines = std::vector<std::string>;

constexpr const char* kJob = R"(name: ring
repeat: 5
workload: {iperf3: {server: h, duration: 1s}}
)";
constexpr const char* kTrace = "trace: {function_graph: {module: hsr}}\n";

// read() takes a text that may have commands, read_callers() a caller's text.
Result<JobSpec> read(const std::string& text, const core::JobOptions& options = {},
                     const JobLimits& limits = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}, .commands_refused = {}}, options,
                  limits);
}
Result<JobSpec> read_callers(const std::string& text, const core::JobOptions& options = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}}, options, {});
}

Lines lines_of(const Result<JobSpec>& job) {
  if (job) return {};
  Lines lines;
  std::istringstream stream(job.error().message);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

core::JobOptions overriding(const std::string& text) {
  return {.overrides = {text}, .label = {}, .repeat = {}};
}

// A job with these lines of `design`, the first of which is line 5.
std::string with_design(const std::string& design) {
  return kJob + "design:\n"s + design;
}
std::string traced_with_design(const std::string& design) {
  return kJob + "design:\n"s + design + kTrace;
}

constexpr const char* kCommands = R"(  a: {name: list, switch: [/usr/libexec/use, list], check: [/bin/true]}
  b: {name: hash, switch: [/usr/libexec/use, hash]}
  changed: ['module:hsr']
)";

TEST(JobDesign, reads_every_key) {
  const auto job = read(traced_with_design(R"(  arms: [traced, plain]
  a:
    name: list
    switch: [/usr/libexec/use, list, 5, 'on']
    check: [/bin/true]
  b:
    name: hash
    switch:
      - /usr/libexec/use
      - hash
    check: [/bin/test, -e, /sys]
  changed: ['module:hsr', kernel]
  seed: 18446744073709551615
)"));
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_TRUE(job->design);
  const Design expected{.a = Variant{.name = "list",
                                     .apply = {"/usr/libexec/use", "list", "5", "on"},
                                     .verify = {"/bin/true"},
                                     .builds = {}},
                        .b = Variant{.name = "hash",
                                     .apply = {"/usr/libexec/use", "hash"},
                                     .verify = {"/bin/test", "-e", "/sys"},
                                     .builds = {}},
                        .plain = true,
                        .changed = {"module:hsr", "kernel"},
                        .seed = 18446744073709551615U};
  EXPECT_EQ(*job->design, expected);
  EXPECT_EQ(job->repeat, 5U);
  EXPECT_EQ(job->purpose, JobPurpose::measurement);
}

TEST(JobDesign, is_absent_where_the_text_has_none) {
  EXPECT_EQ(read(kJob)->design, std::nullopt);
}

TEST(JobDesign, survives_its_own_text) {
  const auto job = read(traced_with_design(kCommands));
  ASSERT_TRUE(job) << job.error().message;
  const auto again = read(job->text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *job);
}

TEST(JobDesign, calls_the_sides_a_and_b_where_they_have_no_name) {
  const auto job = read(with_design("  a: {check: [/bin/true]}\n  b: {check: [/bin/true]}\n"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->design->a->name, "A");
  EXPECT_EQ(job->design->b->name, "B");
  EXPECT_THAT(job->design->a->apply, IsEmpty());
}

TEST(JobDesign, has_plain_runs_beside_traced_ones_where_there_are_variants) {
  const std::string sides = "  a: {name: x}\n  b: {name: y}\n";
  EXPECT_TRUE(read(traced_with_design(sides))->design->plain);
  EXPECT_FALSE(read(with_design(sides))->design->plain);
  EXPECT_FALSE(read(traced_with_design(sides + "  arms: [traced]\n"))->design->plain);
  EXPECT_FALSE(read(with_design(sides + "  arms: [plain]\n"))->design->plain);
}

TEST(JobDesign, may_be_of_plain_and_traced_runs_only) {
  const auto job = read(traced_with_design("  arms: [plain, traced]\n"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->design->plain);
  EXPECT_FALSE(job->design->has_variants());
}

TEST(JobDesign, refuses_arms_that_do_not_fit_the_trace) {
  EXPECT_THAT(lines_of(read(with_design("  arms: [plain, traced]\n  a: {}\n  b: {}\n"))),
              ElementsAre(AllOf(StartsWith("ring.yaml:5:9: design.arms: "), HasSubstr("has no `trace`"))));
  EXPECT_THAT(lines_of(read(with_design("  arms: [traced]\n  a: {}\n  b: {}\n"))),
              ElementsAre(AllOf(StartsWith("ring.yaml:5:9: design.arms: "), HasSubstr("has no `trace`"))));
  EXPECT_THAT(lines_of(read(traced_with_design("  arms: [plain]\n  a: {}\n  b: {}\n"))),
              ElementsAre(AllOf(StartsWith("ring.yaml:5:9: design.arms: "), HasSubstr("leaves no run"))));
  EXPECT_THAT(lines_of(read(traced_with_design("  arms: [plain, traced, plain]\n"))),
              ElementsAre("ring.yaml:5:9: design.arms: has a word a second time"));
}

TEST(JobDesign, refuses_a_comparison_of_nothing) {
  for (const char* design : {"  seed: 1\n", "  arms: [traced]\n"}) {
    EXPECT_THAT(lines_of(read(traced_with_design(design))),
                ElementsAre(HasSubstr("design: compares nothing")))
        << design;
  }
  EXPECT_THAT(lines_of(read(kJob + "design: {}\n"s)),
              ElementsAre(StartsWith("ring.yaml:4:9: design: compares nothing")));
  EXPECT_THAT(lines_of(read(with_design("  a: {name: x}\n"))),
              ElementsAre(HasSubstr("design.b: is missing")));
}

TEST(JobDesign, tells_what_it_expected_of_a_wrong_type) {
  const auto only = [](const std::string& design) {
    const Lines lines = lines_of(read(with_design(design)));
    return lines.size() == 1 ? lines[0] : fmt::format("{} lines", lines.size());
  };
  const std::string b = "  b: {}\n";
  EXPECT_THAT(only("  a: {switch: /bin/true}\n" + b),
              StartsWith("ring.yaml:5:15: design.a.switch: \"/bin/true\" is not a list of words"));
  EXPECT_THAT(only("  a: {switch: []}\n" + b),
              HasSubstr("design.a.switch: an empty list is not a list of words"));
  EXPECT_THAT(only("  a: {switch: }\n" + b), HasSubstr("design.a.switch: has no value"));
  EXPECT_THAT(only("  a: {check: {x: y}}\n" + b),
              HasSubstr("design.a.check: a mapping is not a list of words"));
  EXPECT_THAT(only("  a: {switch: [/bin/true, [x]]}\n" + b), HasSubstr("a list is not a text of one line"));
  EXPECT_THAT(only("  a: {switch: [/bin/true, ]}\n  b: {switch: [true]}\n"),
              HasSubstr("design.b.switch[0]: \"true\" is not the absolute path of a program"));
  EXPECT_THAT(only("  a: {switch: [\"/bin/x\\0y\"]}\n" + b), HasSubstr("design.a.switch: "));
  EXPECT_THAT(only("  a: {switch: [\"/bin/x\\ny\"]}\n" + b), HasSubstr("is not a text of one line"));
  EXPECT_THAT(only("  a: x\n" + b), HasSubstr("design.a: \"x\" is not a mapping"));
  EXPECT_THAT(only("  a: {}\n  b: [x]\n"), HasSubstr("design.b: a list is not a mapping"));
  EXPECT_THAT(only("  a: {}\n" + b + "  arms: [quick]\n"),
              HasSubstr("\"quick\" is not one of plain or traced"));
  EXPECT_THAT(only("  a: {}\n" + b + "  arms: []\n"), HasSubstr("design.arms: an empty list"));
  EXPECT_THAT(only("  a: {}\n" + b + "  changed: kernel\n"), HasSubstr("is not a list of groups of facts"));
  EXPECT_THAT(only("  a: {}\n" + b + "  changed: [colour]\n"),
              StartsWith("ring.yaml:7:13: design.changed[0]: \"colour\" is no group"));
  EXPECT_THAT(only("  a: {}\n" + b + "  seed: -1\n"), HasSubstr("design.seed: \"-1\" is not a whole number"));
  EXPECT_THAT(only("  a: {}\n" + b + "  seed: 18446744073709551616\n"), HasSubstr("is not a whole number"));
  EXPECT_THAT(only("  a: {swich: [/bin/true]}\n" + b),
              HasSubstr("design.a.swich: no such key; did you mean `switch`?"));
}

TEST(JobDesign, is_refused_to_a_workload_that_only_a_stop_ends) {
  EXPECT_THAT(lines_of(read("name: x\nworkload: {none: {until: stop}}\ndesign: {a: {}, b: {}}\n"s + kTrace)),
              ElementsAre(HasSubstr("design: needs runs that end by themselves")));
}

TEST(JobCommands, of_a_caller_are_refused_each_with_its_place) {
  const std::string expected =
      "would run as root, so only a scenario that nobody but root can change may have it, and this text is a "
      "caller's";
  EXPECT_THAT(lines_of(read_callers(with_design(kCommands))),
              ElementsAre("ring.yaml:5:27: design.a.switch: " + expected,
                          "ring.yaml:5:60: design.a.check: " + expected,
                          "ring.yaml:6:27: design.b.switch: " + expected));
}

TEST(JobCommands, are_refused_to_a_caller_in_every_spelling) {
  for (const char* design : {
           "  a: {switch: [/bin/sh]}\n  b: {switch: [/bin/sh]}\n",
           "  'a': {'switch': ['/bin/sh']}\n  \"b\": {\"switch\": [\"/bin/sh\"]}\n",
           "  \"\\x61\": {\"s\\u0077itch\": [/bin/sh]}\n  b: {switch: [/bin/sh]}\n",
           "  a: {check: [/bin/sh]}\n  b: {check: [/bin/sh]}\n",
           "  a:\n    check:\n    - /bin/sh\n    - -c\n    - 'true'\n  b: {}\n",
           "  ? a\n  : {check: [/bin/sh]}\n  b: {}\n",
       }) {
    EXPECT_THAT(lines_of(read_callers(with_design(design))),
                AllOf(Not(IsEmpty()), Each(HasSubstr("would run as root"))))
        << design;
  }
}

TEST(JobCommands, do_not_hide_behind_a_key_given_twice_an_alias_or_a_path) {
  for (const char* design : {
           "  a: {}\n  a: {switch: [/bin/sh]}\n  b: {}\n",
           "  a: &x {switch: [/bin/sh]}\n  b: *x\n",
           "  a: {<<: {switch: [/bin/sh]}}\n  b: {}\n",
           "  a.switch: [/bin/sh]\n  b: {}\n",
           "  a: {}\n  b: {}\ndesign.a.switch: [/bin/sh]\n",
           "  a: {}\n  b: {}\ndesign: {a: {switch: [/bin/sh]}, b: {}}\n",
       }) {
    EXPECT_FALSE(read_callers(with_design(design))) << design;
  }
}

TEST(JobCommands, are_not_needed_for_an_a_a_of_a_caller) {
  const auto job = read_callers(with_design("  a: {name: one}\n  b: {name: two}\n"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->design->b->name, "two");
}

TEST(JobCommands, never_come_from_a_start) {
  for (const char* path : {"design.a", "design.b", "design.a.switch", "design.b.switch", "design.a.check",
                           "design.b.switch.x"}) {
    for (const char* value : {"[/bin/sh]", "null", "x", "{switch: [/bin/sh]}"}) {
      const std::string text = fmt::format("{}={}", path, value);
      for (const auto& job :
           {read(with_design(kCommands), overriding(text)), read_callers(kJob, overriding(text))}) {
        EXPECT_THAT(lines_of(job),
                    ElementsAre(fmt::format(
                        "--set {}: belongs to a side of the design, which no start may change", path)));
      }
    }
  }
}

TEST(JobCommands, never_come_from_a_design_that_is_replaced_as_a_whole) {
  for (const char* text :
       {"design={a: {switch: [/bin/sh]}, b: {switch: [/bin/sh]}}", "design=null", "design=[]", "design=x"}) {
    EXPECT_THAT(
        lines_of(read(with_design(kCommands), overriding(text))),
        ElementsAre("--set design: is not replaced as a whole; a start may set its `arms`, `changed` and "
                    "`seed`"))
        << text;
  }
}

TEST(JobCommands, never_come_from_a_path_that_only_looks_like_another) {
  for (const char* text :
       {"design..a.switch=[/bin/sh]", ".design.a.switch=[/bin/sh]", "design.a.switch.=[/bin/sh]",
        "design.a.switch[0]=/bin/sh", "Design.a.switch=[/bin/sh]", " design.a.switch=[/bin/sh]",
        "design.a. switch=[/bin/sh]", "'design.a.switch'=[/bin/sh]", "design/a/switch=[/bin/sh]"}) {
    EXPECT_THAT(lines_of(read(with_design("  a: {}\n  b: {}\n"), overriding(text))),
                ElementsAre(HasSubstr("is not of the form KEY=VALUE")))
        << text;
  }
}

TEST(JobDesign, lets_a_start_choose_arms_seed_and_declared_change) {
  const auto job = read(traced_with_design(kCommands),
                        {.overrides = {"design.arms=[traced]", "design.seed=7", "design.changed=[kernel]"},
                         .label = {},
                         .repeat = 2});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_FALSE(job->design->plain);
  EXPECT_EQ(job->design->seed, 7U);
  EXPECT_THAT(job->design->changed, ElementsAre("kernel"));
  EXPECT_EQ(job->design->a->apply.back(), "list");
  EXPECT_EQ(job->repeat, 2U);
  const auto plain_and_traced = read(kJob + std::string(kTrace), overriding("design.arms=[plain, traced]"));
  ASSERT_TRUE(plain_and_traced) << plain_and_traced.error().message;
  EXPECT_TRUE(plain_and_traced->design->plain);
}

TEST(JobDesign, counts_its_runs_towards_the_limit_of_the_daemon) {
  const auto text = traced_with_design(kCommands);
  EXPECT_TRUE(read(text, {}, {.repeat = 40}));
  EXPECT_THAT(
      lines_of(read(text, {}, {.repeat = 39})),
      ElementsAre(
          "ring.yaml:2:9: repeat: 5 blocks of 8 runs are 40 runs, more than this daemon allows (39)"));
  EXPECT_THAT(
      lines_of(read(text, {.overrides = {}, .label = {}, .repeat = 4'294'967'295}, {.repeat = 39})),
      ElementsAre("--repeat: 4294967295 blocks of 8 runs are 34359738360 runs, more than this daemon allows "
                  "(39)"));
  EXPECT_TRUE(read(kJob, {}, {.repeat = 5}));
  EXPECT_THAT(lines_of(read(kJob, {}, {.repeat = 4})),
              ElementsAre("ring.yaml:2:9: repeat: 5 is more than this daemon allows (4)"));
}

}  // namespace
}  // namespace netperfd::config
