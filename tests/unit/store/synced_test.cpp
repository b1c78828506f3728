// SPDX-License-Identifier: GPL-2.0-or-later
// What is acknowledged to a caller is on the disk: SQLite has asked the kernel to write it out.
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <functional>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {

std::uint64_t syncs = 0;

}  // namespace netperfd::store

// SQLite finds these before those of the C library.
extern "C" int fsync(int fd) {
  ++netperfd::store::syncs;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}
extern "C" int fdatasync(int fd) {
  ++netperfd::store::syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace netperfd::store {
namespace {

class Synced : public StoreTest {
 protected:
  static bool by(const std::function<void()>& action) {
    const std::uint64_t before = syncs;
    action();
    return syncs > before;
  }
};

TEST_F(Synced, is_each_change_that_a_caller_is_told_of) {
  open();
  auto spec = a_job();
  spec.repeat = 2;
  core::NewJob job;
  EXPECT_TRUE(by([&] { job = must(add_job(*store, spec, 0, kMorning)); }));
  EXPECT_FALSE(by([&] { bring_to_collecting(*store, job.runs[0]); }))
      << "steps between open states need not be";
  EXPECT_TRUE(by([&] { must(store->finish(a_record(job.runs[0]))); }));
  EXPECT_TRUE(by([&] { must(store->cancel_pending(job.id, "stopped")); }));
  EXPECT_TRUE(by([&] { must(store->set_label(job.id, "after")); }));
  EXPECT_TRUE(by([&] { must(store->set_note(job.runs[0], "seen")); }));
  EXPECT_TRUE(by([&] { must(store->remove(job.runs[1])); }));
}

}  // namespace
}  // namespace netperfd::store
