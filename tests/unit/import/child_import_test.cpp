// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/child_import.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/foreign_fd.hpp"
#include "daemon/confined/confinement.hpp"
#include "daemon/reading/reader.hpp"
#include "daemon/reading/record_bytes.hpp"
#include "daemon/reading/record_check.hpp"
#include "tests/unit/import/child_import_fixture.hpp"
#include "tests/unit/import/silent_file.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::import {
namespace {

using confined::is_built_with_sanitizers;
using reading::test::children;
using reading::test::file_of;
using reading::test::turn_until;
using testing::Contains;
using testing::HasSubstr;

TEST_F(ChildImportTest, gives_the_record_that_the_child_made) {
  const auto record = read("full");
  ASSERT_TRUE(record) << record.error().message;
  ImportedFile expected;
  expected.trace = reading::test::full_record();
  expected.raw = "full";
  expected.sha256 = "a18b869b2e81c0c529552a3c4fa5c92ed08b98a4e146aed778d71d27517f83ac";
  EXPECT_EQ(reading::to_bytes(*record), reading::to_bytes(expected));
  EXPECT_TRUE(children().empty());
}

TEST_F(ChildImportTest, gives_the_file_as_it_is_unless_it_is_too_long_to_keep) {
  const auto kept = read(std::string("\0\xff", 2));
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->raw, std::string("\0\xff", 2));
  EXPECT_TRUE(kept->flags.empty());
  const auto left_out = read(std::string(reading::kMostRawBytes + 1, 'x'));
  ASSERT_TRUE(left_out) << left_out.error().message;
  EXPECT_TRUE(left_out->raw.empty());
  EXPECT_EQ(left_out->sha256, "b367c8cf8c1abc4227ff699d4ea1a21bafe050050ca10846abb76987a4182eef");
  ASSERT_EQ(left_out->flags.size(), 1U);
  EXPECT_EQ(left_out->flags.front().code, "raw-left-out");
}

TEST_F(ChildImportTest, gives_the_childs_words_without_control_characters) {
  EXPECT_EQ(error_of("wrong"), "trace.dat: this?is? wrong");
}

TEST_F(ChildImportTest, says_how_a_child_died) {
  EXPECT_THAT(error_of("abort"), HasSubstr("killed by signal 6 (Aborted)"));
  EXPECT_THAT(error_of("leave"), HasSubstr("exit code 3 and no answer"));
  EXPECT_THAT(error_of("mute"), HasSubstr("no answer"));
  if (!is_built_with_sanitizers()) {  // sanitizers handle these signals and exceptions themselves
    EXPECT_THAT(error_of("crash"), HasSubstr("killed by signal 11 (Segmentation fault)"));
    EXPECT_THAT(error_of("shrunk"), HasSubstr("became shorter"));
    EXPECT_THAT(error_of("throw"), HasSubstr("out of luck"));
  }
  EXPECT_THAT(error_of("nonsense"), HasSubstr("answer of the reading process is damaged"));
  EXPECT_TRUE(children().empty());
}

TEST_F(ChildImportTest, takes_no_answer_beyond_its_limit) {
  settings_.answer_limit_bytes = std::size_t{1} << 20U;
  use(settings_);
  EXPECT_THAT(error_of("long"), HasSubstr("more than 1 MiB"));
  EXPECT_TRUE(come_down_to(0));
}

TEST_F(ChildImportTest, ends_a_child_that_does_not_end) {
  settings_.reader.deadline = std::chrono::milliseconds{200};
  use(settings_);
  EXPECT_THAT(error_of("endless"), HasSubstr("takes longer than"));
  EXPECT_TRUE(come_down_to(0));
}

TEST_F(ChildImportTest, tells_when_a_killed_child_has_left_room) {
  bool told = false;
  import_->on_room([&] { told = true; });
  auto handle = begin("endless", [](const auto&) {});
  EXPECT_TRUE(import_->has_room(kOwner));
  handle->reset();
  told = import_->has_room(kOwner);  // it has ended already
  EXPECT_TRUE(turn_until(loop_, [&] { return told; }) && import_->has_room(kOwner));
}

TEST_F(ChildImportTest, gives_a_child_no_more_memory_than_its_limit) {
  if (is_built_with_sanitizers()) return;  // there is no memory limit
  for (const char* text : {"memory", "memory at the end"})
    EXPECT_EQ(error_of(text), "it is too large: reading it takes more memory than it may, 1024 MiB");
}

TEST_F(ChildImportTest, leaves_a_child_no_privilege) {
  ASSERT_EQ(::geteuid(), 0U) << "run it as root";
  const auto record = read("privileges");
  ASSERT_TRUE(record) << record.error().message;
  std::vector<std::string> told;
  for (const TraceMark& mark : record->trace->marks) told.push_back(mark.text);
  EXPECT_THAT(told, Contains("environment: empty"));
  EXPECT_THAT(told, Contains("become root: Operation not permitted"));
  if (is_built_with_sanitizers()) return;  // the rest tests the call filter
  for (const char* what : {"open root's file", "open anybody's file", "socket", "fork", "kill the parent",
                           "signal others", "map code"}) {
    EXPECT_THAT(told, Contains(std::string(what) + ": Operation not permitted"));
  }
}

