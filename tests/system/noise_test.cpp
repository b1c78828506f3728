// SPDX-License-Identifier: GPL-2.0-or-later
// Disturbers of the host, which the run that they disturb must name with a number. How fast the machine is,
// and what else it does, decides none of these tests.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class NoiseTest : public SystemTest {
 protected:
  struct NoisyRun {
    json shown;
    std::vector<std::string> codes;

    [[nodiscard]] std::optional<double> figure(const std::string& name) const {
      for (const json& counter : shown.at("counters")) {
        if (counter.at("source") == "noise" && counter.at("name") == name) return counter.at("delta");
      }
      return std::nullopt;
    }
    // Whether the CPUs were busy for longer than the run and `loops` loops can have been: then others may be
    // tasks that this /proc does not have, and readings take their time.
    [[nodiscard]] bool is_beside_others(double loops) const {
      double rest = figure("busy").value_or(0) - loops * figure("window").value_or(0);
      for (const char* name : {"workload", "netperfd", "kernel"}) rest -= figure(name).value_or(0);
      return rest > 0.1 * figure("window").value_or(0);
    }
    // What the busy time of the CPUs consists of.
    [[nodiscard]] std::optional<double> terms() const {
      double sum = 0;
      for (const char* name : {"workload", "netperfd", "others", "kernel", "unknown"}) {
        const auto term = figure(name);
        if (!term) return std::nullopt;
        sum += *term;
      }
      return sum;
    }
  };

  static NoisyRun measure(const std::vector<std::string>& overrides) {
    std::vector<std::string> arguments{"start", "local"};
    for (const std::string& each : overrides)
      arguments.insert(arguments.end(), {"--set", "workload.iperf3." + each});
    return measured(arguments);
  }
  static NoisyRun measured(const std::vector<std::string>& arguments) {
    const Outcome started = lab().ctl(arguments);
    EXPECT_EQ(started.code, 0) << started.err;
    const Outcome shown = lab().ctl({"show", "last", "--counters", "-o", "json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    NoisyRun run{.shown = json::parse(shown.out), .codes = {}};
    for (const json& flag : run.shown.at("flags")) run.codes.push_back(flag.at("code"));
    return run;
  }
  // On the CPU that the workload of these tests is bound to, of however many there are.
  static std::unique_ptr<Process> busy_loop(long cpu = 0) {
    auto loop = std::make_unique<Process>(
        Command{.argv = {"taskset", "-c", std::to_string(cpu), "sh", "-c", "echo begun; while :; do :; done"},
                .environment = {},
                .user = {},
                .netns = {},
                .stderr_file = {}});
    loop->wait_for_output("begun");
    return loop;
  }
  // Requests between the two namespaces, and nothing else.
  static NoisyRun measure_latency() {
    return measured(
        {"start", lab().directory().write(
                      "latency.yaml",
                      fmt::format("name: probes\nworkload: {{latency: {{netns: {}, local: {{netns: {}, bind: "
                                  "{}}}, duration: 1s, probes: [{{rate: 2000}}, {{name: web, protocol: tcp, "
                                  "rate: 1000}}]}}}}\n",
                                  lab().net().left(), lab().net().right(), NetnsPair::kRightAddress))});
  }
};

class Noise : public NoiseTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
};

// At a rate that no machine can send.
TEST_F(Noise, of_a_busy_loop_is_foreign_load_and_that_of_a_rate_is_the_rate_sent) {
  const auto loop = busy_loop();
  const NoisyRun run = measure({"protocol=udp", "bitrate=900G", "affinity=[0, 0]"});
  EXPECT_THAT(run.codes, Contains("foreign-load")) << run.shown.at("flags");
  ASSERT_TRUE(run.figure("others"));
  ASSERT_TRUE(run.figure("workload"));
  EXPECT_GT(*run.figure("others"), 5e7);
  EXPECT_LE(*run.figure("others") + *run.figure("workload"), *run.figure("tasks"));
  EXPECT_THAT(run.codes, Contains("rate-not-reached")) << run.shown.at("flags");
  EXPECT_EQ(run.figure("asked_rate"), 9e11);
  EXPECT_LT(run.figure("sent_rate").value_or(9e11), 5e11);
  EXPECT_GT(run.figure("sent_rate").value_or(0), 0);
  EXPECT_THAT(run.codes, Not(Contains("foreign-traffic"))) << "nobody else is on the device";
  const Outcome page = lab().ctl({"show", "last"});
  EXPECT_THAT(page.out, HasSubstr("noise      others took "));
  EXPECT_THAT(page.out, HasSubstr("(foreign-load)"));
  EXPECT_THAT(page.out, HasSubstr("CPU time   "));
  if (!run.is_beside_others(1)) {
    EXPECT_THAT(run.codes, Not(Contains("unknown-load")))
        << "the loop is in /proc: " << run.shown.at("flags");
  }
  EXPECT_EQ(run.terms(), run.figure("busy"));
}

