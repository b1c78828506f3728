// SPDX-License-Identifier: GPL-2.0-or-later
// Commands of a scenario, good ones and those that misbehave: each ends in time, with its reason, and leaves
// nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/workload/command/work_directory.hpp"
#include "daemon/workload/command/workload.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/workload/command_fixture.hpp"

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Those that nobody has locked: another test or daemon may have one too.
std::vector<std::string> directories_left() {
  std::vector<std::string> left;
  const std::string locks = read_file("/proc/locks", std::size_t{1} << 20U).value_or("");
  for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
    struct stat status{};
    if (!entry.path().filename().string().starts_with("netperfd-work.")) continue;
    if (::lstat(entry.path().c_str(), &status) != 0 || status.st_uid != kNobody) continue;
    if (!locks.contains(fmt::format(":{} ", status.st_ino))) left.push_back(entry.path());
  }
  return left;
}

class CommandRunTest : public CommandFixture {
 protected:
  void TearDown() override {
    CommandFixture::TearDown();
    // That of another one is not locked when it is new.
    const auto end = std::chrono::steady_clock::now() + kTestPatience;
    while (!directories_left().empty() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_THAT(directories_left(), IsEmpty());
  }

  static JobSpec client(std::vector<std::string> argv) {
    JobSpec job;
    job.workload = workload::traits_of("command");
    job.command.emplace().client.argv = std::move(argv);
    job.command->output_limit = 1U << 20U;
    job.command->figures = {
        {.name = "rate", .unit = "1/s", .place = "rate=(\\S+)", .document = "client.stdout"}};
    return job;
  }
  static JobSpec sh(const std::string& script) { return client({"/bin/sh", "-c", script}); }
  static JobSpec with_server(JobSpec job, const std::string& script) {
    job.command->server = CommandProgram{.argv = {"/bin/sh", "-c", script}, .cpus = {}};
    job.command->ready.line = "listening";
    job.command->ready.within = kTestPatience;
    return job;
  }
  std::string document(const std::string& name) const {
    for (const Document& document : listener.result->documents) {
      if (document.name == name) return document.bytes;
    }
    return {};
  }
  double rate() const {
    return listener.result->figures.size() == 1 ? listener.result->figures.front().value : -1;
  }
};

TEST_F(CommandRunTest, gives_the_figures_that_were_declared_and_keeps_what_was_written) {
  EXPECT_EQ(run(sh("echo rate=12.5; echo words >&2")), "");
  ASSERT_EQ(listener.result->figures.size(), 1U);
  EXPECT_EQ(listener.result->figures.front(), (NamedFigure{"rate", "1/s", Better::higher, 12.5}));
  EXPECT_EQ(document("client.stdout"), "rate=12.5\n");
  EXPECT_EQ(document("client.stderr"), "words\n");
  EXPECT_EQ(listener.stopped, 1);
  EXPECT_TRUE(listener.result->client_usage);
}

TEST_F(CommandRunTest, runs_as_its_user_in_an_empty_directory_of_its_own_without_a_shell) {
  EXPECT_EQ(run(sh("id -u; ls -A | wc -l; pwd; echo $HOME $TMPDIR; stat -c '%a %u' .; echo rate=1")), "");
  const std::string out = document("client.stdout");
  EXPECT_THAT(out, StartsWith("65534\n0\n/tmp/netperfd-work."));
  EXPECT_THAT(out, HasSubstr("700 65534\n"));
  listener.result.reset();
  EXPECT_EQ(run(client({"/bin/echo", "$HOME", "*", "; rate=3", "rate=4"})), "");
  EXPECT_EQ(document("client.stdout"), "$HOME * ; rate=3 rate=4\n");
  EXPECT_EQ(rate(), 4);
}

TEST_F(CommandRunTest, has_the_variables_and_the_cpus_of_the_scenario) {
  JobSpec job = sh("echo rate=$NUMBER; taskset -cp $$ >&2");
  job.command->environment = {"NUMBER=17"};
  job.command->client.cpus = {0};
  EXPECT_EQ(run(job), "");
  EXPECT_EQ(rate(), 17);
  EXPECT_THAT(document("client.stderr"), HasSubstr("list: 0\n"));
}

TEST_F(CommandRunTest, reads_figures_of_files_in_the_directory) {
  JobSpec job = sh("echo rate=7 > results");
  job.command->figures.front().document = "file.results";
  EXPECT_EQ(run(job), "");
  EXPECT_EQ(rate(), 7);
  EXPECT_EQ(document("file.results"), "rate=7\n");
}

TEST_F(CommandRunTest, opens_no_file_through_a_link_and_no_fifo) {
  for (const char* script :
       {"echo rate=9 > real; ln -s real results", "mkfifo results", "mkdir results", "true"}) {
    JobSpec job = sh(script);
    job.command->figures.front().document = "file.results";
    listener.result.reset();
    EXPECT_THAT(run(job), StartsWith("figure rate: ")) << script;
    EXPECT_TRUE(listener.result->lacks_something) << script;
  }
}

TEST_F(CommandRunTest, leaves_no_file_however_deep_wide_or_closed) {
  const char* const script =
      "import os\n"
      "for i in range(2000): open(str(i), 'w')\n"
      "os.symlink('/etc', 'link'); os.mkfifo('pipe'); os.makedirs('.moved-1/a/b')\n"
      "os.makedirs('closed/inner'); open('closed/inner/file', 'w')\n"
      "os.chmod('closed/inner', 0); os.chmod('closed', 0)\n"
      "top = os.open('.', 0)\n"
      "for i in range(3000):\n"
      "  os.mkdir('d'); os.chdir('d'); open('.moved-%d' % i, 'w')\n"
      "os.chmod('.', 0); os.chmod(top, 0)\n"
      "print('rate=1')";
  EXPECT_EQ(run(client({"python3", "-c", script})), "");
}

TEST_F(CommandRunTest, has_no_file_above_256_mib) {
  EXPECT_THAT(run(sh("trap '' XFSZ; head -c 300M /dev/zero > file; stat -c rate=%s file")), IsEmpty());
  EXPECT_EQ(rate(), 256U << 20U);
}

TEST_F(CommandRunTest, keeps_the_files_with_figures_of_a_run_that_failed) {
  JobSpec job = sh("echo rate=7 > results; exit 3");
  job.command->figures.front().document = "file.results";
  EXPECT_THAT(run(job), StartsWith("sh: ended with exit code 3"));
  EXPECT_EQ(document("file.results"), "rate=7\n");
}

// Such a run says nothing of the job's next one.
TEST_F(CommandRunTest, lacks_nothing_if_its_output_could_not_be_read) {
  figures.refusal = "it is too large: reading it takes more memory than it may";
  EXPECT_EQ(run(sh("echo rate=1")), figures.refusal);
  EXPECT_FALSE(listener.result->lacks_something);
}

TEST_F(CommandRunTest, fails_if_a_figure_is_missing_or_no_number) {
  EXPECT_THAT(run(sh("echo nothing here")),
              AllOf(HasSubstr("figure rate: nothing in client.stdout matches"), HasSubstr("nothing here")));
  EXPECT_TRUE(listener.result->lacks_something);
  listener.result.reset();
  EXPECT_THAT(run(sh("echo rate=nan")), HasSubstr("not \"nan\": rate=nan"));
}

TEST_F(CommandRunTest, is_not_prepared_without_its_program) {
  EXPECT_THAT(run(client({"no-such-tool", "-x"})),
              HasSubstr("no-such-tool: no such program in /usr/local/sbin"));
  EXPECT_THAT(run(client({"/opt/no-such-tool"})), HasSubstr("/opt/no-such-tool: no such program"));
  const Status missing = prepare(client({"xdp-trafficgen"}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("Debian's package xdp-tools has it"));
}

TEST_F(CommandRunTest, says_why_a_program_could_not_be_executed) {
  EXPECT_THAT(run(client({"/etc/passwd"})), HasSubstr("passwd: execute /etc/passwd: "));
}

TEST_F(CommandRunTest, says_how_it_ended_with_the_last_lines_of_its_errors) {
  EXPECT_EQ(run(sh("echo rate=1; echo one >&2; echo no route >&2; exit 3")),
            "sh: ended with exit code 3; sh's stderr: its last lines: one | no route");
  listener.result.reset();
  EXPECT_THAT(run(sh("echo rate=1; kill -SEGV $$")), StartsWith("sh: killed by signal 11"));
}

TEST_F(CommandRunTest, says_where_it_may_not_write) {
  EXPECT_THAT(run(sh("echo rate=1; echo x > /etc/netperfd-test")),
              AllOf(HasSubstr("exit code 2"), HasSubstr("/etc/netperfd-test: Permission denied")));
}

TEST_F(CommandRunTest, is_killed_if_it_prints_too_much) {
  EXPECT_THAT(run(sh("echo rate=1; head -c 100000000 /dev/zero")),
              HasSubstr("sh: wrote more than 1048576 bytes to its standard output and was killed"));
}

TEST_F(CommandRunTest, is_killed_if_it_writes_a_large_file) {
  JobSpec job = client({"/usr/bin/truncate", "-s", "1G", "file"});
  EXPECT_THAT(run(job), AnyOf(HasSubstr("File size limit"), HasSubstr("File too large")));
}

TEST_F(CommandRunTest, ends_if_it_is_stopped_even_if_it_ignores_sigterm) {
  ASSERT_TRUE(prepare(sh("trap '' TERM; echo rate=1; while :; do sleep 1; done")));
  listener.on_prepared = [this] { listener.active->release(); };
  ASSERT_TRUE(turn_until(loop, [] { return children_with("trap").size() == 1; }));
  ASSERT_TRUE(turn_until(loop, [this] { return listener.prepared > 0; }));
  listener.active->stop();
  ASSERT_TRUE(turn_until(loop, [this] { return listener.result.has_value(); }));
  EXPECT_THAT(listener.result->error, HasSubstr("stopped before its end"));
  EXPECT_THAT(listener.result->figures, IsEmpty());
}

TEST_F(CommandRunTest, leaves_nothing_if_it_is_destroyed_while_it_runs) {
  ASSERT_TRUE(prepare(sh("echo x > file; exec sleep 986")));
  listener.on_prepared = [this] { listener.active->release(); };
  ASSERT_TRUE(turn_until(loop, [] { return children_with("986").size() == 1; }));
  listener.active.reset();
  EXPECT_THAT(children_with("986"), IsEmpty());
}

// ---- With a server

TEST_F(CommandRunTest, waits_for_the_server_and_ends_it_after_the_client) {
  EXPECT_EQ(run(with_server(sh("cat started; echo rate=5"),
                            "echo yes > started; echo listening >&2; exec sleep 985")),
            "");
  EXPECT_EQ(document("client.stdout"), "yes\nrate=5\n");
  EXPECT_EQ(document("server.stderr"), "listening\n");
  EXPECT_THAT(children_with("985"), IsEmpty());
}

// A socket that listens on a port which nobody else has.
struct Listening {
  Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  Listening() {
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket.get(), any, size), 0);
    EXPECT_EQ(::listen(socket.get(), 1), 0);
    EXPECT_EQ(::getsockname(socket.get(), any, &size), 0);
  }
  std::uint16_t port() const { return ntohs(address.sin_port); }
};