// The kernel's own view of a working child.
TEST_F(ChildImportTest, makes_the_child_somebody_who_has_nothing) {
  ASSERT_EQ(::geteuid(), 0U) << "run it as root";
  const auto handle = begin("endless", [](const auto&) {});
  ASSERT_TRUE(handle) << handle.error().message;
  const auto pids = children();
  ASSERT_EQ(pids.size(), 1U);
  const std::string proc = "/proc/" + std::to_string(pids[0]);
  std::vector<std::string> wanted{"Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534",
                                  "Groups:\t \n", "NoNewPrivs:\t1"};
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    wanted.push_back(std::string(set) + ":\t0000000000000000");
  }
  std::string status;
  EventSource tick;
  EXPECT_TRUE(turn_until(loop_, [&] {
    // There is no event for it; the timer makes the loop check again at each tick.
    tick = loop_.after(std::chrono::milliseconds{1}, [] {}).value();
    status = read_file(proc + "/status", 65536).value_or("");
    return std::ranges::all_of(wanted,
                               [&](const auto& line) { return status.find(line) != std::string::npos; });
  })) << status;
  EXPECT_EQ(std::filesystem::read_symlink(proc + "/cwd"), "/");
  EXPECT_EQ(::getsid(pids[0]), pids[0]);
  const auto limits = read_file(proc + "/limits", 65536);
  ASSERT_TRUE(limits);
  for (const char* line : {"Max core file size        0                    0 ",
                           "Max processes             0                    0 ",
                           "Max file size             0                    0 "}) {
    EXPECT_THAT(*limits, HasSubstr(line));
  }
  if (!is_built_with_sanitizers()) {  // sanitizers open pipes
    EXPECT_THAT(*limits, HasSubstr("Max open files            3                    3 "));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(proc + "/fd"), {}), 3);
  EXPECT_EQ(read_file(proc + "/oom_score_adj", 64), "1000\n");
  EXPECT_EQ(::sched_getscheduler(pids[0]), SCHED_IDLE);
}

// The memory limit follows the size that the daemon checked, even if the file's owner changes it later.
TEST_F(ChildImportTest, refuses_a_file_that_grew_since_it_was_checked) {
  Fd file = file_of("full");
  ASSERT_EQ(::ftruncate(file.get(), off_t{64} << 40U), 0);
  EXPECT_THAT(error_of(std::move(file), 4), HasSubstr("changes its size"));
}

TEST_F(ChildImportTest, never_waits_for_a_file_system_that_does_not_answer) {
  if (!test::SilentFile::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto silent = test::SilentFile::make();
  ASSERT_TRUE(silent);
  // The child must have begun to read by then, even on a busy machine.
  settings_.reader.deadline = std::chrono::seconds{3};
  settings_.reads = 1;
  settings_.killed = 1;
  use(settings_);
  EXPECT_THAT(error_of(silent->take(), test::SilentFile::kSize), HasSubstr("takes longer than"));
  EXPECT_EQ(children().size(), 2U) << "the server of the file, and the reader: killed, but it cannot end";
  EXPECT_FALSE(import_->has_room(kOwner)) << "it takes a place of its user";
  EXPECT_FALSE(import_->has_room(kOther)) << "there may be only so many of these";
  EXPECT_TRUE(import_->has_room(0));
  EXPECT_GT(closes_under_way(), 0U);
  silent->let_go();
  EXPECT_TRUE(come_down_to(0));
  EventSource tick;
  EXPECT_TRUE(turn_until(loop_, [&] {
    tick = loop_.after(std::chrono::milliseconds{1}, [] {}).value();
    return closes_under_way() == 0;
  }));
  EXPECT_TRUE(begin("full", [](const auto&) {}));
}

TEST_F(ChildImportTest, refuses_what_is_no_file) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const auto of_pipe = read(std::move(pipe->read), 0);
  ASSERT_FALSE(of_pipe);
  EXPECT_THAT(of_pipe.error().message, HasSubstr("no regular file"));
  const auto of_directory = read(Fd{::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)}, 4096);
  ASSERT_FALSE(of_directory);
  EXPECT_THAT(of_directory.error().message, HasSubstr("no regular file"));
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
}

TEST_F(ChildImportTest, forgets_the_call_and_the_child_with_the_handle) {
  bool called = false;
  auto handle = begin("endless", [&](const auto&) { called = true; });
  ASSERT_TRUE(handle);
  EXPECT_EQ(children().size(), 1U);
  handle->reset();
  EXPECT_TRUE(come_down_to(0));
  EXPECT_TRUE(read("full")) << "it still serves";
  EXPECT_FALSE(called);
}

TEST_F(ChildImportTest, lets_the_handle_go_inside_the_call) {
  std::shared_ptr<void> handle;
  bool called = false;
  auto started = begin("full", [&](const auto& record) {
    EXPECT_TRUE(record);
    handle.reset();
    called = true;
  });
  ASSERT_TRUE(started);
  handle = std::move(*started);
  EXPECT_TRUE(turn_until(loop_, [&] { return called; }));
}

