// SPDX-License-Identifier: GPL-2.0-or-later
// What a hostile iperf3 writes: a process without privileges reads it, and the daemon outlives that process.
#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/system/harness/deadline.hpp"
#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A client that writes the file "output", and ends.
constexpr const char* kWriting = R"(#!/bin/sh
case "$*" in *-v*|*-h*) exec IPERF3 "$@";; esac
exec cat "$(dirname "$0")/output"
)";

class Reports : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({.gated = false, .queue_limit = 64, .iperf3_script = kWriting, .environment = {}});
  }

  static void write_output(const std::string& text) { (void)lab().directory().write("output", text); }
  // Reading this takes seconds.
  static void write_slow_output() {
    constexpr std::size_t kNumbers = 12'000'000;
    std::string text = R"({"start":[1)";
    for (std::size_t i = 0; i < kNumbers; ++i) text += ",1";
    write_output(text + "]}\n");
  }
  static pid_t daemon() { return lab().netperfd().process().pid(); }
  // The process that reads the output of the run under way, when it has become its user.
  static pid_t reader() {
    for (const Deadline deadline; !deadline.has_passed();) {
      for (const SeenProcess& process : all_processes()) {
        const bool reads = process.parent == daemon() && process.has_word("--read-file");
        if (reads && process.uid == lab().users().readers.uid) return process.pid;
      }
    }
    throw std::runtime_error("nobody reads the output");
  }
  // It reads, but not any further.
  static pid_t stopped_reader() {
    const pid_t pid = reader();
    EXPECT_EQ(::kill(pid, SIGSTOP), 0);
    return pid;
  }
  static std::string newest(const std::string& column) {
    return lab().database().value(fmt::format("SELECT {} FROM runs ORDER BY id DESC LIMIT 1", column));
  }
  static std::int64_t bytes_of_document() {
    return lab().database().number(
        "SELECT size FROM documents WHERE name = 'client.stdout' AND run = (SELECT max(id) FROM runs)");
  }

  JobWatch watch{lab().bus().address()};
};

TEST_F(Reports, of_too_many_intervals_are_refused_and_take_no_memory_of_the_daemon) {
#ifdef NETPERFD_SANITIZED
  constexpr std::size_t kIntervals = 20'000;  // reading them takes far more time and memory than otherwise
#else
  constexpr std::size_t kIntervals = 500'000;
#endif
  std::string text = R"({"start":{"version":"iperf 3.12"},"intervals":[)";
  for (std::size_t i = 0; i < kIntervals; ++i) {
    text += fmt::format(R"({}{{"sum":{{"start":{},"end":{},"bytes":1}}}})", i == 0 ? "" : ",", i, i + 1);
  }
  text += R"(],"end":{}})";
  write_output(text);
  std::ofstream(fmt::format("/proc/{}/clear_refs", daemon())) << "5";  // VmHWM begins again
  const auto memory = [](const char* name) {
    std::int64_t kilobytes = 0;
    std::istringstream{status_of(daemon()).at(name)} >> kilobytes;
    return kilobytes * 1024;
  };
  const std::int64_t before = memory("VmRSS");
  const Outcome started = lab().ctl({"start", "foreign"});
  EXPECT_EQ(started.code, kRunFailed) << started.err;
  EXPECT_EQ(newest("state"), "failed");
  EXPECT_THAT(
      newest("error"),
      AllOf(HasSubstr(fmt::format("iperf3's output could not be read: it has {} intervals", kIntervals)),
            HasSubstr("the test that was asked for has at most")));
  EXPECT_EQ(bytes_of_document(), static_cast<std::int64_t>(text.size())) << "the output is kept";
  const std::int64_t grown = memory("VmHWM") - before;
  RecordProperty("output_bytes", static_cast<int>(text.size()));
  RecordProperty("grown_bytes", static_cast<int>(grown));
#ifndef NETPERFD_SANITIZED
  // The output itself is the daemon's, while it arrives and while it is stored.
  EXPECT_LT(grown, 3 * static_cast<std::int64_t>(text.size()));
#endif
}

TEST_F(Reports, are_read_by_another_process_and_its_death_is_told_of) {
  write_slow_output();
  const StartedJob job = lab().start("foreign");
  watch.wait_for_run_state(job.id, "collecting");
  const pid_t pid = reader();
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  EXPECT_EQ(watch.wait_for_end(job.id), "failed");
  EXPECT_EQ(newest("error"),
            "iperf3's output could not be read: the process that read it was killed by signal 9 (Killed)");
  EXPECT_GT(bytes_of_document(), 0);
  EXPECT_EQ(lab().ctl({"runs"}).code, 0) << "the daemon goes on";
}

TEST_F(Reports, are_not_waited_for_by_other_calls_nor_for_ever_by_a_job_that_is_stopped) {
  write_slow_output();
  const StartedJob job = lab().start("foreign", {}, {"--repeat", "2"});
  watch.wait_for_run_state(job.id, "collecting");
  (void)stopped_reader();
  EXPECT_EQ(lab().ctl({"runs"}).code, 0);
  EXPECT_EQ(newest("state"), "pending") << "the second run waits for the first one's report";
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_TRUE(lab().workload_ends());
  EXPECT_GT(lab().database().number(fmt::format(
                "SELECT size FROM documents WHERE name = 'client.stdout' AND run = {}", job.runs.front())),
            0);
}

TEST_F(Reports, are_not_waited_for_by_a_daemon_that_ends) {
  write_slow_output();
  const StartedJob job = lab().start("foreign");
  watch.wait_for_run_state(job.id, "collecting");
  (void)stopped_reader();
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  EXPECT_TRUE(lab().workload_ends());
  EXPECT_EQ(newest("state"), "interrupted");
  lab().start_netperfd();
}

}  // namespace
}  // namespace netperfd::system_test
