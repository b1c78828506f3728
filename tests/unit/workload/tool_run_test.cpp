// SPDX-License-Identifier: GPL-2.0-or-later
// A netperf and a netserver that misbehave, in place of the real ones: each run ends with its cause and
// without a figure.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "daemon/config/job_reader.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/workload/command_fixture.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class ToolRunTest : public CommandFixture {
 protected:
  // Of TCP_RR on the loopback address. The programs become shell scripts; the server's listens, if `server`
  // is empty, as a real one does.
  static JobSpec netperf(const std::string& script, std::string server = "") {
    const auto job = config::read_job(
        {.text =
             "name: rr\nworkload:\n  netperf: {test: TCP_RR, request: 64, response: 128, duration: 2s, port: "
             "7311, local: {bind: 127.0.0.1}}\n",
         .origin = "rr.yaml",
         .expected_name = {},
         .commands_refused = "it is not root's"},
        {}, {});
    EXPECT_TRUE(job) << job.error().message;
    JobSpec spec = *job;
    if (server.empty()) {
      server =
          "exec python3 -c 'import socket,signal; s=socket.create_server((\"127.0.0.1\", 7311)); "
          "signal.pause()'";
    }
    spec.command->client.argv = {"/bin/sh", "-c", script, "netperf"};
    spec.command->server->argv = {"/bin/sh", "-c", server, "netserver"};
    spec.command->ready.within = kTestPatience;
    return spec;
  }
  // A script that prints what a real one did.
  static std::string prints(const std::string& name) {
    std::ifstream file(recordings_directory().parent_path() / "netperf" / (name + ".txt"));
    return "cat <<'END'\n" + (std::ostringstream() << file.rdbuf()).str() + "END\n";
  }
};

TEST_F(ToolRunTest, gives_the_figures_of_what_it_prints) {
  EXPECT_EQ(run(netperf(prints("run-tcp-rr"))), "");
  ASSERT_EQ(listener.result->figures.size(), 14U);
  EXPECT_EQ(listener.result->figures[0],
            (NamedFigure{"transactions", "transactions/s", Better::higher, 13'220.18}));
  EXPECT_EQ(listener.result->figures[6], (NamedFigure{"round_trip.p99", "ns", Better::lower, 1'643'000}));
  EXPECT_EQ(listener.result->figures[8], (NamedFigure{"local_cpu", "share", Better::lower, 1}));
}

TEST_F(ToolRunTest, that_is_of_another_test_or_lacks_something_has_no_figure) {
  EXPECT_THAT(run(netperf(prints("run-udp-rr"))), HasSubstr("and had UDP REQUEST/RESPONSE"));
  EXPECT_TRUE(listener.result->lacks_something);
  listener.result.reset();
  EXPECT_THAT(run(netperf(prints("run-tcp-rr") + "echo P99_LATENCY=nan")),
              HasSubstr("netperf: client.stdout: "));
  listener.result.reset();
  EXPECT_THAT(run(netperf("echo")), HasSubstr("it has the results of 0 tests"));
}

TEST_F(ToolRunTest, that_ends_badly_tells_its_last_words) {
  EXPECT_THAT(
      run(netperf("echo 'establish control: are you sure there is a netserver listening on 127.0.0.1 at "
                  "port 7311?'; exit 255")),
      AllOf(HasSubstr("ended with exit code 255"), HasSubstr("are you sure there is a netserver")));
  listener.result.reset();
  EXPECT_THAT(run(netperf(prints("run-tcp-rr") + "kill -SEGV $$")), HasSubstr("killed by signal 11"));
  listener.result.reset();
  EXPECT_THAT(run(netperf("yes 1234567890")), HasSubstr("1048576"));
}

TEST_F(ToolRunTest, whose_server_is_not_there_fails) {
  EXPECT_THAT(
      run(netperf(prints("run-tcp-rr"), "echo 'Unable to start netserver'; exit 1")),
      AllOf(HasSubstr("ended with exit code 1 before it was ready"), HasSubstr("Unable to start netserver")));
  listener.result.reset();
  JobSpec job = netperf(prints("run-tcp-rr"), "exec sleep 100");
  job.command->ready.within = 300ms;
  EXPECT_THAT(run(job), HasSubstr("it was not ready within 300 ms: it has no port 7311"));
}

TEST_F(ToolRunTest, of_a_program_that_is_not_there_names_the_package) {
  JobSpec job = netperf("true");
  job.command->client.argv.front() = "/nowhere/sockperf";
  EXPECT_THAT(run(job), HasSubstr("/nowhere/sockperf: no such program"));
  for (const char* program : {"netperf", "netserver"}) {
    if (find_program(program)) continue;  // it is installed here
    job.command->client.argv.front() = program;
    EXPECT_THAT(run(job), HasSubstr("Debian's package netperf has it")) << program;
  }
}

}  // namespace
}  // namespace netperfd::workload::test
