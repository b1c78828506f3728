// SPDX-License-Identifier: GPL-2.0-or-later
// Imports that wait for their turn.
#include <gmock/gmock.h>

#include "tests/unit/core/importer_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ImportQueue : public ImporterTest {
 protected:
  Status begin_as(uid_t owner, std::string file = "file") {
    return begin(one(open_file(kAnyFile, O_RDONLY), std::move(file)),
                 {.name = "import", .label = "", .owner = owner});
  }
  // Lets the import number `number`, in the order of begin(), go.
  void leave(std::size_t number) { held.at(number).reset(); }
  [[nodiscard]] std::size_t begun() const { return files.readings.size(); }
};

TEST_F(ImportQueue, lets_two_imports_read_at_once_and_the_third_wait_for_its_turn) {
  ASSERT_TRUE(begin_as(1));
  ASSERT_TRUE(begin_as(2));
  ASSERT_TRUE(begin_as(3));
  EXPECT_EQ(begun(), 2U);
  leave(0);
  EXPECT_EQ(begun(), 2U) << "not inside the end of another one";
  clock.turn();
  ASSERT_EQ(begun(), 3U);
  files.last().end(a_document());
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results.front());
}

TEST_F(ImportQueue, counts_a_pair_as_one_import) {
  ASSERT_TRUE(begin_pair());
  ASSERT_TRUE(begin_pair());
  EXPECT_EQ(files.alive(), 2);
  ASSERT_TRUE(begin_as(0));
  files.readings[0]->end(a_document());
  clock.turn();
  EXPECT_EQ(files.alive(), 2) << "the place goes to the second file of the pair";
  EXPECT_EQ(begun(), 3U);
  files.readings[2]->end(a_trace());
  ASSERT_EQ(results.size(), 1U);
  leave(0);
  clock.turn();
  EXPECT_EQ(begun(), 4U);
}

TEST_F(ImportQueue, gives_one_user_one_place_and_leaves_the_other_one_to_others) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(begin_as(1, "greedy"));
  EXPECT_EQ(begun(), 1U);
  ASSERT_TRUE(begin_as(2, "modest"));
  ASSERT_EQ(begun(), 2U) << "at once, before those who wait for their own";
  files.last().end(fail(ErrorKind::invalid_argument, "it is none"));
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.front().error().message, "modest: it is none");
  leave(4);
  clock.turn();
  EXPECT_EQ(begun(), 2U) << "the greedy one has his place";
  leave(0);
  clock.turn();
  EXPECT_EQ(begun(), 3U);
}

TEST_F(ImportQueue, keeps_places_for_root_that_nobody_else_can_take) {
  for (uid_t user = 1; user <= 18; ++user) ASSERT_TRUE(begin_as(user)) << user;
  EXPECT_EQ(begun(), 2U);
  EXPECT_FALSE(begin_as(19)) << "sixteen wait";
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(begin_as(0));
  EXPECT_EQ(begun(), 4U);
  EXPECT_TRUE(begin_as(0)) << "it waits for root's own";
  leave(0);
  clock.turn();
  EXPECT_EQ(begun(), 5U) << "the place of a user is for the next user";
  leave(18);
  clock.turn();
  EXPECT_EQ(begun(), 6U);
}

TEST_F(ImportQueue, goes_on_for_others_while_a_killed_process_of_one_does_not_end) {
  files.without_room = 1;
  ASSERT_TRUE(begin_as(1));
  EXPECT_EQ(begun(), 0U);
  ASSERT_TRUE(begin_as(2));
  ASSERT_TRUE(begin_as(3));
  EXPECT_EQ(begun(), 2U);
  files.make_room();
  leave(1);
  clock.turn();
  EXPECT_EQ(begun(), 3U);
}

