// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon from the service manager's view: start, reload, watchdog, idleness, end.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Runs a program that ends by itself.
Outcome run_netperfd(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), NETPERFD_PROGRAM);
  return run({.argv = std::move(arguments), .environment = {}, .user = {}, .netns = {}, .stderr_file = {}});
}

class Lifecycle : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.gated = true, .environment = {}}); }
  void TearDown() override {
    lab().gate().open();
    write_configuration(lab().users().group);
    if (lab().is_running() && reloaded_) reload();
    SystemTest::TearDown();
  }

  static void write_configuration(gid_t group) {
    lab().directory().write("netperfd.yaml",
                            lab().configuration_text(lab().scenarios_dir(), group, lab().database_path()));
  }
  void reload() {
    reloaded_ = true;
    NetperfdProcess& netperfd = lab().netperfd();
    const std::size_t ready = netperfd.notified().count("READY=1");
    netperfd.process().signal(SIGHUP);
    netperfd.wait_until_told("RELOADING=1", ready);  // one reload each time it became ready
    netperfd.wait_until_ready(ready + 1);
  }

 private:
  bool reloaded_ = false;
};

TEST_F(Lifecycle, sigterm_ends_an_idle_daemon_with_exit_code_0_and_notice) {
  NetperfdProcess& netperfd = lab().netperfd();
  EXPECT_EQ(netperfd.end_by(SIGTERM), (Exit{0, 0})) << netperfd.log();
  EXPECT_EQ(netperfd.notified().count("STOPPING=1"), 1);
  lab().start_netperfd();
}

TEST_F(Lifecycle, sigterm_interrupts_the_run_under_way_and_the_next_daemon_goes_on) {
  lab().gate().close();
  const StartedJob job = lab().start("local", {}, {"--repeat", "2"});
  const StartedJob waiting = lab().start("local");
  lab().gate().wait_for_run();
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().gate().open();
  EXPECT_THAT(lab().workload(), IsEmpty());
  const std::string states =
      fmt::format("SELECT group_concat(state) FROM runs WHERE job IN ({}, {})", job.id, waiting.id);
  EXPECT_EQ(lab().database().value(states), "interrupted,pending,pending");
  lab().start_netperfd();
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("resumed local"));
  // A job of ours comes after those, so that its end is theirs.
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
  EXPECT_EQ(lab().database().value(states), "interrupted,finished,finished");
}

TEST_F(Lifecycle, a_clean_end_leaves_nothing_in_the_write_ahead_log) {
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  EXPECT_EQ(std::filesystem::file_size(lab().database_path() + "-wal"), 0U) << "its blocks are the reserve";
  lab().start_netperfd();
}

