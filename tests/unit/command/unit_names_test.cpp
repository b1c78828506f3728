// SPDX-License-Identifier: GPL-2.0-or-later
// Which units of systemd a netperfd that starts kills: those of dead ones with its own store.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include "daemon/command/side_journal_file.hpp"
#include "daemon/command/unit_names.hpp"
#include "tests/unit/command/support.hpp"

namespace netperfd::command::test {
namespace {

std::string owner_of(const std::string& path) {
  const auto journal = SideJournalFile::open(path, "boot-1");
  if (!journal) return journal.error().message;
  return journal->owner().value_or("none");
}

// As systemd matches the patterns of ListUnitsByPatterns.
bool kills(const std::string& owner, const std::string& unit) {
  return ::fnmatch(units_of("command", owner).c_str(), unit.c_str(), FNM_NOESCAPE) == 0;
}

TEST(UnitNames, of_a_netperfd_with_another_store_are_not_those_that_a_start_kills) {
  const Scratch scratch;
  const std::string own = owner_of(scratch.path("one.side"));
  const std::string other = owner_of(scratch.path("other.side"));
  ASSERT_NE(own, other);
  EXPECT_EQ(own, owner_of(scratch.path("one.side"))) << "of the next netperfd with this store";
  // Both may have the same number, each in its own PID namespace.
  EXPECT_TRUE(kills(own, unit_name("command", own, 7, 1)));
  EXPECT_TRUE(kills(own, unit_name("command", own, 8, 12))) << "of any process";
  EXPECT_FALSE(kills(own, unit_name("command", other, 7, 1)));
  EXPECT_FALSE(kills("1.2", unit_name("command", "1.23", 7, 1)))
      << "an owner that begins with the same letters";
  EXPECT_FALSE(kills("1.2", "netperfd-command-7-1.service")) << "of an older netperfd";
  EXPECT_FALSE(kills("1.2", unit_name("run", "1.2", 7, 1))) << "of another kind";
}

}  // namespace
}  // namespace netperfd::command::test
