// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/child_reports.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/confined/confinement.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::reading {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ChildReportsTest : public testing::Test {
 protected:
  ChildReportsTest() {
    asked_.path.server = "10.0.0.2";
    asked_.path.bind = "10.0.0.1";
    asked_.iperf3.congestion = "cubic";
    asked_.traffic.duration = std::chrono::seconds{1};
    use(test::settings());
  }
  // Reaps children that are left running until the daemon ends.
  ~ChildReportsTest() override {
    reports_.reset();
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
  void use(const ReaderSettings& settings) { reports_.emplace(loop_, settings); }

  Result<std::shared_ptr<void>> begin(const std::string& client_stdout, core::ReportReading::Done done) {
    return reports_->read(client_stdout, client_stderr_, asked_, std::move(done));
  }
  Result<ParsedReport> read(const std::string& client_stdout) {
    std::optional<Result<ParsedReport>> result;
    const auto handle = begin(client_stdout, [&](auto report) { result = std::move(report); });
    if (!handle) return std::unexpected(handle.error());
    EXPECT_FALSE(result) << "called from inside read()";
    if (!test::turn_until(loop_, [&] { return result.has_value(); })) {
      return fail(ErrorKind::internal, "no answer");
    }
    return *std::move(result);
  }
  std::string error_of(const std::string& client_stdout) {
    const auto report = read(client_stdout);
    if (report) return "no error";
    EXPECT_EQ(report.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(report.error().message, StartsWith("iperf3's output could not be read: "));
    return report.error().message;
  }
  bool come_down_to_none() {
    return test::turn_until(loop_, [] { return test::children().empty(); });
  }

  EventLoop loop_ = test::make_loop();
  TestSpec asked_;
  std::string client_stderr_;
  std::optional<ChildReports> reports_;
};

TEST_F(ChildReportsTest, gives_the_child_both_texts_and_what_was_asked_for_and_its_report_back) {
  client_stderr_ = "a word of iperf3";
  const auto parsed = read("some output");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->report.version, "11 bytes, 16 bytes");
  EXPECT_EQ(parsed->report.congestion, "10.0.0.2 5201 10.0.0.1 cubic 1000");
  EXPECT_EQ(parsed->error, "a word of iperf3");
  EXPECT_THAT(test::children(), IsEmpty());
}

TEST_F(ChildReportsTest, takes_output_with_nothing_in_it) {
  const auto parsed = read("");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->report.version, "0 bytes, 0 bytes");
}

TEST_F(ChildReportsTest, says_how_a_child_died) {
  EXPECT_THAT(error_of("abort"), HasSubstr("killed by signal 6 (Aborted)"));
  EXPECT_THAT(error_of("leave"), HasSubstr("ended with exit code 3"));
  EXPECT_THAT(error_of("mute"), HasSubstr("gave no answer"));
  EXPECT_THAT(error_of("strange"), HasSubstr("gave no answer"));
  EXPECT_THAT(error_of("nonsense"), HasSubstr("answer of the reading process is damaged"));
  if (!confined::is_built_with_sanitizers()) {  // sanitizers handle these themselves
    EXPECT_THAT(error_of("crash"), HasSubstr("killed by signal 11 (Segmentation fault)"));
    EXPECT_THAT(error_of("throw"), HasSubstr("out of luck"));
    EXPECT_THAT(error_of("memory"), HasSubstr("more memory than it may"));
  }
  EXPECT_THAT(test::children(), IsEmpty());
}

TEST_F(ChildReportsTest, says_that_a_child_was_killed) {
  std::optional<Result<ParsedReport>> result;
  const auto handle = begin("endless", [&](auto report) { result = std::move(report); });
  ASSERT_TRUE(handle);
  const auto pids = test::children();
  ASSERT_EQ(pids.size(), 1U);
  ASSERT_EQ(::kill(pids.front(), SIGKILL), 0);
  ASSERT_TRUE(test::turn_until(loop_, [&] { return result.has_value(); }));
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error().message,
            "iperf3's output could not be read: the process that read it was killed by signal 9 (Killed)");
}

TEST_F(ChildReportsTest, ends_a_child_that_does_not_end) {
  auto settings = test::settings();
  settings.deadline = std::chrono::milliseconds{200};
  use(settings);
  EXPECT_THAT(error_of("endless"), HasSubstr("that takes longer than"));
  EXPECT_TRUE(come_down_to_none());
}

