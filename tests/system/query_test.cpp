// SPDX-License-Identifier: GPL-2.0-or-later
// Attacks with queries that take long, and with documents that are never closed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/system/harness/big_store.hpp"
#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;

constexpr const char* kPeer = "org.freedesktop.DBus.Peer";

class Queries : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    const Outcome measured = lab().ctl({"start", "quick"});
    ASSERT_EQ(measured.code, 0) << measured.err;
    measured_run = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
    lab().end_netperfd(SIGTERM);
    // Comparing them takes long enough to be met in the middle.
    constexpr int kMany = 400;
    multiply_run(lab().database_path(), measured_run, "many-a", kMany);
    multiply_run(lab().database_path(), measured_run, "many-b", kMany);
    lab().start_netperfd();
  }

  static std::vector<SeenProcess> queries() {
    auto all = all_processes();
    std::erase_if(all, [](const SeenProcess& process) { return !process.has_word("--query"); });
    return all;
  }
  static bool queries_end() {
    return wait_until_gone([](const SeenProcess& process) { return process.has_word("--query"); });
  }
  static std::unique_ptr<Process> compare_as(const User& user) {
    return std::make_unique<Process>(lab().ctl_command(
        {"compare", "owner:any label:many-a", "owner:any label:many-b", "--fail-on", "never"}, user));
  }
  // Waits for a process that is confined and has closed its request, and stops it: its query takes for ever.
  static pid_t stop_query() {
    for (const Deadline deadline; !deadline.has_passed();) {
      for (const SeenProcess& query : queries()) {
        const auto status = status_of(query.pid);
        const auto confined = status.find("NoNewPrivs");
        if (confined == status.end() || confined->second != "1") continue;
        // With sanitizers, SQLite puts /dev/null in its place: nothing keeps it from opening files then.
        const auto files = files_of(query.pid);
        const auto request = files.find(0);
        if (request != files.end() && request->second != "/dev/null") continue;
        if (::kill(query.pid, SIGSTOP) == 0) return query.pid;
      }
    }
    throw std::runtime_error("no process of a query was seen");
  }
  static std::string ping(const BusClient& client) {
    return client.call(dbus::kManagerPath, kPeer, "Ping", "").error_name;
  }
  // A query of a few runs.
  static std::string list(const BusClient& client) {
    return client.manager("ListRuns", "a{sv}su", 1, "label", "s", "few", "", 0U).error_name;
  }

  static std::uint64_t measured_run;
};

std::uint64_t Queries::measured_run = 0;

TEST_F(Queries, of_an_outsider_that_take_for_ever_delay_nobody_else) {
  const auto comparison = compare_as(lab().users().outsider);
  (void)stop_query();
  EXPECT_EQ(ping(lab().connect(lab().users().outsider)), "");
  EXPECT_EQ(list(lab().connect(lab().users().member)), "");
  EXPECT_EQ(list(lab().connect(User{})), "");
  const Outcome started = lab().ctl({"start", "quick"});
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_EQ(queries().size(), 1U) << "it still runs";
}

