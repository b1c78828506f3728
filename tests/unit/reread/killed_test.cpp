// SPDX-License-Identifier: GPL-2.0-or-later
// A process that is killed while it stores a new reading.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>

#include "tests/unit/reread/reread_fixture.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::import::test {
namespace {

class Killed : public RereadTest {
 protected:
  // Applies in a process that the kernel kills when it lets a file grow beyond `most` bytes. Returns whether
  // it was killed.
  bool apply_and_be_killed_at(rlim_t most) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit limit{most, most};
      (void)::signal(SIGXFSZ, SIG_DFL);
      (void)::setrlimit(RLIMIT_FSIZE, &limit);
      try {
        ::_exit(apply().counts.changed == 1 ? 0 : 1);
      } catch (const std::exception&) {
        ::_exit(2);
      }
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
      return true;
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return false;
  }
};

TEST_F(Killed, at_any_write_leaves_the_old_reading_or_the_new_one) {
  (void)live(workload::test::streams(workload::test::tcp(1), 16), data("iperf3/3.12/tcp-send-16.out"), "");
  const std::string right = everything();
  alter("DELETE FROM intervals; UPDATE sums SET retransmits = 777; DELETE FROM streams WHERE position > 3");
  const std::string altered = everything();
  ASSERT_NE(altered, right);
  const std::string original = path() + ".original";
  std::filesystem::copy_file(path(), original);
  constexpr rlim_t kStep = 4096;
  int times_killed = 0;
  bool killed = true;
  for (rlim_t most = kStep; killed; most += kStep) {
    ASSERT_LT(most, rlim_t{4} << 20U);
    for (const char* suffix : {"-wal", "-shm", ".lock"}) std::filesystem::remove(path() + suffix);
    std::filesystem::copy_file(original, path(), std::filesystem::copy_options::overwrite_existing);
    killed = apply_and_be_killed_at(most);
    open();  // as the next daemon does
    close();
    const std::string now = everything();
    ASSERT_TRUE(now == altered || now == right) << "killed at " << most;
    if (killed) {
      ++times_killed;
    } else {
      EXPECT_EQ(now, right);
    }
  }
  EXPECT_GT(times_killed, 10);
}

}  // namespace
}  // namespace netperfd::import::test
