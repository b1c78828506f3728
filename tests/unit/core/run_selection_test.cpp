// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/run_selection.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uid_t kCaller = 1000;

RunSelection parsed(const std::string& text) {
  auto selection = parse_selection(text, kCaller);
  EXPECT_TRUE(selection) << text << ": " << selection.error().message;
  return selection.value_or(RunSelection{});
}

std::string refused(const std::string& text) {
  const auto selection = parse_selection(text, kCaller);
  if (selection) return "accepted";
  EXPECT_EQ(selection.error().kind, ErrorKind::invalid_argument);
  return selection.error().message;
}

std::string ranges_of(const RunSelection& selection) {
  std::string text;
  for (const RunRange& range : selection.runs) text += fmt::format("[{}-{}]", range.first, range.last);
  return text;
}

TEST(RunSelection, numbers_and_ranges_are_a_list_in_order_and_without_overlap) {
  EXPECT_EQ(ranges_of(parsed("41,43-45")), "[41-41][43-45]");
  EXPECT_EQ(ranges_of(parsed("50-60 43 55-70,43")), "[43-43][50-70]");
  EXPECT_THAT(parsed("45, 41,43-44").singles, ElementsAre(41, 45));
}

TEST(RunSelection, means_finished_runs_only) {
  EXPECT_EQ(parsed("41").filter.state, RunState::finished);
  EXPECT_EQ(parsed("label:before").filter.state, RunState::finished);
}

TEST(RunSelection, terms_stand_apart_by_spaces_or_commas_and_hold_together) {
  const RunSelection selection =
      parsed("  label:before,scenario:hsr-ring job:12 since:@100.5  until:@200 last:3 1-9 ");
  EXPECT_EQ(selection.filter.label, "before");
  EXPECT_EQ(selection.filter.scenario, "hsr-ring");
  EXPECT_EQ(selection.filter.job, 12);
  EXPECT_EQ(selection.filter.since, WallTime{std::chrono::microseconds{100'500'000}});
  EXPECT_EQ(selection.filter.until, WallTime{std::chrono::seconds{200}});
  EXPECT_EQ(selection.newest, 3U);
  EXPECT_EQ(ranges_of(selection), "[1-9]");
}

TEST(RunSelection, takes_a_side_of_a_design_and_an_arm) {
  EXPECT_EQ(parsed("variant:list").filter.variant, "list");
  EXPECT_EQ(parsed("variant:\"two words\"").filter.variant, "two words");
  EXPECT_EQ(parsed("arm:plain").filter.traced, false);
  EXPECT_EQ(parsed("arm:traced").filter.traced, true);
  EXPECT_FALSE(parsed("last").filter.traced);
}

TEST(RunSelection, means_pilots_and_self_tests_only_by_number) {
  for (const char* text : {"last", "last:3", "scenario:hsr", "label:before", "variant:list", "since:@100"})
    EXPECT_EQ(parsed(text).filter.purpose, JobPurpose::measurement) << text;
  for (const char* text : {"41", "41-45 last:2", "job:3", "job:3 variant:list", "scenario:hsr 1-9"})
    EXPECT_FALSE(parsed(text).filter.purpose) << text;
}

TEST(RunSelection, means_the_callers_own_runs_unless_it_says_whose) {
  for (const char* text : {"last", "last:3", "scenario:hsr", "label:before", "variant:list", "since:@100"}) {
    EXPECT_EQ(parsed(text).filter.owner, kCaller) << text;
    EXPECT_FALSE(parsed(text).says_whose) << text;
  }
  for (const char* text : {"41", "41-45 last:2", "job:3", "job:3 variant:list", "scenario:hsr 1-9"})
    EXPECT_FALSE(parsed(text).filter.owner) << text;
  EXPECT_EQ(parsed("owner:1001 label:before").filter.owner, 1001U);
  EXPECT_EQ(parsed("label:before owner:0").filter.owner, 0U);
  EXPECT_EQ(parsed("owner:1001 1-9").filter.owner, 1001U);
  EXPECT_EQ(parsed("owner:me job:3").filter.owner, kCaller);
  EXPECT_FALSE(parsed("owner:any label:before").filter.owner);
  for (const char* text : {"owner:any last", "owner:me", "owner:7 label:before", "41", "job:3"})
    EXPECT_TRUE(parsed(text).says_whose) << text;
}