std::string listens_at(std::uint16_t port) {
  return fmt::format(
      "python3 -c 'import socket, time; s = socket.create_server((\"127.0.0.1\", {})); time.sleep(984)'",
      port);
}

TEST_F(CommandRunTest, knows_a_server_by_its_port_or_its_file) {
  const std::uint16_t port = Listening().port();
  // The server itself, or a process that it started.
  for (const std::string& script : {"exec " + listens_at(port), listens_at(port) + "; true"}) {
    listener.result.reset();
    listener.prepared = 0;
    JobSpec job = with_server(sh("echo rate=1"), script);
    job.command->ready = {.port = port, .line = {}, .file = {}};
    EXPECT_EQ(run(job), "");
  }
  listener.result.reset();
  listener.prepared = 0;
  JobSpec job = with_server(sh("echo rate=1"), "touch there; exec sleep 984");
  job.command->ready = {.port = {}, .line = {}, .file = "there"};
  EXPECT_EQ(run(job), "");
}

// A socket of the same user that is another program's.
TEST_F(CommandRunTest, waits_for_the_port_of_its_own_server) {
  const Listening other;
  ASSERT_EQ(::fchown(other.socket.get(), kNobody, kNogroup), 0) << "so that the table has it as the user's";
  JobSpec job = with_server(sh("echo rate=1"), "exec sleep 981");
  job.command->ready = {.port = other.port(), .line = {}, .file = {}, .within = 300ms};
  EXPECT_THAT(run(job), HasSubstr(fmt::format("it has no port {}", other.port())));
}