TEST_F(ChildImportTest, kills_its_children_when_it_goes) {
  auto handle = begin("endless", [](const auto&) { FAIL() << "it was called"; });
  ASSERT_TRUE(handle);
  auto text = text_of("much");
  ASSERT_TRUE(text);
  const auto pids = children();
  EXPECT_EQ(pids.size(), 2U);
  import_.reset();
  for (const pid_t pid : pids) {
    int status = 0;
    const pid_t got = ::waitpid(pid, &status, 0);
    EXPECT_TRUE(got == pid ? WIFSIGNALED(status) : errno == ECHILD) << "the second: reaped already";
  }
  EXPECT_TRUE(children().empty());
}

TEST_F(ChildImportTest, is_busy_beyond_its_number_of_files) {
  std::vector<std::shared_ptr<void>> handles;
  for (std::size_t i = 0; i < settings_.reads; ++i) {
    auto handle = begin("endless", [](const auto&) {});
    ASSERT_TRUE(handle);
    handles.push_back(*handle);
  }
  const auto refused = begin("full", [](const auto&) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  handles.pop_back();
  EXPECT_TRUE(begin("full", [](const auto&) {}));
}

// Reads the pipe to its end; returns the number of bytes.
std::size_t drain(const Fd& pipe, std::string* head = nullptr) {
  std::size_t size = 0;
  std::array<char, 65536> chunk{};
  for (ssize_t got = 1; got > 0;) {
    got = ::read(pipe.get(), chunk.data(), chunk.size());
    if (got > 0 && head != nullptr && head->size() < 1000)
      head->append(chunk.data(), static_cast<std::size_t>(got));
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  return size;
}

TEST_F(ChildImportTest, streams_a_text_that_is_larger_than_any_limit_of_its) {
  settings_.reader.memory_bytes = std::uint64_t{64} << 20U;
  use(settings_);
  const auto text = text_of("much");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(drain(*text), (std::size_t{100} << 20U) + reading::kTextEnd.size());
  EXPECT_TRUE(come_down_to(0));
}

TEST_F(ChildImportTest, says_in_the_text_why_there_is_none) {
  const auto text = text_of("wrong");
  ASSERT_TRUE(text);
  std::string head;
  drain(*text, &head);
  EXPECT_EQ(head, "# trace.dat: this is wrong\n");
}

TEST_F(ChildImportTest, ends_a_text_that_is_whole_with_a_line_of_its_own) {
  const auto text_read = [&](const char* recording) {
    const auto text = text_of(recording);
    std::string read;
    if (text) drain(*text, &read);
    return read;
  };
  EXPECT_EQ(text_read("whole\n"), "whole\n# end of the trace\n");
  EXPECT_EQ(text_read("cut short\n"), "cut short\n");
}

TEST_F(ChildImportTest, writes_the_text_for_whoever_reads_it) {
  const auto text_for = [&](core::TextReader reader) {
    const auto text = text_of("whole\n", reader);
    std::string read;
    if (text) drain(*text, &read);
    return read;
  };
  EXPECT_EQ(text_for(core::TextReader::root), "whole\n# end of the trace\n");
  EXPECT_EQ(text_for(core::TextReader::owner), "# for the owner\nwhole\n# end of the trace\n");
}

TEST_F(ChildImportTest, ends_the_child_of_a_text_that_nobody_reads) {
  {
    const auto text = text_of("much");
    ASSERT_TRUE(text);
    EXPECT_EQ(children().size(), 1U);
  }
  EXPECT_EQ(texts_ended_, 0U);
  EXPECT_TRUE(turn_until(loop_, [this] { return texts_ended_ == 1; }));
  EXPECT_TRUE(children().empty());
}

TEST_F(ChildImportTest, starts_no_text_of_a_recording_that_cannot_be_had) {
  const auto refused = import_->text(
      kOwner, [] { return fail(ErrorKind::io, "no recording"); }, core::TextReader::root,
      [] { FAIL() << "it was called"; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "no recording");
  EXPECT_TRUE(children().empty());
}

TEST_F(ChildImportTest, is_busy_beyond_its_number_of_texts) {
  std::vector<Fd> pipes;
  const auto begin_texts_of = [&](uid_t owner) {
    for (std::size_t i = 0; i < settings_.texts_of_user; ++i) {
      auto text = text_of("much", core::TextReader::owner, owner);
      ASSERT_TRUE(text) << owner;
      pipes.push_back(std::move(*text));
    }
  };
  const auto expect_busy_for = [&](uid_t owner) {
    const auto refused = text_of("much", core::TextReader::owner, owner);
    ASSERT_FALSE(refused) << owner;
    EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  };
  begin_texts_of(kOwner);
  expect_busy_for(kOwner);
  begin_texts_of(kOther);
  EXPECT_EQ(pipes.size(), settings_.texts);
  expect_busy_for(1002);
  begin_texts_of(0);
  expect_busy_for(0);
  EXPECT_EQ(recordings_, pipes.size()) << "what has no room is not even asked for";
}

}  // namespace
}  // namespace netperfd::import
