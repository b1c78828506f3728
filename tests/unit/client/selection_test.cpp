// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <string>

#include "client/base/users.hpp"
#include "client/verbs/selection.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

std::string sent(const std::string& selection) {
  const auto text = for_the_daemon(selection, samples::kNow);
  return text ? *text : "error: " + text.error().message;
}

TEST(Selection, has_times_of_this_client_in_seconds) {
  EXPECT_EQ(sent("since:2h"), "since:@1795253400.000000");
  EXPECT_EQ(sent("label:a,since:today until:now"),
            "label:a,since:@1795215600.000000 until:@1795260600.000000");
  EXPECT_EQ(sent("since:\"2026-11-21 10:00\""), "since:@1795251600.000000");
  EXPECT_EQ(sent("since:2026-11-21T10:00"), "since:@1795251600.000000");
  EXPECT_EQ(sent("since:@12.5"), "since:@12.5");
}

TEST(Selection, is_otherwise_left_as_it_was_typed) {
  for (const char* text : {"", "41,43-45", "label:before  last:3", "label:\"since:2h, or so\"", "since",
                           " , label:\"open since:2h"}) {
    EXPECT_EQ(sent(text), text);
  }
}

TEST(Selection, has_uids_for_the_names_of_users) {
  EXPECT_EQ(sent("owner:root label:a"), "owner:0 label:a");
  EXPECT_EQ(sent("label:a,owner:\"root\""), "label:a,owner:0");
  for (const char* text : {"owner:0", "owner:54321 last", "owner:me", "owner:any 41", "label:owner:root"})
    EXPECT_EQ(sent(text), text);
  EXPECT_EQ(
      sent("owner:no-such-user"),
      "error: owner: there is no user \"no-such-user\" here; a name, a uid, `me` or `any` was expected");
}

TEST(Selection, says_whose_runs_it_means_to_whoever_types_it) {
  const auto said = [](const char* text) { return with_owner(text, "alice"); };
  EXPECT_EQ(said("label:before"), "owner:alice label:before");
  EXPECT_EQ(said("label:\"job:1 2\""), "owner:alice label:\"job:1 2\"");
  EXPECT_EQ(said("last"), "owner:alice last");
  EXPECT_EQ(said("label:a, owner:me"), "label:a, owner:alice");
  for (const char* text : {"41", "41,43-45 label:a", "job:12 variant:list", "owner:bob label:a",
                           "owner:any last", "\"owner:bob\" last"})
    EXPECT_EQ(said(text), text);
}

TEST(Users, of_whom_this_machine_knows_the_name_are_named_in_messages) {
  EXPECT_EQ(with_owner_words("owner:0, owner:4294967294 have such runs: \"owner:0 label:a\""),
            "owner:root, owner:4294967294 have such runs: \"owner:root label:a\"");
  for (const char* text : {"", "owner:", "owner:any", "owner:99999999999", "uid 0", "an owner: 0"})
    EXPECT_EQ(with_owner_words(text), text);
  EXPECT_EQ(owner_word(0), "root");
  EXPECT_EQ(owner_word(4'294'967'294), "4294967294");
}

TEST(Selection, of_the_moment_means_other_runs_later) {
  for (const char* text : {"last", "label:a last:3", "since:2h", "until:yesterday", "41,since:\"2h ago\""}) {
    EXPECT_TRUE(is_of_the_moment(text)) << text;
  }
  for (const char* text : {"", "41-43", "label:last", "label:\"last 3\"", "since:@12.5", "since:2026-11-21",
                           "until:\"2026-11-21 10:00\"", "scenario:a"}) {
    EXPECT_FALSE(is_of_the_moment(text)) << text;
  }
}

TEST(Selection, of_runs_joins_those_that_follow_each_other) {
  EXPECT_EQ(selection_of({47, 41, 42, 44, 43}), "41-44,47");
  EXPECT_EQ(selection_of({5}), "5");
  EXPECT_EQ(selection_of({1, 3}), "1,3");
  EXPECT_EQ(selection_of({}), "");
}

TEST(Selection, with_a_time_that_is_none_is_refused) {
  EXPECT_EQ(
      sent("since:soon"),
      "error: since: \"soon\" is no point in time (2026-11-21, 2026-11-21T10:00, today, yesterday, now, "
      "or a time ago like 90s, 30min, 2h, 3d, 1w)");
  const auto refused = for_the_daemon("until:", samples::kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit, Exit::usage);
}

}  // namespace
}  // namespace netperfctl
