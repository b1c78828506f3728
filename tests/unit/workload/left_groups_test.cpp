// SPDX-License-Identifier: GPL-2.0-or-later
// Which cgroups of runs a netperfd that starts removes: those of dead ones, never those of living ones,
// although it does not see the processes of another PID namespace.
#include "daemon/workload/left_groups.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/workload/run_group.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

enum class Pids { shared, of_its_own };

// The first process of its PID namespace, with a /proc of it.
[[noreturn]] void begin_namespace(const std::function<int()>& act) {
  if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) ::_exit(100);
  const pid_t first = ::fork();
  if (first == 0) {
    const bool ready = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
                       ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       ::mount("proc", "/proc", "proc", 0, nullptr) == 0;
    ::_exit(ready ? act() : 101);
  }
  int status = 0;
  ::waitpid(first, &status, 0);
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 102);
}

// A process that does something and ends, or is killed with this object.
class Somebody {
 public:
  Somebody(Pids pids, const std::function<int()>& act) : pid_(::fork()) {
    if (pid_ != 0) return;
    if (pids == Pids::of_its_own) begin_namespace(act);
    ::_exit(act());
  }
  Somebody(const Somebody&) = delete;
  Somebody& operator=(const Somebody&) = delete;
  ~Somebody() { end(); }
  int wait() {
    int status = 0;
    if (::waitpid(std::exchange(pid_, 0), &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }

 private:
  pid_t pid_;
};

// A process in the cgroup, of this PID namespace or of one of its own.
class Member {
 public:
  Member(const std::string& group, Pids pids) {
    const auto tell = make_pipe();
    const auto enter = [&] {
      std::ofstream(group + "/cgroup.procs") << "0";
      if (::write(tell->write.get(), "x", 1) != 1) return 1;
      return ::pause();
    };
    process_.emplace(pids, enter);
    char byte = 0;
    EXPECT_EQ(::read(tell->read.get(), &byte, 1), 1);
  }
  int wait() { return process_->wait(); }

 private:
  std::optional<Somebody> process_;
};

class LeftGroups : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root for cgroups and PID namespaces";
    const GroupSite site = find_group_site();
    if (site.directory.empty()) GTEST_SKIP() << "needs a writable cgroup: " << site.missing;
    // Of this test alone: other tests may have groups in the cgroup of this process.
    directory_ = fmt::format("{}/netperfd-test-{}", site.directory, ::getpid());
    ASSERT_EQ(::mkdir(directory_.c_str(), 0755), 0);
  }
  void TearDown() override {
    if (directory_.empty()) return;
    std::ofstream(directory_ + "/cgroup.kill") << "1";
    EventLoop loop = make_loop();
    EXPECT_TRUE(turn_until(loop, [&] { return remove_all(directory_); }));
  }
  static bool remove_all(const std::string& group) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator(group, gone)) {
      if (entry.is_directory()) (void)remove_all(entry.path());
    }
    return ::rmdir(group.c_str()) == 0 || errno == ENOENT;
  }

  // The number of cgroups that a netperfd removes when it starts.
  [[nodiscard]] int removed_by(Pids pids) const {
    Somebody other(pids, [&] { return static_cast<int>(remove_left_groups(directory_)); });
    return other.wait();
  }
  // A netperfd with a cgroup, which it holds until it is killed.
  struct Owner {
    std::unique_ptr<Somebody> process;
    std::string group;
  };
  [[nodiscard]] Owner owner(Pids pids, const std::function<void()>& more = [] {}) const {
    Owner made;
    const auto tell = make_pipe();
    made.process = std::make_unique<Somebody>(pids, [&] {
      const auto group = RunGroup::make(directory_);
      if (!group) return 1;
      more();
      const std::string line = group->path() + "\n";
      if (::write(tell->write.get(), line.data(), line.size()) < 0) return 2;
      return ::pause();
    });
    for (char byte = 0; ::read(tell->read.get(), &byte, 1) == 1 && byte != '\n';) made.group += byte;
    return made;
  }
  [[nodiscard]] std::string add(const std::string& name) const {
    std::string path = directory_ + "/" + name;
    EXPECT_EQ(::mkdir(path.c_str(), 0755), 0) << path;
    return path;
  }
  static bool exists(const std::string& group) { return std::filesystem::exists(group); }

  std::string directory_;
};

TEST_F(LeftGroups, of_a_living_netperfd_stay_whoever_starts_in_another_pid_namespace) {
  auto group = RunGroup::make(directory_);
  ASSERT_TRUE(group) << group.error().message;
  Member member(group->path(), Pids::shared);
  EXPECT_EQ(removed_by(Pids::of_its_own), 0);
  EXPECT_EQ(removed_by(Pids::shared), 0);
  EXPECT_EQ(remove_left_groups(directory_), 0U) << "by its own owner";
  EXPECT_TRUE(exists(group->path()));
  EXPECT_EQ(group->size(), 1U) << "the process in it was killed";
}

