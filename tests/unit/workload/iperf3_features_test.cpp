// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/features.hpp"
#include "daemon/workload/iperf3/workload.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "daemon/workload/iperf3/probe.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

using testing::HasSubstr;

std::string test_data(const std::string& name) {
  std::ifstream file{std::string{NETPERFD_TEST_DATA} + "/iperf3_help/" + name};
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>{file}, {}};
}

Iperf3Features features_of(const std::string& version) {
  return parse_features(test_data("version-" + version + ".txt"), test_data("help-" + version + ".txt"));
}

TestSpec smallest() {
  TestSpec spec;
  spec.path.server = "192.0.2.1";
  spec.traffic.duration = std::chrono::seconds{10};
  return spec;
}

TEST(Iperf3Features, of_3_12_have_no_json_stream) {
  const Iperf3Features features = features_of("3.12");
  EXPECT_EQ(features.version, "3.12");
  EXPECT_FALSE(features.json_stream());
}

TEST(Iperf3Features, of_3_18_have_json_stream) {
  const Iperf3Features features = features_of("3.18");
  EXPECT_EQ(features.version, "3.18");
  EXPECT_TRUE(features.json_stream());
}

TEST(Iperf3Features, hold_options_with_and_without_a_short_form_and_nothing_of_the_prose) {
  const Iperf3Features features = features_of("3.12");
  for (const char* option : {"--port", "--bind", "--bind-dev", "--one-off", "--sctp", "--dscp", "--bidir",
                             "--version4", "--forceflush", "--set-mss", "--dont-fragment"}) {
    EXPECT_TRUE(features.has(option)) << option;
  }
  EXPECT_FALSE(features.has("--tos)"));
  const Iperf3Features prose =
      parse_features("", "Usage: iperf3 [-v|--version]\n   (equivalent to `--bind-dev <dev>`)\n");
  EXPECT_TRUE(prose.options.empty());
}

TEST(Iperf3Features, of_a_foreign_text_are_none) {
  const Iperf3Features features = parse_features("true (GNU coreutils) 9.1\n", "-");
  EXPECT_EQ(features.version, "");
  EXPECT_TRUE(features.options.empty());
}

TEST(CheckSupported, accepts_what_both_releases_have) {
  TestSpec spec = smallest();
  spec.path.local = LocalServer{.netns = "right", .bind = "192.0.2.1"};
  spec.traffic.protocol = Protocol::sctp;
  spec.iperf3.dont_fragment = true;
  spec.iperf3.dscp = "ef";
  for (const char* version : {"3.12", "3.18"}) {
    const Status status = check_supported(spec, features_of(version));
    EXPECT_TRUE(status) << status.error().message;
  }
}

TEST(CheckSupported, names_key_option_and_version_of_all_that_is_missing) {
  TestSpec spec = smallest();
  spec.traffic.protocol = Protocol::sctp;
  spec.iperf3.dont_fragment = true;
  Iperf3Features features = features_of("3.12");
  features.options.erase("--sctp");
  features.options.erase("--dont-fragment");
  const Status status = check_supported(spec, features);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(status.error().message,
            "workload.iperf3.protocol: iperf3 3.12 has no option --sctp\n"
            "workload.iperf3.dont_fragment: iperf3 3.12 has no option --dont-fragment");
}

TEST(CheckSupported, asks_of_a_server_only_where_there_is_a_local_one) {
  TestSpec spec = smallest();
  Iperf3Features features = features_of("3.12");
  features.options.erase("--one-off");
  EXPECT_TRUE(check_supported(spec, features));
  spec.path.local = LocalServer{.netns = {}, .bind = "192.0.2.1"};
  EXPECT_FALSE(check_supported(spec, features));
}

TEST(CheckSupported, says_where_iperf3_is_not_known_at_all) {
  const Status status = check_supported(smallest(), Iperf3Features{});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "no iperf3 could be run when netperfd started; its log says why");
}

ProgramSettings program(std::string path) {
  return {.path = std::move(path), .uid = ::getuid(), .gid = ::getgid()};
}

TEST(Probe, learns_the_features_of_the_installed_iperf3) {
  EventLoop loop = make_loop();
  const Result<Iperf3Features> features = probe_iperf3(loop, program("iperf3"));
  ASSERT_TRUE(features) << features.error().message;
  EXPECT_THAT(features->version, testing::StartsWith("3."));
  EXPECT_TRUE(check_supported(smallest(), *features));
}

TEST(Probe, works_as_the_unprivileged_user) {
  REQUIRE_ROOT();
  EventLoop loop = make_loop();
  ProgramSettings settings = program("iperf3");
  settings.uid = kNobody;
  settings.gid = kNogroup;
  EXPECT_TRUE(probe_iperf3(loop, settings));
}

TEST(Probe, says_where_there_is_no_iperf3) {
  EventLoop loop = make_loop();
  const Result<Iperf3Features> on_no_path = probe_iperf3(loop, program("no-such-iperf3"));
  ASSERT_FALSE(on_no_path);
  EXPECT_EQ(on_no_path.error().kind, ErrorKind::not_found);
  const Result<Iperf3Features> absent = probe_iperf3(loop, program("/nonexistent/iperf3"));
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, HasSubstr("execute /nonexistent/iperf3: No such file or directory"));
}

TEST(Probe, asks_again_if_the_process_was_killed) {
  const TemporaryDirectory directory;
  const std::string asked = directory.path() + "/asked";
  const std::string iperf3 = directory.add_program(
      "iperf3",
      fmt::format("#!/bin/sh\necho x >>{0}\n[ $(wc -l <{0}) -lt 3 ] && kill -KILL $$\nexec iperf3 \"$@\"\n",
                  asked));
  EventLoop loop = make_loop();
  EXPECT_TRUE(probe_iperf3(loop, program(iperf3)));

  std::filesystem::remove(asked);
  const std::string doomed =
      directory.add_program("doomed", fmt::format("#!/bin/sh\necho x >>{}\nkill -KILL $$\n", asked));
  const Result<Iperf3Features> features = probe_iperf3(loop, program(doomed));
  ASSERT_FALSE(features);
  EXPECT_THAT(features.error().message, HasSubstr("killed by signal 9"));
  std::ifstream lines{asked};
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>{lines}, {}, '\n'), 3);
}

TEST(Probe, refuses_another_program) {
  EventLoop loop = make_loop();
  const Result<Iperf3Features> features = probe_iperf3(loop, program("true"));
  ASSERT_FALSE(features);
  EXPECT_EQ(features.error().kind, ErrorKind::unsupported);
}

TEST(Congestion, is_one_of_those_that_the_kernel_lets_everybody_have) {
  EXPECT_EQ(unusable_congestion("", "reno cubic\n"), "");
  EXPECT_EQ(unusable_congestion("reno", "reno cubic\n"), "");
  EXPECT_EQ(unusable_congestion("cubic", "reno cubic\n"), "");
  EXPECT_EQ(
      unusable_congestion("cub", "reno cubic\n"),
      "the congestion control cub is not among those that iperf3 may use (reno cubic): as root, `modprobe "
      "tcp_cub; sysctl net.ipv4.tcp_allowed_congestion_control='reno cubic cub'` allows it, if this kernel "
      "has it");
}

}  // namespace
}  // namespace netperfd::workload::test
