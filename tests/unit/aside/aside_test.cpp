// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/aside.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/fd.hpp"
#include "tests/support/hung_exec.hpp"
#include "tests/support/patience.hpp"

namespace netperfd {
namespace {

std::string who_looks(std::string_view about) {
  return fmt::format("{} {}", about, ::getpid());
}

std::string text_of(std::string_view path) {
  return read_file(std::string(path), 65536).value_or("nothing");
}

std::string much(std::string_view) {
  return std::string(std::size_t{300} << 10U, 'x');
}

std::string takes(std::string_view how_long) {
  while (how_long == "for ever") ::pause();
  return "seen";
}

std::string dies(std::string_view) {
  ::_exit(0);
}

// Each test begins anew, so that none rests because of another one. Only what never ends is given up.
class LookAside : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(begin_looks());
    set_look_patience(kTestPatience);
  }
  void TearDown() override { EXPECT_TRUE(begin_looks()); }
  static std::optional<std::string> look_in_vain(Look look, std::string_view about) {
    set_look_patience(kLookPatience);
    auto seen = look_aside(look, about);
    set_look_patience(kTestPatience);
    return seen;
  }
};

TEST_F(LookAside, happens_in_another_process_and_returns_what_it_saw) {
  const auto seen = look_aside(&who_looks, "by");
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->starts_with("by "));
  EXPECT_NE(*seen, fmt::format("by {}", ::getpid()));
  EXPECT_EQ(look_aside(&text_of, "/nowhere"), "nothing");
  EXPECT_EQ(look_aside(&much, "").value_or("").size(), std::size_t{300} << 10U) << "more than a pipe holds";
}

TEST_F(LookAside, has_its_cpu_time_counted) {
  ASSERT_TRUE(look_aside(&much, ""));
  const auto once = looks_cpu_ns();
  EXPECT_GT(once, 0U);
  ASSERT_TRUE(look_aside(&much, ""));
  EXPECT_GE(looks_cpu_ns(), once);
}

TEST_F(LookAside, that_takes_for_ever_is_given_up_and_then_rests_alone) {
  EXPECT_EQ(look_aside(&takes, "a moment"), "seen");
  EXPECT_EQ(look_in_vain(&takes, "for ever"), std::nullopt);
  EXPECT_EQ(look_aside(&takes, "a moment"), std::nullopt);
  EXPECT_TRUE(look_aside(&who_looks, "")) << "another one does not rest";
}

TEST_F(LookAside, rests_as_long_as_it_is_told) {
  using std::chrono::seconds;
  set_look_patience(kLookPatience);
  EXPECT_EQ(look_aside(&takes, "for ever", seconds{0}), std::nullopt);
  set_look_patience(kTestPatience);
  EXPECT_EQ(look_aside(&takes, "a moment", seconds{0}), "seen");
}

TEST_F(LookAside, that_dies_is_unknown) {
  EXPECT_EQ(look_aside(&dies, ""), std::nullopt);
  EXPECT_TRUE(look_aside(&who_looks, ""));
}

TEST_F(LookAside, at_what_is_too_long_to_say_is_unknown) {
  EXPECT_EQ(look_aside(&who_looks, std::string(100'000, 'x')), std::nullopt);
}

TEST_F(LookAside, at_a_process_that_hangs_in_exec_is_given_up_and_those_at_others_go_on) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto hung = support::HungExec::make();
  ASSERT_TRUE(hung);
  EXPECT_EQ(look_in_vain(&text_of, fmt::format("/proc/{}/stat", hung->pid())), std::nullopt);
  EXPECT_EQ(look_aside(&text_of, fmt::format("/proc/{}/stat", ::getpid())), std::nullopt) << "it rests";
  EXPECT_TRUE(look_aside(&who_looks, "")) << "another one does not";
}

pid_t starter_of_looks() {
  std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
  pid_t starter = -1;
  for (pid_t pid = 0; children >> pid;) starter = pid;  // the last one
  return starter;
}

TEST_F(LookAside, whose_starter_is_killed_is_unknown_which_is_told_once) {
  int told = 0;
  tell_end_of_looks([&] { ++told; });
  ASSERT_TRUE(look_aside(&who_looks, ""));
  EXPECT_EQ(told, 0);
  const pid_t starter = starter_of_looks();
  ASSERT_GT(starter, 0);
  ASSERT_EQ(::kill(starter, SIGKILL), 0);
  ASSERT_EQ(::waitpid(starter, nullptr, 0), starter);
  EXPECT_EQ(look_aside(&who_looks, ""), std::nullopt);
  EXPECT_EQ(look_aside(&text_of, "/nowhere"), std::nullopt);
  EXPECT_EQ(told, 1);
}

// The process that has looked in vain, and the one that started it.
TEST_F(LookAside, leaves_no_process_behind) {
  ASSERT_EQ(look_in_vain(&takes, "for ever"), std::nullopt);
  const pid_t starts_looks = starter_of_looks();
  ASSERT_GT(starts_looks, 0);
  ASSERT_TRUE(look_aside(&who_looks, ""));  // one at a time: the other one has ended
  std::ifstream looking(fmt::format("/proc/{0}/task/{0}/children", starts_looks));
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(looking), {}).empty()) << "it has no other child";
  ASSERT_TRUE(begin_looks());  // the one before has nobody left who asks it
  EXPECT_EQ(::waitpid(starts_looks, nullptr, 0), starts_looks);
}

}  // namespace
}  // namespace netperfd