TEST_F(ImportQueue, goes_by_the_order_of_asking_among_those_of_one_user) {
  for (const char* file : {"1", "2", "3", "4"}) ASSERT_TRUE(begin_as(0, file));
  leave(0);
  clock.turn();
  files.last().end(fail(ErrorKind::invalid_argument, "it is none"));
  leave(2);
  clock.turn();
  files.last().end(fail(ErrorKind::invalid_argument, "it is none"));
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].error().message, "3: it is none");
  EXPECT_EQ(results[1].error().message, "4: it is none");
}

TEST_F(ImportQueue, takes_four_of_a_user_and_sixteen_in_all) {
  ASSERT_TRUE(begin_as(1));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(begin_as(1));
  const auto fifth = begin_as(1, "fifth.json");
  ASSERT_FALSE(fifth);
  EXPECT_EQ(fifth.error().kind, ErrorKind::busy);
  EXPECT_EQ(fifth.error().message,
            "fifth.json: 4 imports wait already, 4 of them of this user; try again when they are done");
  for (uid_t user = 2; user < 15; ++user) ASSERT_TRUE(begin_as(user)) << user;  // the first of them begins
  const auto seventeenth = begin_as(99, "seventeenth.json");
  ASSERT_FALSE(seventeenth);
  EXPECT_EQ(seventeenth.error().kind, ErrorKind::busy);
  EXPECT_THAT(seventeenth.error().message, StartsWith("seventeenth.json: 16 imports wait already"));
  EXPECT_EQ(begun(), 2U);
}

TEST_F(ImportQueue, ends_a_wait_of_ten_minutes_with_the_name_of_the_file) {
  ASSERT_TRUE(begin_as(1));
  ASSERT_TRUE(begin_as(2));
  ASSERT_TRUE(begin_as(3, "/lab/late.json"));
  clock.advance(std::chrono::minutes{10} - std::chrono::milliseconds{1});
  EXPECT_THAT(results, IsEmpty());
  clock.advance(std::chrono::milliseconds{1});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.front().error().kind, ErrorKind::busy);
  EXPECT_EQ(results.front().error().message,
            "/lab/late.json: other imports took longer than 10 minutes; try again");
}

TEST_F(ImportQueue, limits_only_the_wait_and_not_the_reading) {
  ASSERT_TRUE(begin_as(1));
  ASSERT_TRUE(begin_as(2));
  ASSERT_TRUE(begin_as(3));
  clock.advance(std::chrono::minutes{9});
  leave(0);
  clock.advance(std::chrono::minutes{9});
  EXPECT_THAT(results, IsEmpty());
  EXPECT_EQ(begun(), 3U);
}

TEST_F(ImportQueue, forgets_whoever_leaves_while_waiting) {
  ASSERT_TRUE(begin_as(1));
  ASSERT_TRUE(begin_as(2));
  ASSERT_TRUE(begin_as(3));
  leave(2);
  leave(0);
  clock.advance(std::chrono::minutes{20});
  EXPECT_EQ(begun(), 2U);
  EXPECT_THAT(results, IsEmpty());
}

TEST_F(ImportQueue, waits_for_the_end_of_killed_processes) {
  files.room = false;
  ASSERT_TRUE(begin_as(1));
  clock.turn();
  EXPECT_EQ(begun(), 0U);
  files.make_room();
  clock.turn();
  EXPECT_EQ(begun(), 1U);
}

TEST_F(ImportQueue, tells_of_a_process_that_cannot_be_had_when_the_turn_has_come) {
  ASSERT_TRUE(begin_as(1));
  ASSERT_TRUE(begin_as(2));
  ASSERT_TRUE(begin_as(3, "third.json"));
  ASSERT_TRUE(begin_as(4, "fourth.json"));
  files.refusal = Error{ErrorKind::io, "fork: Resource temporarily unavailable"};
  leave(0);
  clock.turn();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.front().error().message, "third.json: fork: Resource temporarily unavailable");
  files.refusal.reset();
  leave(2);
  clock.turn();
  EXPECT_EQ(begun(), 3U) << "the next one";
}

}  // namespace
}  // namespace netperfd::core