TEST_F(Queries, of_one_user_run_one_by_one_and_too_many_are_busy) {
  const auto comparison = compare_as(lab().users().outsider);
  (void)stop_query();
  const BusClient outsider = lab().connect(lab().users().outsider);
  struct Pending {
    std::string error = "none yet";
    static int take(sd_bus_message* answer, void* pending, sd_bus_error*) {
      const sd_bus_error* error = sd_bus_message_get_error(answer);
      static_cast<Pending*>(pending)->error = error != nullptr ? error->name : "";
      return 0;
    }
  };
  constexpr std::size_t kWaiting = 4;
  std::vector<Pending> pending(kWaiting);
  for (Pending& one : pending) {
    ASSERT_GE(sd_bus_call_method_async(outsider.raw(), nullptr, dbus::kService, dbus::kManagerPath,
                                       dbus::kManagerInterface, "ListRuns", &Pending::take, &one, "a{sv}su",
                                       1, "label", "s", "few", "", 0U),
              0);
  }
  const Reply refused = outsider.manager("ListRuns", "a{sv}su", 1, "label", "s", "few", "", 0U);
  EXPECT_EQ(refused.error_name, dbus::error::kBusy);
  EXPECT_THAT(refused.error_text, HasSubstr("4 queries of uid"));
  EXPECT_EQ(list(lab().connect(lab().users().member)), "") << "only that user has too many";
  EXPECT_EQ(queries().size(), 1U);
  for (const Pending& one : pending) EXPECT_EQ(one.error, "none yet");
  comparison->signal(SIGKILL);
  const auto answered = [&] {
    return std::ranges::none_of(pending, [](const Pending& one) { return one.error == "none yet"; });
  };
  for (const Deadline deadline; !answered() && !deadline.has_passed();) {
    if (sd_bus_process(outsider.raw(), nullptr) == 0) sd_bus_wait(outsider.raw(), 100'000);
  }
  for (const Pending& one : pending) EXPECT_EQ(one.error, "");
}

TEST_F(Queries, whose_process_is_killed_are_an_error_for_their_caller_only) {
  const auto comparison = compare_as(lab().users().outsider);
  ::kill(stop_query(), SIGKILL);
  EXPECT_EQ(comparison->wait().code, 1) << comparison->out();
  EXPECT_THAT(comparison->err(), HasSubstr("the process of the query was killed by signal 9"));
  EXPECT_EQ(list(lab().connect(lab().users().outsider)), "");
}

TEST_F(Queries, end_with_their_caller) {
  const auto comparison = compare_as(lab().users().outsider);
  (void)stop_query();
  comparison->signal(SIGKILL);
  EXPECT_TRUE(queries_end());
}

TEST_F(Queries, end_with_a_killed_daemon) {
  const auto comparison = compare_as(lab().users().outsider);
  (void)stop_query();
  EXPECT_EQ(lab().end_netperfd(SIGKILL).signal_number, SIGKILL);
  EXPECT_TRUE(queries_end());
}

TEST_F(Queries, run_as_an_unprivileged_user_who_can_write_nothing) {
  const auto comparison = compare_as(lab().users().outsider);
  const pid_t query = stop_query();
  auto status = status_of(query);
  EXPECT_THAT(status["Uid"], HasSubstr(std::to_string(lab().users().readers.uid)));
  EXPECT_EQ(status["CapEff"], "0000000000000000");
  int files = 0;
  for (const auto& [fd, target] : files_of(query)) {
    if (!target.starts_with(lab().database_path())) continue;
    ++files;
    const std::string info = read_text(fmt::format("/proc/{}/fdinfo/{}", query, fd));
    const auto at = info.find("flags:");
    ASSERT_NE(at, std::string::npos) << info;
    const auto flags = std::stoul(info.substr(at + std::string_view{"flags:"}.size()), nullptr, 8);
    EXPECT_EQ(flags & static_cast<unsigned>(O_ACCMODE), 0U) << target;
  }
  EXPECT_EQ(files, 3) << "the database, its log and the index of that";
}

// A taken-over iperf3 has that user.
TEST_F(Queries, cannot_be_ended_by_a_process_of_the_user_of_iperf3) {
  const auto comparison = compare_as(lab().users().outsider);
  const pid_t query = stop_query();
  const Outcome killed = run(Command{.argv = {"sh", "-c", fmt::format("kill -KILL {}", query)},
                                     .environment = {},
                                     .user = lab().users().iperf3,
                                     .netns = {},
                                     .stderr_file = {}});
  EXPECT_NE(killed.code, 0);
  EXPECT_EQ(queries().size(), 1U);
  EXPECT_EQ(::kill(query, SIGCONT), 0);
  EXPECT_EQ(comparison->wait(), (Exit{0, 0}));
}

// 60 calls of a document of 2 MiB once took 119 MiB of the daemon.
TEST_F(Queries, for_a_document_again_and_again_take_its_memory_once) {
  const BusClient member = lab().connect(lab().users().member);
  std::vector<Reply> kept;
  std::set<ino_t> files;
  for (int i = 0; i < 60; ++i) {
    Reply reply = member.manager("OpenDocument", "ts", measured_run, "client.stdout");
    ASSERT_EQ(reply.error_name, "") << reply.error_text;
    int fd = -1;
    ASSERT_GE(sd_bus_message_read(reply.message.get(), "h", &fd), 0);
    struct stat status{};
    ASSERT_EQ(::fstat(fd, &status), 0);
    files.insert(status.st_ino);
    kept.push_back(std::move(reply));
  }
  EXPECT_EQ(files.size(), 1U);
  const auto held = [] {
    return std::ranges::count_if(files_of(lab().netperfd().process().pid()), [](const auto& file) {
      return file.second.starts_with("/memfd:netperfd-run");
    });
  };
  // An answer that was sent goes a moment later than it arrives.
  for (const Deadline deadline; held() > 1 && !deadline.has_passed();) {
  }
  EXPECT_EQ(held(), 1);
}

}  // namespace
}  // namespace netperfd::system_test
