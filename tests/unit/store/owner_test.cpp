// SPDX-License-Identifier: GPL-2.0-or-later
// The owner of a database dies while a process that it has spawned still has its descriptors.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>

#include "daemon/base/fd.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

class DeadOwner : public StoreTest {};

// Until a spawned process executes its program, it has all descriptors of the one that spawned it.
TEST_F(DeadOwner, whose_child_has_not_executed_its_program_yet_keeps_nobody_out) {
  open();
  close();
  auto ready = must(make_pipe());
  auto end = must(make_pipe());
  const pid_t owner = ::fork();
  if (owner == 0) {
    end.write.reset();
    const auto owned = SqliteStore::open(path(), 0);
    if (!owned) fmt::print(stderr, "{}\n", owned.error().message);
    const pid_t spawned = ::fork();
    char byte = 0;
    if (spawned == 0)
      (void)!::read(end.read.get(), &byte, 1);  // like one that is stopped, until the test ends
    if (spawned > 0) (void)!::write(ready.write.get(), "", 1);
    if (spawned > 0) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready.read.get(), &byte, 1), 1);
  EXPECT_EQ(SqliteStore::open(path(), 0).error().kind, ErrorKind::busy) << "the owner is alive";
  ASSERT_EQ(::kill(owner, SIGKILL), 0);
  ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
  const auto opened = SqliteStore::open(path(), 0);
  EXPECT_TRUE(opened) << opened.error().message;
  if (opened) {
    EXPECT_TRUE((*opened)->was_unclosed());
  }
}

TEST_F(DeadOwner, is_not_an_owner_of_an_older_netperfd_that_lives) {
  open();
  close();
  const Fd lock{::open((path() + ".lock").c_str(), O_RDWR | O_CLOEXEC)};
  ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0) << "as netperfd 1.0 locked it";
  const auto refused = SqliteStore::open(path(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("has this database open"));
}

TEST_F(DeadOwner, is_not_taken_for_this_process) {
  open();
  EXPECT_EQ(SqliteStore::open(path(), 0).error().kind, ErrorKind::busy);
  // The refused attempt must not have given up the lock.
  const pid_t other = ::fork();
  if (other == 0) {
    const auto opened = SqliteStore::open(path(), 0);
    ::_exit(!opened && opened.error().kind == ErrorKind::busy ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace netperfd::store
