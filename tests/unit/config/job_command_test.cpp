// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of the workload `command`, who may have them, and what a start may set.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"
#include "daemon/model/figure_check.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFigures =
    "    figures:\n"
    "      - {name: rate, unit: requests/s, better: higher, pattern: 'rate: +([0-9.]+)'}\n";

constexpr const char* kClient =
    "name: job\n"
    "workload:\n"
    "  command:\n"
    "    run: [tool, '-s{size}', '{mode}']\n"
    "    duration: 2s\n"
    "    parameters:\n"
    "      size: {value: 64, from: 64, to: 9000}\n"
    "      mode: {value: rr, words: [rr, stream]}\n";

Result<JobSpec> read_text(const std::string& text, const std::vector<std::string>& overrides = {},
                          const std::string& refused = "") {
  core::JobOptions options;
  options.overrides = overrides;
  return read_job({.text = text, .origin = "job.yaml", .expected_name = {}, .commands_refused = refused},
                  options, {});
}
std::string complaint_of(const std::string& text, const std::vector<std::string>& overrides = {},
                         const std::string& refused = "") {
  const auto job = read_text(text, overrides, refused);
  return job ? "" : job.error().message;
}
std::string set(const std::string& override) {
  return complaint_of(std::string(kClient) + kFigures, {override});
}

TEST(JobCommand, is_read_with_a_server) {
  const auto job = read_text(
      "name: job\nworkload:\n  command:\n    run: [wrk, -d10s]\n    netns: left\n    cpus: [0, 2]\n"
      "    duration: 10s\n    output_limit: 2M\n    environment: {OMP_NUM_THREADS: 2}\n"
      "    local:\n      run: [nginx, -g, daemon off;]\n      netns: right\n      bind: 10.0.0.2\n"
      "      cpus: [1]\n      ready: {port: 8080, within: 3s}\n"
      "    figures:\n"
      "      - {name: rate, unit: requests/s, better: higher, pattern: 'Requests/sec: +([0-9.]+)'}\n"
      "      - {name: p99, unit: ns, better: lower, pointer: /a/b, file: out.json, scale: "
      "1000}\n"
      "      - {name: errors, unit: count, better: lower, column: err, from: server.stderr}\n");
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_TRUE(job->command);
  const CommandSpec& command = *job->command;
  EXPECT_THAT(command.client.argv, ElementsAre("wrk", "-d10s"));
  EXPECT_THAT(command.client.cpus, ElementsAre(0, 2));
  EXPECT_THAT(command.server->argv, ElementsAre("nginx", "-g", "daemon off;"));
  EXPECT_THAT(command.server->cpus, ElementsAre(1));
  EXPECT_EQ(command.ready, (ReadyTest{.port = 8080, .line = {}, .file = {}, .within = 3s}));
  EXPECT_THAT(command.environment, ElementsAre("OMP_NUM_THREADS=2"));
  EXPECT_EQ(command.output_limit, 2U << 20U);
  EXPECT_EQ(planned_duration(*job), 10s);
  EXPECT_EQ(job->limits.timeout, 33s) << "with the time that its server has to be ready";
  EXPECT_EQ(job->test.path.netns, "left");
  EXPECT_EQ(job->test.path.server, "10.0.0.2");
  EXPECT_EQ(job->test.path.local, (LocalServer{.netns = "right", .bind = "10.0.0.2"}));
  EXPECT_EQ(job->test.path.server_wait, 0ms);
  ASSERT_EQ(command.figures.size(), 3U);
  EXPECT_EQ(command.figures[0], (DeclaredFigure{.name = "rate",
                                                .unit = "requests/s",
                                                .better = Better::higher,
                                                .form = FigureForm::pattern,
                                                .place = "Requests/sec: +([0-9.]+)",
                                                .take = FigureTake::last,
                                                .document = "client.stdout",
                                                .scale = 1}));
  EXPECT_EQ(command.figures[1], (DeclaredFigure{.name = "p99",
                                                .unit = "ns",
                                                .better = Better::lower,
                                                .form = FigureForm::pointer,
                                                .place = "/a/b",
                                                .document = "file.out.json",
                                                .scale = 1000}));
  EXPECT_EQ(command.figures[2].document, "server.stderr");
  EXPECT_EQ(command.figures[2].form, FigureForm::column);
}