TEST(RunSelection, of_a_list_means_whom_the_list_means) {
  const auto owner_of = [](const char* text, Owner unsaid) {
    return parse_selection(text, kCaller, unsaid).value_or(RunSelection{}).filter.owner;
  };
  EXPECT_FALSE(owner_of("label:before", std::nullopt));
  EXPECT_EQ(owner_of("label:before", 7), 7U);
  EXPECT_EQ(owner_of("label:before owner:8", 7), 8U);
  EXPECT_EQ(owner_of("label:before owner:me", std::nullopt), kCaller);
  EXPECT_FALSE(owner_of("1-9", 7));
}

TEST(RunSelection, last_alone_is_one) {
  EXPECT_EQ(parsed("last").newest, 1U);
  EXPECT_FALSE(parsed("41").newest);
}

TEST(RunSelection, quotes_keep_separators_in_a_text) {
  EXPECT_EQ(parsed("label:\"before lunch, cold\"").filter.label, "before lunch, cold");
  EXPECT_EQ(parsed("\"label:a b\"").filter.label, "a b");
  EXPECT_EQ(parsed("label:a:b").filter.label, "a:b");
  EXPECT_EQ(parsed("label:").filter.label, "") << "runs without a label";
}

TEST(RunSelection, what_is_wrong_is_named_with_what_is_expected) {
  EXPECT_THAT(refused(""), HasSubstr("expected is run numbers and ranges like 41,43-45, label:TEXT"));
  EXPECT_THAT(refused(" , "), HasSubstr("empty"));
  EXPECT_THAT(refused("lable:before"), HasSubstr("did you mean `label`?"));
  EXPECT_THAT(refused("lst"), HasSubstr("\"lst\" is no selection of runs"));
  EXPECT_THAT(refused("lst"), HasSubstr("did you mean `last`?"));
  EXPECT_THAT(refused("label:a label:b"), HasSubstr("label is said twice"));
  EXPECT_THAT(refused("last last:2"), HasSubstr("last is said twice"));
  EXPECT_THAT(refused("45-43"), HasSubstr("did you mean `43-45`?"));
  EXPECT_THAT(refused("label:\"a"), HasSubstr("quotation mark is not closed"));
  EXPECT_THAT(refused("since:yesterday"), HasSubstr("seconds since 1970, like since:@1763683200"));
  EXPECT_THAT(refused("last:0"), HasSubstr("1 to 1000"));
  EXPECT_THAT(refused("last:1001"), HasSubstr("1 to 1000"));
  EXPECT_THAT(refused("job:x"), HasSubstr("not the number of a job"));
  EXPECT_THAT(refused("scenario:"), HasSubstr("a name has to follow"));
  EXPECT_THAT(refused("variant:"), HasSubstr("a name has to follow, like variant:list"));
  EXPECT_THAT(refused("arm:plan"), HasSubstr("arm:plan: expected is arm:plain or arm:traced"));
  EXPECT_THAT(refused("varaint:list"), HasSubstr("did you mean `variant`?"));
  EXPECT_THAT(refused("arm:plain arm:traced"), HasSubstr("arm is said twice"));
  EXPECT_THAT(refused("owner:me owner:any"), HasSubstr("owner is said twice"));
  for (const char* text : {"owner:", "owner:alice", "owner:-1", "owner:4294967295", "owner:99999999999",
                           "owner:1x", "owner:ME"}) {
    EXPECT_THAT(refused(text), HasSubstr("expected is owner:UID, like owner:1000, owner:me or owner:any"))
        << text;
  }
}

TEST(RunSelection, numbers_that_are_none_are_refused) {
  for (const char* text : {"0", "-1", "1-", "-", "1-2-3", "1.5", "+4", "99999999999999999999", "0x10", "4 x"})
    EXPECT_NE(refused(text), "accepted") << text;
  for (const char* text : {"@1", "since:@", "since:@-1", "since:@nan", "since:@1e300", "since:@1x"})
    EXPECT_NE(refused(text), "accepted") << text;
}

TEST(RunSelection, of_great_length_or_with_control_characters_is_refused) {
  EXPECT_THAT(refused(std::string(kSelectionBytes + 1, '1')), HasSubstr("at most 4096"));
  EXPECT_THAT(refused("label:a\nb"), HasSubstr("character 8 is U+000A, a control character"));
  EXPECT_THAT(refused("label:\xff"), HasSubstr("character 7 is not UTF-8"));
  EXPECT_THAT(refused("label:a\u2028b"), HasSubstr("character 8 is U+2028"));
}

}  // namespace
}  // namespace netperfd::core
