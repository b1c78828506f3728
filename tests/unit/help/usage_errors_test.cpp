// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/help/support.hpp"

namespace netperfctl {
namespace {

TEST(UsageErrors, a_misspelt_verb_is_answered_with_the_nearest) {
  EXPECT_EQ(complaint_about({"shwo", "last"}),
            "`shwo` is no verb; did you mean `show`?\n`netperfctl help` lists the verbs.");
  EXPECT_EQ(complaint_about({"frobnicate"}), "`frobnicate` is no verb\n`netperfctl help` lists the verbs.");
  EXPECT_EQ(complaint_about({}), "a verb is missing\n`netperfctl help` lists the verbs.");
}

TEST(UsageErrors, a_misspelt_option_is_answered_with_the_nearest) {
  EXPECT_EQ(complaint_about({"start", "veth-tcp", "--lable", "before"}),
            "start: no such option: --lable; did you mean `--label`?\n`netperfctl help start` shows how it "
            "is used.");
  EXPECT_THAT(complaint_about({"start", "--lable=before"}),
              testing::HasSubstr("no such option: --lable; did"));
  EXPECT_THAT(complaint_about({"runs", "--outptu", "json"}), testing::HasSubstr("did you mean `--output`?"));
  EXPECT_THAT(complaint_about({"runs", "-x"}), testing::HasSubstr("no such option: -x\n"));
}

TEST(UsageErrors, say_what_is_missing_or_too_much) {
  EXPECT_THAT(complaint_about({"start"}), testing::StartsWith("start: SCENARIO|FILE is missing\n"));
  EXPECT_THAT(complaint_about({"start", "x", "--label"}),
              testing::StartsWith("start: --label: its value, LABEL, is missing\n"));
  EXPECT_THAT(complaint_about({"jobs", "extra"}),
              testing::StartsWith("jobs: `extra` is one argument too many\n"));
  EXPECT_THAT(complaint_about({"plan", "x", "--runs", "last", "--label", "y"}),
              testing::StartsWith("plan: --label and --runs cannot be given together\n"));
  EXPECT_THAT(complaint_about({"start", "x", "--repeat", "9", "--until-decided", "40"}),
              testing::HasSubstr("cannot be given together\n"));
}

TEST(UsageErrors, name_the_words_that_an_option_takes) {
  EXPECT_THAT(complaint_about({"compare", "1", "2", "--fail-on", "regresion"}),
              testing::StartsWith(
                  "compare: --fail-on: `regresion` is none of regression, inconclusive, never; did you mean "
                  "`regression`?\n"));
  EXPECT_THAT(complaint_about({"runs", "-o", "xml"}),
              testing::StartsWith("runs: --output: `xml` is none of table, json, csv\n"));
  EXPECT_THAT(complaint_about({"stop", "x"}),
              testing::StartsWith("stop: JOB: `x` is no job: its number, job:NUMBER or last was expected\n"));
  EXPECT_THAT(complaint_about({"wait", "job:x"}), testing::StartsWith("wait: JOB: `job:x` is no job"));
  EXPECT_THAT(complaint_about({"hold", "job:0"}), testing::StartsWith("hold: JOB: `job:0` is no job"));
  EXPECT_THAT(complaint_about({"compare", "1", "2", "--format", "mail", "-o", "json"}),
              testing::StartsWith("compare: --output and --format cannot be given together\n"));
  EXPECT_THAT(complaint_about({"compare", "1", "2", "--format", "xml"}),
              testing::StartsWith("compare: --format: `xml` is none of mail, markdown, csv, junit"));
  EXPECT_THAT(complaint_about({"runs", "--job", "job:x"}),
              testing::StartsWith("runs: --job: `x` is not the number of a job"));
  EXPECT_EQ(complaint_about({"runs", "--job", "job:3"}), "");
  EXPECT_EQ(complaint_about({"stop", "last"}), "");
  EXPECT_THAT(complaint_about({"runs", "--all=perhaps"}), testing::StartsWith("runs: --all"));
}

TEST(UsageErrors, what_is_right_is_no_error) {
  EXPECT_EQ(complaint_about({"start", "veth-tcp", "--label", "before", "-o", "json"}), "");
  EXPECT_EQ(complaint_about({"-o", "csv", "runs", "--limit", "5"}), "");
  EXPECT_EQ(complaint_about({"help", "start"}), "");
}

}  // namespace
}  // namespace netperfctl