TEST(JobCommand, is_judged_by_its_first_figure_unless_it_names_others) {
  const std::string two =
      std::string(kClient) + kFigures + "      - {name: p99, unit: ns, better: lower, pattern: '(x)'}\n";
  const auto job = read_text(two);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->figures, (std::vector<FigureChoice>{{.figure = {.name = "rate"}}}));
  EXPECT_THAT(measured_by(*job).own, ElementsAre("rate", "p99"));
  const auto chosen = read_text(two + "figures: [p99, {figure: rate, threshold: 5%}]\n");
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->figures.size(), 2U);
  EXPECT_THAT(complaint_of(two + "figures: [p98]\n"),
              AllOf(HasSubstr("figures[0].figure: figure \"p98\" does not exist"), HasSubstr("p99")));
  EXPECT_THAT(complaint_of(two + "figures: [received]\n"),
              HasSubstr("\"received\" needs the workload iperf3"));
}

TEST(JobCommand, puts_each_parameter_into_one_argument) {
  const auto job = read_text(std::string(kClient) + kFigures, {"workload.command.parameters.size=9000",
                                                               "workload.command.parameters.mode=stream"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->command->client.argv, ElementsAre("tool", "-s9000", "stream"));
  // What is stored says the same.
  const auto again = read_text(job->text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->command, job->command);
}

TEST(JobCommand, refuses_values_outside_the_list_of_a_parameter_by_name) {
  EXPECT_EQ(
      set("workload.command.parameters.size=9001"),
      "--set workload.command.parameters.size: workload.command.parameters.size.value: \"9001\" is not a "
      "whole number from 64 to 9000");
  for (const char* value : {"63", "064", "64 -x", "0x80", "-1", "''", "1e3"})
    EXPECT_THAT(set(std::string("workload.command.parameters.size=") + value), HasSubstr("from 64 to 9000"))
        << value;
  EXPECT_THAT(set("workload.command.parameters.mode=RR"), HasSubstr("\"RR\" is not one of rr, stream"));
  EXPECT_THAT(set("workload.command.parameters.speed=1"),
              HasSubstr("is no parameter of the scenario, which lists size, mode"));
  EXPECT_THAT(set("workload.command.parameters.size.to=99999"), HasSubstr("is no parameter"));
  EXPECT_THAT(set("workload.command.parameters.size={from: 1, to: 2, value: 1}"),
              HasSubstr("is a number or a word"));
  EXPECT_THAT(set("workload.command.parameters.size=null"), HasSubstr("is a number or a word"));
}

TEST(JobCommand, lets_no_start_change_what_is_run) {
  for (const char* override :
       {"workload.command.run=[sh]", "workload.command.environment.x=1", "workload.command.local.run=[sh]",
        "workload.command.parameters=null", "workload.command.netns=right", "workload.command.figures=[]",
        "workload.command.duration=1h", "workload.command={}"})
    EXPECT_THAT(set(override), HasSubstr("which no start may change")) << override;
  EXPECT_THAT(set("workload=null"), HasSubstr("is not replaced"));
  EXPECT_THAT(set("workload={iperf3: {server: h, duration: 1s}}"), HasSubstr("is not replaced"));
  const std::string iperf3 = "name: job\nworkload: {iperf3: {server: h, duration: 1s}}\n";
  EXPECT_THAT(complaint_of(iperf3, {"workload={command: {run: [sh], duration: 1s}}"}),
              HasSubstr("is not replaced"));
  EXPECT_THAT(complaint_of(iperf3, {"workload.command.run=[sh]"}), HasSubstr("which no start may change"));
  EXPECT_EQ(set("repeat=3"), "");
}

TEST(JobCommand, is_for_scenarios_that_none_but_root_can_change) {
  EXPECT_EQ(
      complaint_of(std::string(kClient) + kFigures, {}, "this text is a caller's"),
      "job.yaml:4:5: workload.command: runs what the text says, so only a scenario that nobody but root "
      "can change may have it, and this text is a caller's");
}

std::string with(const std::string& more, const std::string& figures = kFigures) {
  return complaint_of("name: job\nworkload:\n  command:\n    duration: 2s\n" + more + figures);
}

TEST(JobCommand, is_read_strictly) {
  EXPECT_THAT(with("    run: []\n"), HasSubstr("workload.command.run: an empty list is not a list of words"));
  EXPECT_THAT(with("    run: tool -x\n"), HasSubstr("is not a list of words"));
  EXPECT_THAT(with("    run: [bin/tool]\n"),
              HasSubstr("begins with \"bin/tool\"; expected is an absolute path"));
  EXPECT_THAT(with("    run: ['']\n"), HasSubstr("begins with \"\""));
  EXPECT_THAT(with("    run: [t]\n    cpus: [4096]\n"), HasSubstr("cpus: 4096 is out of range"));
  EXPECT_THAT(with("    run: [t]\n    netns: ../x\n"), HasSubstr("not the name of a network namespace"));
  EXPECT_THAT(with("    run: [t]\n    environment: {PATH: /x}\n"), HasSubstr("PATH is set by netperfd"));
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES", "GCONV_PATH"}) {
    EXPECT_THAT(with(fmt::format("    run: [t]\n    environment: {{{}: /x}}\n", name)),
                HasSubstr(fmt::format("{} would be read by netperfd's launcher too, which is root", name)));
  }
  EXPECT_THAT(with("    run: [t]\n    environment: {a-b: /x}\n"), HasSubstr("not the name of a variable"));
  EXPECT_THAT(with("    run: [t]\n    output_limit: 1G\n"),
              HasSubstr("output_limit: 1073741824 is out of range"));
  EXPECT_THAT(with("    run: [t]\n    local: {run: [s], bind: 10.0.0.1}\n"),
              HasSubstr("workload.command.local.ready: is missing"));
  EXPECT_THAT(with("    run: [t]\n    local: {run: [s], bind: 10.0.0.1, ready: {}}\n"),
              HasSubstr("has 0 of `port`, `line` and `file`"));
  EXPECT_THAT(with("    run: [t]\n    local: {run: [s], bind: 10.0.0.1, ready: {port: 1, file: x}}\n"),
              HasSubstr("has 2 of"));
  EXPECT_THAT(with("    run: [t]\n    local: {run: [s], bind: x, ready: {port: 1}}\n"),
              HasSubstr("\"x\" is not an IPv4 or IPv6 address"));
  EXPECT_THAT(with("    run: [t]\n    local: {run: [s], bind: 10.0.0.1, ready: {file: ../x}}\n"),
              HasSubstr("not the name of a file"));
  EXPECT_THAT(with("    run: [t]\n    parameters: {n: {value: 1, from: 1, to: 2}}\n"),
              HasSubstr("workload.command.parameters.n: is in no argument"));
  EXPECT_THAT(with("    run: ['{n}']\n    parameters: {n: {value: 1, from: 1}}\n"),
              HasSubstr("n: expected are `from` and `to`, or `words`"));
  EXPECT_THAT(with("    run: ['{n}']\n    parameters: {n: {value: 3, from: 1, to: 2}}\n"),
              HasSubstr("is not a whole number from 1 to 2"));
  EXPECT_THAT(with("    run: ['{N}']\n    parameters: {N: {value: 1, from: 1, to: 2}}\n"),
              HasSubstr("\"N\" is no name of a parameter"));
}