TEST_F(CommandRunTest, reads_figures_that_the_server_prints_at_its_end) {
  JobSpec job =
      with_server(sh("true"), "trap 'echo rate=9; exit 0' TERM; echo listening; while :; do sleep 0.1; done");
  job.command->figures.front().document = "server.stdout";
  std::size_t servers = 0;
  listener.on_stopped = [&] { servers = children_with("trap").size(); };
  EXPECT_EQ(run(job), "");
  EXPECT_EQ(rate(), 9);
  EXPECT_EQ(listener.stopped, 1);
  EXPECT_EQ(servers, 1U) << "it is measured until its client ends, not until its server does";
}

TEST_F(CommandRunTest, is_whole_if_it_is_stopped_after_its_client_has_ended) {
  ASSERT_TRUE(prepare(with_server(sh("echo rate=3"), "trap '' TERM; echo listening; exec sleep 984")));
  listener.on_prepared = [this] { listener.active->release(); };
  ASSERT_TRUE(turn_until(loop, [this] { return listener.stopped > 0; }));
  listener.active->stop();
  ASSERT_TRUE(turn_until(loop, [this] { return listener.result.has_value(); }));
  EXPECT_EQ(listener.result->error, "");
  EXPECT_EQ(rate(), 3);
}

TEST_F(CommandRunTest, fails_if_the_server_is_never_ready) {
  JobSpec job = with_server(sh("echo rate=1"), "echo I am busy >&2; exec sleep 983");
  job.command->ready.within = 300ms;
  EXPECT_THAT(run(job),
              AllOf(HasSubstr("local server: it was not ready within 300 ms: it printed no line with "
                              "\"listening\""),
                    HasSubstr("I am busy")));
  EXPECT_THAT(children_with("983"), IsEmpty());
}

