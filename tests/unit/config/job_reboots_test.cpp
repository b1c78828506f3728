// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a design that reboots the machine, and who may give them.
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
using testing::IsEmpty;

// The lines of a job until its `design`; the first key in it is on line 4.
constexpr const char* kHead = R"(name: kernels
workload: {iperf3: {server: h, duration: 1s}}
design:
)";
constexpr const char* kSides = R"(  a: {name: old, switch: [/x/boot, old], check: [/x/is, old]}
  b: {name: new, switch: [/x/boot, new], check: [/x/is, new]}
)";

// read_root() takes a text that may have commands, read_other() a caller's text.
Result<JobSpec> read_root(const std::string& design, const std::string& override_text = {}) {
  core::JobOptions options;
  if (!override_text.empty()) options.overrides = {override_text};
  return read_job({.text = kHead + design, .origin = "k.yaml", .expected_name = {}, .commands_refused = {}},
                  options, {});
}
Result<JobSpec> read_other(const std::string& design) {
  return read_job({.text = kHead + design, .origin = "k.yaml", .expected_name = {}}, {}, {});
}

std::vector<std::string> complaints_of(const Result<JobSpec>& job) {
  std::vector<std::string> lines;
  if (job) return lines;
  std::istringstream stream(job.error().message);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(JobReboots, reads_every_key) {
  const auto job = read_root(kSides + R"(  level: boot
  reboots:
    runs: 5
    notice: 90s
    settle: 2min
    prepare: [/usr/share/netperfd/lab, up, veth]
    most: 60
    within: 48h
)"s);
  ASSERT_TRUE(job) << job.error().message;
  const Reboots expected{.runs = 5,
                         .notice = 90s,
                         .settle = 2min,
                         .prepare = {"/usr/share/netperfd/lab", "up", "veth"},
                         .most = 60,
                         .within = 48h};
  EXPECT_EQ(job->design->reboots, expected);
}

TEST(JobReboots, have_the_defaults_that_the_manual_names) {
  const auto job = read_root(kSides + "  level: boot\n"s);
  ASSERT_TRUE(job) << job.error().message;
  const Reboots expected{.runs = 3, .notice = 120s, .settle = 60s, .prepare = {}, .most = 0, .within = 24h};
  EXPECT_EQ(job->design->reboots, expected);
}

TEST(JobReboots, are_absent_at_the_level_of_a_run) {
  for (const char* level : {"", "  level: run\n"}) {
    const auto job = read_root(kSides + std::string(level));
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_FALSE(job->design->reboots) << level;
  }
}

TEST(JobReboots, are_refused_without_level_boot) {
  for (const char* level : {"", "  level: run\n"}) {
    EXPECT_THAT(complaints_of(read_root(kSides + "  reboots: {runs: 5}\n"s + level)),
                ElementsAre("k.yaml:6:12: design.reboots: has a meaning with `level: boot` only"));
  }
}

TEST(JobReboots, say_what_a_value_should_be_and_where_it_is) {
  const std::string duration = "is not a duration (a number with ms, s, min or h, like 10s)";
  const std::string words = "is not a list of words (like [/usr/sbin/ethtool, -K, eth0, gro, off])";
  struct Bad {
    const char* value;
    std::string complaint;
  };
  for (const auto& [value, complaint] : std::vector<Bad>{
           {"runs: x", "k.yaml:7:19: design.reboots.runs: \"x\" is not a whole number"},
           {"runs: -1", "k.yaml:7:19: design.reboots.runs: \"-1\" is not a whole number"},
           {"runs: 0", "k.yaml:7:19: design.reboots.runs: is not between 1 and 100"},
           {"runs: 101", "k.yaml:7:19: design.reboots.runs: is not between 1 and 100"},
           {"notice: 120", "k.yaml:7:21: design.reboots.notice: \"120\" " + duration},
           {"notice: 61min", "k.yaml:7:21: design.reboots.notice: is not at most 1 h"},
           {"settle: soon", "k.yaml:7:21: design.reboots.settle: \"soon\" " + duration},
           {"settle: 3601s", "k.yaml:7:21: design.reboots.settle: is not at most 1 h"},
           {"prepare: /x/up", "k.yaml:7:22: design.reboots.prepare: \"/x/up\" " + words},
           {"prepare: [up]",
            "k.yaml:7:23: design.reboots.prepare[0]: \"up\" is not the absolute path of a program"},
           {"most: 1001", "k.yaml:7:19: design.reboots.most: is not at most 1,000"},
           {"most: all", "k.yaml:7:19: design.reboots.most: \"all\" is not a whole number"},
           {"within: 0s", "k.yaml:7:21: design.reboots.within: is not above 0 s and at most 1000 h"},
           {"within: 1001h", "k.yaml:7:21: design.reboots.within: is not above 0 s and at most 1000 h"},
           {"within: [1h]", "k.yaml:7:21: design.reboots.within: a list " + duration},
           {"later: 1h", "k.yaml:7:13: design.reboots.later: no such key"}}) {
    const auto found =
        complaints_of(read_root(fmt::format("{}  level: boot\n  reboots: {{{}}}\n", kSides, value)));
    ASSERT_EQ(found.size(), 1U) << value;
    EXPECT_THAT(found[0], testing::StartsWith(complaint));
  }
  EXPECT_THAT(complaints_of(read_root(kSides + "  level: reboot\n"s)),
              ElementsAre("k.yaml:6:10: design.level: \"reboot\" is not one of run or boot"));
}

TEST(JobReboots, want_both_commands_of_both_sides) {
  const std::string missing = ": is missing: with `level: boot`, each side needs both commands";
  EXPECT_THAT(complaints_of(read_root("  a: {switch: [/x/boot]}\n  b: {switch: [/x/boot]}\n  level: boot\n")),
              ElementsAre("k.yaml:4:3: design.a.check" + missing, "k.yaml:5:3: design.b.check" + missing));
}

TEST(JobReboots, of_a_caller_are_refused_each_with_its_place) {
  const std::string refusal =
      "would run as root, so only a scenario that nobody but root can change may have it, and this text is a "
      "caller's";
  const auto found = complaints_of(read_other(kSides + R"(  level: boot
  reboots: {prepare: [/bin/sh]}
)"s));
  EXPECT_THAT(found, testing::IsSupersetOf({"k.yaml:6:10: design.level: " + refusal,
                                            "k.yaml:7:22: design.reboots.prepare: " + refusal}));
}

TEST(JobReboots, never_come_from_a_start_and_are_not_changed_by_one) {
  const std::string with_reboots = kSides + "  level: boot\n  reboots: {prepare: [/x/up]}\n"s;
  for (const char* path : {"design.level", "design.reboots", "design.reboots.prepare",
                           "design.reboots.notice", "design.reboots.within"}) {
    for (const char* value : {"boot", "null", "[/bin/sh]", "{prepare: [/bin/sh]}"}) {
      for (const std::string& design : {std::string{kSides}, with_reboots}) {
        EXPECT_THAT(complaints_of(read_root(design, fmt::format("{}={}", path, value))),
                    ElementsAre(fmt::format(
                        "--set {}: belongs to reboots of the machine, which no start may change", path)));
      }
    }
  }
  EXPECT_THAT(complaints_of(read_root(with_reboots, "design.seed=7")), IsEmpty());
}

}  // namespace
}  // namespace netperfd::config