TEST(JobCommand, declares_its_figures_strictly) {
  const auto figure = [](const std::string& more) {
    return with("    run: [t]\n", "    figures: [{name: a, unit: ns, better: lower, " + more + "}]\n");
  };
  EXPECT_EQ(figure("pattern: '(x)'"), "");
  EXPECT_THAT(figure("pattern: 'x'"), HasSubstr("figures[0].pattern: has 0 groups"));
  EXPECT_THAT(figure("pattern: '(x'"), HasSubstr("is no regular expression"));
  EXPECT_THAT(figure("pointer: a"), HasSubstr("\"a\" is not a JSON pointer"));
  EXPECT_THAT(figure("pointer: /a~2"), HasSubstr("is not a JSON pointer"));
  EXPECT_THAT(figure("pattern: '(x)', column: y"), HasSubstr("expected is one of `pattern`, `pointer` and"));
  EXPECT_THAT(figure("take: last"), HasSubstr("expected is one of `pattern`"));
  EXPECT_THAT(figure("pattern: '(x)', from: stdout"), HasSubstr("is not one of client.stdout"));
  EXPECT_THAT(figure("pattern: '(x)', from: server.stdout"), HasSubstr("means a server, and the job has no"));
  EXPECT_THAT(figure("pattern: '(x)', file: ../x"), HasSubstr("not the name of a file"));
  EXPECT_THAT(figure("pattern: '(x)', file: x, from: client.stdout"), HasSubstr("stands beside `from`"));
  EXPECT_THAT(figure("pattern: '(x)', scale: 0"), HasSubstr("\"0\" is not a number above 0"));
  EXPECT_THAT(figure("pattern: '(x)', scale: nan"), HasSubstr("not a number above 0"));
  EXPECT_THAT(with("    run: [t]\n", ""), HasSubstr("workload.command.figures: is missing"));
  EXPECT_THAT(with("    run: [t]\n", "    figures: []\n"), HasSubstr("has 0 figures"));
  EXPECT_THAT(
      with("    run: [t]\n", "    figures: [{name: received, unit: ns, better: lower, pattern: '(x)'}]\n"),
      HasSubstr("figures[0].name: the name of a figure: expected is a word"));
  EXPECT_THAT(with("    run: [t]\n", "    figures: [{name: a, unit: ns, pattern: '(x)'}]\n"),
              HasSubstr("figures[0].better: is missing"));
  const std::string a = "{name: a, unit: ns, better: lower, pattern: '(x)'}";
  EXPECT_THAT(with("    run: [t]\n", "    figures: [" + a + ", " + a + "]\n"),
              HasSubstr("\"a\" is there a second time"));
}