constexpr const char* kCrashesBesideClient =
    "echo listening; until [ -e begun ]; do sleep 0.02; done; kill -SEGV $$";

TEST_F(CommandRunTest, fails_if_the_server_dies_before_it_is_ready_or_while_the_client_runs) {
  EXPECT_EQ(
      run(with_server(sh("echo rate=1"), "echo address in use >&2; exit 4")),
      "local server: it ended with exit code 4 before it was ready; local server's stderr: its last line: "
      "address in use");
  listener.result.reset();
  listener.prepared = 0;
  EXPECT_THAT(run(with_server(sh("echo rate=1; touch begun; exec sleep 982"), kCrashesBesideClient)),
              HasSubstr("local server: killed by signal 11"));
  EXPECT_THAT(children_with("982"), IsEmpty());
}

// As many benchmarks do.
TEST_F(CommandRunTest, has_no_figures_of_a_client_that_summed_up_when_its_server_had_crashed) {
  const std::string client = "trap 'echo rate=1; exit 0' TERM; touch begun; while :; do sleep 0.02; done";
  EXPECT_THAT(run(with_server(sh(client), kCrashesBesideClient)),
              HasSubstr("local server: killed by signal 11"));
  EXPECT_TRUE(listener.result->figures.empty());
}

TEST_F(CommandRunTest, takes_the_address_of_a_namespace_that_is_missing_for_a_lack) {
  JobSpec job = sh("echo rate=1");
  job.test.path.netns = "no-such-netns";
  const Status prepared = prepare(job);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, ErrorKind::not_found);
}

// In a /tmp of its own: other tests and daemons have such directories too.
void in_own_tmp(void (*body)()) {
  std::thread([body] {
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mount("none", "/tmp", "tmpfs", 0, nullptr), 0);
    body();
  }).join();
}

void remove_what_a_killed_netperfd_left() {
  auto used = WorkDirectory::make(kNobody, kNogroup);
  ASSERT_TRUE(used) << used.error().message;
  std::string left;
  if (const pid_t killed = ::fork(); killed == 0) {
    const auto made = WorkDirectory::make(kNobody, kNogroup);
    std::ofstream(made->path() + "/file") << "x";
    std::ofstream("/tmp/netperfd-test-left") << made->path();
    ::_exit(0);  // without destructors
  } else {
    ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
    std::ifstream("/tmp/netperfd-test-left") >> left;
  }
  ASSERT_TRUE(std::filesystem::exists(left + "/file"));
  const std::string of_others = "/tmp/netperfd-work.others";
  std::filesystem::create_directories(of_others);
  EXPECT_EQ(remove_left_directories(kNobody, kNogroup), 1U);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(of_others));
  EXPECT_TRUE(std::filesystem::exists(used->path()));
}

TEST(WorkDirectories, that_a_killed_netperfd_left_are_removed_and_those_in_use_are_not) {
  REQUIRE_ROOT();
  in_own_tmp(remove_what_a_killed_netperfd_left);
}

}  // namespace
}  // namespace netperfd::workload::test