TEST_F(ChildReportsTest, takes_as_many_intervals_as_the_test_can_have_and_no_more) {
  const auto parsed = read("intervals 1002");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->report.intervals.size(), 1'002U);
  EXPECT_THAT(error_of("intervals 500000"),
              HasSubstr("it has 500000 intervals, and the test that was asked for has at most 1002"));
}

TEST_F(ChildReportsTest, takes_no_more_from_a_child_that_was_taken_over) {
  EXPECT_THAT(error_of("lie"), HasSubstr("answer of the reading process is damaged or too long"));
  EXPECT_THAT(error_of("flood"), HasSubstr("made more of it than"));
  EXPECT_THAT(error_of("control"), HasSubstr("not as it must be: error"));
}

TEST_F(ChildReportsTest, leaves_a_child_no_privilege) {
  ASSERT_EQ(::geteuid(), 0U) << "run it as root";
  const auto parsed = read("privileges");
  ASSERT_TRUE(parsed) << parsed.error().message;
  std::vector<std::string> told;
  for (const QualityFlag& flag : parsed->flags) told.push_back(flag.message);
  EXPECT_THAT(told, Contains("environment: empty"));
  EXPECT_THAT(told, Contains("become root: Operation not permitted"));
  if (confined::is_built_with_sanitizers()) return;  // the rest tests the call filter
  for (const char* what : {"open root's file", "open anybody's file", "socket", "fork", "kill the parent",
                           "signal others", "map code"}) {
    EXPECT_THAT(told, Contains(std::string(what) + ": Operation not permitted"));
  }
}

// An imported file waits until a CPU is idle; a run does not.
TEST_F(ChildReportsTest, lets_a_child_have_a_cpu_like_any_process) {
  const auto handle = begin("endless", [](const auto&) {});
  ASSERT_TRUE(handle);
  const auto pids = test::children();
  ASSERT_EQ(pids.size(), 1U);
  const std::string proc = "/proc/" + std::to_string(pids.front());
  EventSource tick;
  ASSERT_TRUE(test::turn_until(loop_, [&] {
    // There is no event for it; the timer makes the loop check again at each tick.
    tick = loop_.after(std::chrono::milliseconds{1}, [] {}).value();
    return read_file(proc + "/status", 65536).value_or("").find("NoNewPrivs:\t1") != std::string::npos;
  })) << "it stands back before it gives up its privileges";
  EXPECT_EQ(read_file(proc + "/oom_score_adj", 64), "1000\n") << "it is killed first if memory is short";
  EXPECT_EQ(::sched_getscheduler(pids.front()), SCHED_OTHER);
}

TEST_F(ChildReportsTest, forgets_the_call_and_the_child_with_the_handle) {
  bool called = false;
  auto handle = begin("endless", [&](const auto&) { called = true; });
  ASSERT_TRUE(handle);
  EXPECT_EQ(test::children().size(), 1U);
  handle->reset();
  EXPECT_TRUE(come_down_to_none());
  EXPECT_TRUE(read("some output")) << "it still serves";
  EXPECT_FALSE(called);
}

TEST_F(ChildReportsTest, lets_the_handle_go_inside_the_call) {
  std::shared_ptr<void> handle;
  bool called = false;
  auto started = begin("some output", [&](const auto& report) {
    EXPECT_TRUE(report);
    handle.reset();
    called = true;
  });
  ASSERT_TRUE(started);
  handle = std::move(*started);
  EXPECT_TRUE(test::turn_until(loop_, [&] { return called; }));
}

TEST_F(ChildReportsTest, kills_its_children_when_it_goes) {
  auto handle = begin("endless", [](const auto&) { FAIL() << "it was called"; });
  ASSERT_TRUE(handle);
  const auto pids = test::children();
  ASSERT_EQ(pids.size(), 1U);
  reports_.reset();
  int status = 0;
  const pid_t got = ::waitpid(pids.front(), &status, 0);
  EXPECT_TRUE(got == pids.front() ? WIFSIGNALED(status) : errno == ECHILD);
  EXPECT_THAT(test::children(), IsEmpty());
}

}  // namespace
}  // namespace netperfd::reading