TEST_F(Noise, of_a_pure_latency_run_has_the_same_figures_and_flags) {
  const NoisyRun quiet = measure_latency();
  for (const char* name : {"window", "workload", "others", "busy", "unknown", "steal", "foreign_bytes"}) {
    EXPECT_TRUE(quiet.figure(name)) << name << " of " << quiet.shown.at("counters");
  }
  EXPECT_EQ(quiet.terms(), quiet.figure("busy"));
  EXPECT_THAT(quiet.codes, Not(Contains("foreign-traffic"))) << "nobody else is on the device";
  if (!quiet.is_beside_others(0)) {
    EXPECT_THAT(quiet.codes, Not(Contains("unknown-load")))
        << "this /proc has all tasks: " << quiet.shown.at("flags");
  }
  // One on each CPU, whichever the workload uses.
  std::vector<std::unique_ptr<Process>> loops;
  for (long i = 0; i < ::sysconf(_SC_NPROCESSORS_ONLN); ++i) loops.push_back(busy_loop(i));
  const NoisyRun run = measure_latency();
  EXPECT_THAT(run.codes, Contains("foreign-load")) << run.shown.at("flags");
}

TEST_F(Noise, of_a_second_iperf3_is_traffic_on_the_device) {
  const auto& net = lab().net();
  const auto server = lab().foreign_iperf3(net.right(), {"-s", "-p", "5299"});
  server->wait_for_output("Server listening");
  const auto client = lab().foreign_iperf3(
      net.left(), {"-c", NetnsPair::kRightAddress, "-p", "5299", "-u", "-b", "40M", "-t", "60", "-i", "0.1"});
  client->wait_for_output("0.10");
  const NoisyRun run = measure({"protocol=udp", "bitrate=4M"});
  EXPECT_THAT(run.codes, Contains("foreign-traffic")) << run.shown.at("flags");
  EXPECT_GT(run.figure("foreign_bytes").value_or(0), 0.3 * run.figure("device_bytes").value_or(0));
}

// A cgroup that gives its tasks 10 ms of each 100 ms, of either version.
class CpuLimit {
 public:
  CpuLimit() {
    const std::string name = "/netperfd-test-" + std::to_string(::getpid());
    for (const bool second : {true, false}) {
      folder_ = (second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu") + name;
      std::error_code failed;
      if (!std::filesystem::create_directory(folder_, failed)) continue;
      // A directory outside of a cgroup file system has no files of the kernel's.
      made_ = std::filesystem::exists(folder_ + (second ? "/cpu.max" : "/cpu.cfs_quota_us"));
      made_ = made_ && (second ? put("cpu.max", "10000 100000")
                               : put("cpu.cfs_period_us", "100000") && put("cpu.cfs_quota_us", "10000"));
      if (made_) return;
      std::filesystem::remove(folder_, failed);
    }
  }
  CpuLimit(const CpuLimit&) = delete;
  CpuLimit& operator=(const CpuLimit&) = delete;
  ~CpuLimit() {
    if (made_) ::rmdir(folder_.c_str());
  }

  [[nodiscard]] bool exists() const { return made_; }
  [[nodiscard]] bool take(pid_t process) const { return put("cgroup.procs", std::to_string(process)); }
  // To the cgroup above.
  [[nodiscard]] bool release(pid_t process) const { return put("../cgroup.procs", std::to_string(process)); }

 private:
  [[nodiscard]] bool put(const std::string& file, const std::string& text) const {
    std::ofstream out(folder_ + "/" + file);
    out << text << std::flush;
    return out.good();
  }

  std::string folder_;
  bool made_ = false;
};

TEST_F(Noise, of_a_limit_of_the_workloads_cgroup_is_the_time_that_it_held) {
  const CpuLimit limit;
  if (!limit.exists()) GTEST_SKIP() << "no cgroup with a limit of CPU time can be made here";
  // iperf3 begins in the daemon's cgroup.
  const pid_t daemon = lab().netperfd().process().pid();
  ASSERT_TRUE(limit.take(daemon));
  const NoisyRun run = measure({});
  EXPECT_TRUE(limit.release(daemon));
  EXPECT_THAT(run.codes, Contains("cpu-throttled")) << run.shown.at("flags");
  EXPECT_GT(run.figure("throttled").value_or(0), 1e8);
}

// netperfd in a container: its /proc has the processes of its own PID namespace only, /proc/stat the whole
// machine.
class UnseenTasks : public NoiseTest {
 protected:
  static void SetUpTestSuite() {
    LabOptions options;
    options.before = {"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
    set_up(options);
  }
};

TEST_F(UnseenTasks, on_the_workloads_cpu_are_a_flag_with_the_number) {
  const auto loop = busy_loop();
  const NoisyRun run = measure({"protocol=udp", "bitrate=900G", "affinity=[0, 0]"});
  EXPECT_THAT(run.codes, Contains("unknown-load")) << run.shown.at("flags");
  EXPECT_THAT(run.codes, Not(Contains("foreign-load"))) << "the loop is not in this /proc";
  EXPECT_GT(run.figure("unknown").value_or(0), 5e7);
  EXPECT_EQ(run.terms(), run.figure("busy"));
  const Outcome page = lab().ctl({"show", "last"});
  EXPECT_THAT(page.out, HasSubstr("(unknown-load)"));
  EXPECT_THAT(page.out, HasSubstr(" unknown"));
  EXPECT_THAT(page.out, Not(HasSubstr("no problems found")));
}

TEST_F(UnseenTasks, beside_a_pure_latency_run_are_a_flag_too) {
  std::vector<std::unique_ptr<Process>> loops;
  for (long i = 0; i < ::sysconf(_SC_NPROCESSORS_ONLN); ++i) loops.push_back(busy_loop(i));
  const NoisyRun run = measure_latency();
  EXPECT_THAT(run.codes, Contains("unknown-load")) << run.shown.at("flags");
}

}  // namespace
}  // namespace netperfd::system_test