TEST_F(Lifecycle, a_status_line_tells_the_service_manager_what_runs) {
  const Outcome started = lab().ctl({"start", "local", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const auto run = json::parse(started.out).at("runs").at(0).at("run").get<std::uint64_t>();
  NotifySocket& notified = lab().netperfd().notified();
  EXPECT_TRUE(notified.wait_for("STATUS=idle", 2, lab().netperfd().process().pidfd()));
  EXPECT_THAT(notified.lines(),
              testing::Contains(AllOf(StartsWith("STATUS="), HasSubstr(fmt::format("run {} ", run)),
                                      HasSubstr("running"))));
}

TEST_F(Lifecycle, a_reload_with_a_wrong_configuration_keeps_the_old_one_and_is_logged) {
  lab().directory().write("netperfd.yaml", "scenarios: relative/path\nlimits:\n  queue: none\n");
  reload();
  EXPECT_THAT(lab().netperfd().log(), AllOf(HasSubstr("netperfd.yaml:1:"), HasSubstr("netperfd.yaml:3:"),
                                            HasSubstr("the old one stays")));
  EXPECT_EQ(lab().ctl({"start", "local"}).code, 0);
}

TEST_F(Lifecycle, a_reload_takes_another_group_into_effect) {
  // This group has no members.
  write_configuration(lab().users().group + 1);
  reload();
  EXPECT_EQ(lab().ctl({"start", "local"}).code, kDenied);
  write_configuration(lab().users().group);
  reload();
  EXPECT_EQ(lab().ctl({"start", "local"}).code, 0);
}

TEST_F(Lifecycle, a_reload_takes_another_directory_of_scenarios_into_effect) {
  lab().directory().write("elsewhere/other.yaml",
                          "name: other\nworkload:\n  iperf3:\n    server: 10.77.0.2\n    duration: 1s\n");
  lab().directory().write("netperfd.yaml",
                          lab().configuration_text(lab().directory().path("elsewhere"), lab().users().group,
                                                   lab().database_path()));
  reload();
  const Outcome listed = lab().ctl({"scenarios", "-o", "json"});
  const json rows = json::parse(listed.out).at("scenarios");
  ASSERT_EQ(rows.size(), 1) << listed.out;
  EXPECT_EQ(rows.at(0).at("name"), "other");
}

TEST_F(Lifecycle, a_reload_takes_another_limit_of_repeats_into_effect_for_checks_and_for_starts) {
  const auto limit = [] {
    const Reply checked = lab().connect(lab().users().member).manager("CheckScenario", "sa{sv}", "local", 0);
    std::uint32_t runs = 0, most = 0;
    EXPECT_GE(sd_bus_message_read(checked.message.get(), "uu", &runs, &most), 0) << checked.error_text;
    return most;
  };
  EXPECT_EQ(limit(), 1000U);
  std::string text =
      lab().configuration_text(lab().scenarios_dir(), lab().users().group, lab().database_path());
  const std::string limits = "limits:\n";
  ASSERT_NE(text.find(limits), std::string::npos);
  lab().directory().write("netperfd.yaml", text.insert(text.find(limits) + limits.size(), "  repeat: 2\n"));
  reload();
  EXPECT_EQ(limit(), 2U);
  EXPECT_EQ(lab().ctl({"start", "quick", "--repeat", "3"}).code, kUsage);
}

TEST_F(Lifecycle, a_reload_leaves_the_running_job_alone) {
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local");
  watch.wait_for_run_state(job.id, "running");
  reload();
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
}

TEST_F(Lifecycle, a_second_daemon_on_the_same_database_refuses_to_start) {
  NetperfdProcess second{lab().directory(), lab().bus(), lab().configuration(), "second"};
  EXPECT_EQ(second.process().wait(), (Exit{1, 0}));
  EXPECT_THAT(second.log(), AllOf(HasSubstr("netperfd.db"), HasSubstr("only one netperfd may own it")));
  EXPECT_EQ(lab().ctl({"start", "local"}).code, 0);
}

TEST_F(Lifecycle, a_second_daemon_on_the_same_bus_refuses_to_start) {
  const std::string configuration = lab().directory().write(
      "second.yaml", lab().configuration_text(lab().scenarios_dir(), lab().users().group,
                                              lab().directory().path("second.db")));
  NetperfdProcess second{lab().directory(), lab().bus(), configuration, "second-bus"};
  EXPECT_EQ(second.process().wait(), (Exit{1, 0}));
  EXPECT_THAT(second.log(), HasSubstr("org.netperfd1"));
  EXPECT_EQ(second.notified().count("READY=1"), 0);
}

TEST_F(Lifecycle, the_loss_of_the_bus_ends_the_daemon_as_failed) {
  const ScratchDir directory;
  auto bus = std::make_unique<PrivateBus>(directory);
  const std::string configuration = directory.write(
      "netperfd.yaml",
      lab().configuration_text(lab().scenarios_dir(), lab().users().group, directory.path("lost.db")));
  NetperfdProcess netperfd{directory, *bus, configuration};
  netperfd.wait_until_ready();
  bus.reset();
  EXPECT_EQ(netperfd.process().wait(), (Exit{1, 0})) << netperfd.log();
}

TEST_F(Lifecycle, check_accepts_a_good_configuration) {
  const Outcome outcome = run_netperfd({"--config", lab().configuration(), "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Lifecycle, check_tells_that_the_readers_need_a_user_of_their_own) {
  const auto with_readers = [](const std::string& user) {
    std::string text =
        lab().configuration_text(lab().scenarios_dir(), lab().users().group, lab().database_path());
    const std::string own = fmt::format("readers:\n  user: {}\n", lab().users().readers.uid);
    text.replace(text.find(own), own.size(), fmt::format("readers:\n  user: {}\n", user));
    return run_netperfd({"--config", lab().directory().write("readers.yaml", text), "--check"});
  };
  const Outcome shared = with_readers(std::to_string(lab().users().iperf3.uid));
  EXPECT_EQ(shared.code, 1);
  EXPECT_THAT(shared.err, HasSubstr("is the user of iperf3, whose processes could end the readers"));
  EXPECT_THAT(with_readers("root").err, HasSubstr("readers.user: root is no unprivileged user"));
  const Outcome nobody = with_readers("no-such-user");
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("readers.user: no user \"no-such-user\" here; systemd-sysusers makes"));
}

TEST_F(Lifecycle, check_tells_all_errors_of_configuration_and_scenarios) {
  const std::string wrong = lab().directory().write(
      "wrong.yaml", "log:\n  level: loud\nlimits:\n  queue: 0\nkeep:\n  - age: soon\n");
  const Outcome configuration = run_netperfd({"--config", wrong, "--check"});
  EXPECT_EQ(configuration.code, 1);
  EXPECT_THAT(configuration.err,
              AllOf(HasSubstr("wrong.yaml:2:"), HasSubstr("wrong.yaml:4:"),
                    HasSubstr("wrong.yaml:6:10: keep[0].age: \"soon\" is not a time of an hour or more")));

  lab().directory().write("broken/broken.yaml", "name: broken\n");
  const std::string with_broken = lab().directory().write(
      "with-broken.yaml",
      lab().configuration_text(lab().directory().path("broken"), lab().users().group, lab().database_path()));
  const Outcome scenario = run_netperfd({"--config", with_broken, "--check"});
  EXPECT_EQ(scenario.code, 1);
  EXPECT_THAT(scenario.out + scenario.err, HasSubstr("broken.yaml"));
}

TEST_F(Lifecycle, a_database_in_a_directory_that_others_may_change_is_not_opened) {
  const ScratchDir directory;
  const std::string path = directory.path("open/netperfd.db");
  const std::string above = std::filesystem::path(path).parent_path();
  std::filesystem::create_directory(above);
  const std::string configuration = directory.write(
      "netperfd.yaml", lab().configuration_text(lab().scenarios_dir(), lab().users().group, path));
  const auto expect_refused = [&](const std::string& why) {
    const Outcome outcome = run_netperfd({"--config", configuration});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(
        outcome.err,
        AllOf(HasSubstr("store.database: its directory must be one that nobody but root"), HasSubstr(why)));
    EXPECT_FALSE(std::filesystem::exists(path));
  };
  for (const unsigned mode : {0777U, 01777U, 0775U}) {
    std::filesystem::permissions(above, std::filesystem::perms{mode});
    expect_refused("`chmod go-w " + above + "`");
  }
  std::filesystem::permissions(above, std::filesystem::perms{0755});
  ASSERT_EQ(::chown(above.c_str(), lab().users().member.uid, static_cast<gid_t>(-1)), 0);
  expect_refused("`chown root " + above + "`");
}

TEST_F(Lifecycle, version_is_told_by_daemon_and_client_alike) {
  const Outcome daemon = run_netperfd({"--version"});
  EXPECT_EQ(daemon.code, 0);
  EXPECT_THAT(daemon.out, testing::MatchesRegex("netperfd [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  const Outcome client = lab().ctl({"--version"});
  EXPECT_EQ(client.code, 0);
  EXPECT_EQ(client.out.substr(client.out.find(' ')), daemon.out.substr(daemon.out.find(' ')));
}

TEST_F(Lifecycle, an_unknown_option_is_a_usage_error) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--frobnicate"}, {"word"}}) {
    const Outcome outcome = run_netperfd(words);
    EXPECT_EQ(outcome.code, 2) << words.front();
    EXPECT_NE(outcome.err, "") << words.front();
  }
  EXPECT_EQ(lab().ctl({"start", "local", "--frobnicate"}).code, 2);
  EXPECT_EQ(lab().ctl({}).code, 2);
}

// ---- Idle -------------------------------------------------------------------------------------------------

// The test must let time pass, because it checks that nothing happens.
constexpr std::chrono::seconds kIdle{3};

// Names of the system calls of `netperfd` during a period of kIdle, repeated until `enough` returns true.
std::vector<std::string> calls_while_idle(
    NetperfdProcess& netperfd, const ScratchDir& directory,
    const std::function<bool()>& enough = [] { return true; }) {
  const std::string file = directory.path("strace.out");
  std::vector<std::string> argv{"strace", "-o", file, "-p", std::to_string(netperfd.process().pid())};
#ifndef NETPERFD_THREAD_SANITIZED  // the sanitizer's own thread is never idle
  argv.emplace_back("--follow-forks");
#endif
  Process strace{{.argv = std::move(argv), .environment = {}, .user = {}, .netns = {}, .stderr_file = {}}};
  strace.wait_for_output("attached");
  const Deadline deadline;
  do {
    EXPECT_FALSE(netperfd.process().ends_before(Deadline{kIdle})) << netperfd.log();
  } while (!enough() && !deadline.has_passed());
  strace.signal(SIGTERM);
  strace.wait();
  std::vector<std::string> calls;
  std::istringstream lines{read_text(file)};
  for (std::string line; std::getline(lines, line);) {
    // "1234  epoll_wait(5, ..."; a line without a parenthesis is a signal or an end, not a call.
    const std::size_t name = line.find_first_not_of(" 0123456789");
    if (name == std::string::npos || line.find('(') == std::string::npos) continue;
    calls.push_back(line.substr(name, line.find('(') - name));
  }
  return calls;
}

std::ptrdiff_t count_of(const std::vector<std::string>& calls, std::string_view prefix) {
  return std::ranges::count_if(calls, [&](const std::string& call) { return call.starts_with(prefix); });
}

TEST_F(Lifecycle, an_idle_daemon_that_has_measured_makes_no_system_call) {
  // Restarted, so that no job of another test is removed during the test.
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  JobWatch watch{lab().bus().address()};
  watch.wait_for_end(lab().start("quick").id);
  const Reply reply = lab().connect(User{}).call(dbus::kManagerPath, "org.freedesktop.DBus.Peer", "Ping", "");
  ASSERT_EQ(reply.error_name, "") << reply.error_text;
  const auto calls = calls_while_idle(lab().netperfd(), lab().directory());
  // Attaching strace interrupts the wait. The next wait follows, before which sd-event asks for its thread
  // id.
  EXPECT_THAT(calls, testing::Each(testing::AnyOf(StartsWith("epoll_"), "gettid", "restart_syscall")));
  EXPECT_GE(count_of(calls, "epoll_"), 1) << "strace has seen nothing at all";
  EXPECT_LE(count_of(calls, "epoll_"), 2);
}

TEST_F(Lifecycle, an_idle_daemon_with_a_watchdog_wakes_up_for_nothing_else) {
  const ScratchDir directory;
  const PrivateBus bus{directory};
  const std::string configuration = directory.write(
      "netperfd.yaml",
      lab().configuration_text(lab().scenarios_dir(), lab().users().group, directory.path("idle.db")));
  NetperfdProcess netperfd{directory, bus, configuration, "netperfd", {"WATCHDOG_USEC=1000000"}};
  netperfd.wait_until_ready();
  const std::size_t before = netperfd.notified().count("WATCHDOG=1");
  const auto answers_so_far = [&] {
    return static_cast<std::ptrdiff_t>(netperfd.notified().count("WATCHDOG=1") - before);
  };
  constexpr std::ptrdiff_t kFewest = 3;  // a busy machine needs more time for them
  const auto calls = calls_while_idle(netperfd, directory, [&] { return answers_so_far() >= kFewest; });
  const auto answers = answers_so_far();
  EXPECT_GE(answers, kFewest);
  // One call may come from attaching strace, which wakes the loop too, and one from detaching it.
  EXPECT_LE(count_of(calls, "epoll_"), answers + 2);
  EXPECT_GE(count_of(calls, "send"), answers - 2);
  EXPECT_LE(count_of(calls, "send"), answers);
}

#ifndef NETPERFD_SANITIZED
// Excluded only in sanitized builds: their shadow memory is not the daemon's.
TEST_F(Lifecycle, an_idle_daemon_that_has_measured_stays_below_20_mb) {
  ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  const auto status = status_of(lab().netperfd().process().pid());
  int kilobytes = 0;
  std::istringstream{status.at("VmRSS")} >> kilobytes;
  EXPECT_GT(kilobytes, 0);
  EXPECT_LT(kilobytes, 20 * 1024) << "RssAnon " << status.at("RssAnon");
  RecordProperty("VmRSS_kB", kilobytes);
}
#endif

}  // namespace
}  // namespace netperfd::system_test