TEST_F(LeftGroups, of_a_netperfd_in_another_pid_namespace_stay_as_long_as_it_lives) {
  Owner other = owner(Pids::of_its_own);
  ASSERT_TRUE(exists(other.group)) << other.group;
  Member member(other.group, Pids::of_its_own);
  EXPECT_EQ(removed_by(Pids::shared), 0);
  EXPECT_EQ(removed_by(Pids::of_its_own), 0) << "a third one";
  EXPECT_TRUE(exists(other.group));
  other.process->end();
  // The first process of the namespace ends with the whole of it, which takes a moment.
  EventLoop loop = make_loop();
  int removed = 0;
  EXPECT_TRUE(turn_until(loop, [&] { return (removed += removed_by(Pids::shared)) == 1; }));
  EXPECT_FALSE(exists(other.group));
  EXPECT_EQ(member.wait(), 102) << "the process that was left";
}

TEST_F(LeftGroups, of_a_killed_netperfd_are_removed_with_what_is_in_them_and_below) {
  Owner dead = owner(Pids::shared);
  ASSERT_TRUE(exists(dead.group)) << dead.group;
  ASSERT_EQ(::mkdir((dead.group + "/below").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir((dead.group + "/below/deeper").c_str(), 0755), 0);
  Member member(dead.group + "/below/deeper", Pids::shared);
  dead.process->end();
  EXPECT_EQ(removed_by(Pids::of_its_own), 1) << "it need not be of the same namespace";
  EXPECT_EQ(member.wait(), -1) << "killed";
  EXPECT_FALSE(exists(dead.group));
}

TEST_F(LeftGroups, are_not_kept_by_a_child_that_inherited_the_descriptors) {
  const auto tell = make_pipe();
  Owner dead = owner(Pids::shared, [&] {
    if (::fork() != 0) return;
    char byte = 0;  // until the test ends
    (void)::close(tell->write.get());
    ::_exit(static_cast<int>(::read(tell->read.get(), &byte, 1)));
  });
  dead.process->end();
  EXPECT_EQ(removed_by(Pids::shared), 1);
  EXPECT_FALSE(exists(dead.group));
}

TEST_F(LeftGroups, cannot_be_locked_by_another_user) {
  Owner dead = owner(Pids::shared);
  dead.process->end();
  const auto tell = make_pipe();
  Somebody hostile(Pids::shared, [&] {
    if (::setresgid(kNogroup, kNogroup, kNogroup) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0)
      return 1;
    const Fd directory{::open(dead.group.c_str(), O_RDONLY | O_DIRECTORY)};
    const Fd file{::open((dead.group + "/cgroup.max.depth").c_str(), O_RDONLY)};
    if (directory) (void)::flock(directory.get(), LOCK_EX);
    struct flock lock{};
    lock.l_type = F_RDLCK;
    if (file) (void)::fcntl(file.get(), F_SETLK, &lock);
    if (::write(tell->write.get(), directory || file ? "y" : "n", 1) != 1) return 2;
    return ::pause();
  });
  char could_open = 0;
  ASSERT_EQ(::read(tell->read.get(), &could_open, 1), 1);
  EXPECT_EQ(could_open, 'n');
  EXPECT_EQ(removed_by(Pids::shared), 1);
  EXPECT_FALSE(exists(dead.group));
}

TEST_F(LeftGroups, that_are_removed_just_when_they_are_made_are_made_again) {
  std::optional<Somebody> remover;
  remover.emplace(Pids::of_its_own, [&] {
    for (;;) (void)remove_left_groups(directory_);
    return 0;
  });
  for (int i = 0; i < 300; ++i) {
    auto group = RunGroup::make(directory_);
    ASSERT_TRUE(group) << group.error().message;
    ASSERT_TRUE(exists(group->path()));
    ASSERT_TRUE(group->end());
  }
}

TEST_F(LeftGroups, of_an_older_netperfd_are_removed_only_if_it_is_dead_by_what_is_seen_here) {
  const auto start_of = [](const std::string& pid) {
    std::string word;
    std::ifstream stat("/proc/" + pid + "/stat");
    for (int i = 0; i < 22; ++i) stat >> word;  // this program's name has no space
    return word;
  };
  const std::string living = add(fmt::format("netperfd-run-{}-{}-1", ::getpid(), start_of("self")));
  const std::string reused = add(fmt::format("netperfd-run-{}-1-1", ::getpid()));
  const std::string dead = add("netperfd-run-999999999-1-1");
  const std::string stranger = add("other-run-999999999-1-1");
  Member member(dead, Pids::of_its_own);
  EXPECT_EQ(removed_by(Pids::shared), 2);
  EXPECT_TRUE(exists(living));
  EXPECT_FALSE(exists(reused)) << "its number is another process's by now";
  EXPECT_FALSE(exists(dead));
  EXPECT_EQ(member.wait(), 102) << "killed, although in another PID namespace";
  EXPECT_TRUE(exists(stranger));
  // The owner of this one could be of a PID namespace that the other one does not see, as its member is.
  const std::string unseen = add("netperfd-run-888888888-1-1");
  Member of_ours(unseen, Pids::shared);
  EXPECT_EQ(removed_by(Pids::of_its_own), 1) << "the first one, which is empty";
  EXPECT_TRUE(exists(unseen));
}

}  // namespace
}  // namespace netperfd::workload::test