constexpr const char* kXdp =
    "name: job\nworkload:\n  command:\n    run: [xdp-bench, drop, veth0]\n    netns: left\n    duration: 2s\n"
    "    capabilities: [NET_ADMIN, BPF]\n    cleanup: [ip, link, set, dev, '{dev}', xdp, 'off']\n"
    "    parameters: {dev: {value: veth0, words: [veth0, veth1]}}\n";

TEST(JobCommand, has_the_capabilities_that_it_lists) {
  const auto job = read_text(std::string(kXdp) + kFigures, {"workload.command.parameters.dev=veth1"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->command->client.capabilities, ElementsAre("NET_ADMIN", "BPF"));
  EXPECT_THAT(job->command->client.cleanup, ElementsAre("ip", "link", "set", "dev", "veth1", "xdp", "off"));
  const auto server = read_text(
      std::string(kClient) +
      "    local: {run: [nginx], bind: 10.0.0.2, ready: {port: 80}, capabilities: [NET_BIND_SERVICE],\n"
      "            cleanup: [/bin/true]}\n" +
      "    figures: [{name: rate, unit: u, better: higher, pattern: '(x)', file: out}]\n");
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_THAT(server->command->server->capabilities, ElementsAre("NET_BIND_SERVICE"));
  EXPECT_THAT(server->command->server->cleanup, ElementsAre("/bin/true"));
}

TEST(JobCommand, has_no_capabilities_that_do_not_exist_or_serve_no_purpose) {
  const auto with = [](const std::string& keys, const std::string& figures = kFigures) {
    return complaint_of(std::string(kClient) + keys + figures);
  };
  EXPECT_THAT(with("    capabilities: []\n"),
              AllOf(HasSubstr("job.yaml:"), HasSubstr("workload.command.capabilities: is empty")));
  EXPECT_THAT(with("    capabilities: NET_ADMIN\n"), HasSubstr("a list of words (like [NET_ADMIN, BPF])"));
  EXPECT_THAT(with("    capabilities: [CAP_NET_ADMIN]\n"),
              HasSubstr("\"CAP_NET_ADMIN\" is not a capability, like NET_ADMIN"));
  EXPECT_THAT(with("    capabilities: [net_admin]\n"), HasSubstr("\"net_admin\" is not a capability"));
  EXPECT_THAT(with("    capabilities: [BPF, BPF]\n"), HasSubstr("BPF is there a second time"));
  EXPECT_THAT(with("    capabilities: [SYS_RAWIO]\n"), HasSubstr("has no devices"));
  EXPECT_THAT(with("    cleanup: [ip, a]\n"), HasSubstr("workload.command.cleanup: needs `capabilities`"));
  EXPECT_THAT(with("    capabilities: [BPF]\n    cleanup: [bin/x]\n"),
              HasSubstr("workload.command.cleanup: begins with \"bin/x\""));
  EXPECT_THAT(with("    capabilities: [BPF]\n",
                   "    figures: [{name: a, unit: u, better: lower, pattern: '(x)', file: out}]\n"),
              HasSubstr("workload.command.figures[0].file: is in the directory of a program with"));
  EXPECT_THAT(with("    local: {run: [x], bind: 10.0.0.2, ready: {file: up}, capabilities: [BPF]}\n"),
              HasSubstr("workload.command.local.ready.file: is in the directory of a server with"));
  EXPECT_THAT(complaint_of(std::string(kXdp) + kFigures, {"workload.command.capabilities=[SYS_ADMIN]"}),
              HasSubstr("which no start may change"));
  EXPECT_THAT(complaint_of(std::string(kXdp) + kFigures, {"workload.command.cleanup=[id]"}),
              HasSubstr("which no start may change"));
}

}  // namespace
}  // namespace netperfd::config
