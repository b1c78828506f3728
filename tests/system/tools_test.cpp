// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that netperfd knows beside iperf3, as workloads: the real ones in namespaces, their figures are
// those that they print.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Tools : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // A member's own text: no scenario of root.
  static Outcome measure(const std::string& tool, const std::string& keys) {
    const std::string path = lab().directory().write(
        "own.yaml",
        fmt::format("name: own\nworkload:\n  {}: {{{}, netns: {}, local: {{netns: {}, bind: {}}}}}\n", tool,
                    keys, lab().net().left(), lab().net().right(), NetnsPair::kRightAddress));
    return lab().ctl({"start", path});
  }
  // A shipped scenario between this lab's namespaces, once and for a second.
  static void install_shipped(const std::string& name) {
    std::ifstream file(std::string(NETPERFD_TEST_DATA "/../../daemon/config/scenarios.d/") + name + ".yaml");
    std::string text = (std::ostringstream() << file.rdbuf()).str();
    const std::pair<std::string, std::string> kHere[] = {{"netns: left", "netns: " + lab().net().left()},
                                                         {"netns: right", "netns: " + lab().net().right()},
                                                         {"10.0.0.2", NetnsPair::kRightAddress},
                                                         {"repeat: 3", "repeat: 1"},
                                                         {"5s", "1s"},
                                                         {"'5'", "'1'"}};
    for (const auto& [from, to] : kHere) {
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    }
    const std::string path = lab().scenarios_dir() + "/" + name + ".yaml";
    std::ofstream(path) << text;
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  }
  static json last_run() {
    const Outcome shown = lab().ctl({"show", "last", "-o", "json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    return json::parse(shown.out);
  }
  static double figure(const json& page, const std::string& name) {
    for (const json& each : page.at("figures")) {
      if (each.at("name") == name) return each.at("value");
    }
    ADD_FAILURE() << "no figure " << name << " in " << page.at("figures");
    return -1;
  }
};

TEST_F(Tools, sockperf_measures_half_round_trips) {
  if (!std::filesystem::exists("/usr/bin/sockperf")) FAIL() << "the package sockperf is not installed";
  const Outcome started = measure("sockperf", "test: ping-pong, message: 64, duration: 2s");
  ASSERT_EQ(started.code, 0) << started.err << started.out;
  const json page = last_run();
  EXPECT_EQ(page.at("run").at("state"), "finished");
  EXPECT_EQ(page.at("run").at("workload"), "sockperf");
  EXPECT_EQ(page.at("run").at("server"), NetnsPair::kRightAddress);
  const double rate = figure(page, "message_rate"), half = figure(page, "half_round_trip.mean");
  EXPECT_GT(rate, 0);
  // One message is under way at a time; a busy host makes pauses between them.
  EXPECT_LT(rate * 2 * half / 1e9, 1.1);
  EXPECT_GT(rate * 2 * half / 1e9, 0.1);
  EXPECT_LE(figure(page, "half_round_trip.min"), figure(page, "half_round_trip.p50"));
  EXPECT_LE(figure(page, "half_round_trip.p50"), figure(page, "half_round_trip.p99"));
  EXPECT_LE(figure(page, "half_round_trip.p99"), figure(page, "half_round_trip.max"));
  EXPECT_EQ(figure(page, "dropped_messages"), 0);
  EXPECT_EQ(figure(page, "sent_messages"), figure(page, "received_messages"));
  EXPECT_THAT(lab().ctl({"show", "last"}).out,
              AllOf(HasSubstr("sockperf, 2 s"), HasSubstr("half_round_trip.p99")));
  const std::string own = lab().ctl({"show", "last", "--document", "client.stdout"}).out;
  EXPECT_THAT(own, HasSubstr(fmt::format("avg-latency={:.3f}", half / 1e3)));
  // What it prints, imported, has the same figures.
  const std::string printed = lab().directory().write("printed.txt", own);
  const Outcome imported = lab().ctl({"import", printed, "-o", "json"});
  ASSERT_EQ(imported.code, 0) << imported.err;
  const json again = last_run();
  EXPECT_EQ(again.at("run").at("workload"), "sockperf");
  EXPECT_FALSE(again.at("run").contains("server")) << again.at("run");
  for (const json& each : page.at("figures"))
    EXPECT_EQ(figure(again, each.at("name")), each.at("value").get<double>()) << each;
}

TEST_F(Tools, sockperf_has_cpu_time_per_message) {
  const std::string path = lab().directory().write(
      "work.yaml",
      fmt::format("name: work\nrepeat: 2\nworkload:\n  sockperf: {{test: ping-pong, duration: 1s, "
                  "netns: {}, local: {{netns: {}, bind: {}}}}}\n",
                  lab().net().left(), lab().net().right(), NetnsPair::kRightAddress));
  for (const char* label : {"one", "two"}) {
    const Outcome started = lab().ctl({"start", path, "--label", label});
    ASSERT_EQ(started.code, 0) << started.err << started.out;
  }
  const Outcome compared =
      lab().ctl({"compare", "label:one", "label:two", "--figure", "cpu.transaction", "-o", "json"});
  const std::string comparison = json::parse(compared.out).at("comparison").dump();
  EXPECT_THAT(comparison, AllOf(HasSubstr("\"cpu.transaction\""), HasSubstr("\"ns_per_transaction\"")))
      << compared.err;
  EXPECT_THAT(comparison, HasSubstr("\"too few\"")) << comparison;  // and not unknown
}

TEST_F(Tools, sockperf_floods_over_tcp_and_answers_under_load) {
  const Outcome flood = measure("sockperf", "test: throughput, protocol: tcp, message: 8000, duration: 2s");
  ASSERT_EQ(flood.code, 0) << flood.err << flood.out;
  const json page = last_run();
  const double rate = figure(page, "message_rate"), bandwidth = figure(page, "bandwidth");
  EXPECT_NEAR(bandwidth / (rate * 8000 * 8), 1, 0.01);
  const Outcome load =
      measure("sockperf", "test: under-load, rate: 1000, reply_every: 1, full_rtt: true, duration: 2s");
  ASSERT_EQ(load.code, 0) << load.err << load.out;
  EXPECT_LT(figure(last_run(), "message_rate"), 1300);
  EXPECT_GT(figure(last_run(), "message_rate"), 0);
  EXPECT_GT(figure(last_run(), "round_trip.p50"), 0);
  const Outcome facts = lab().ctl({"show", "last", "--environment", "-o", "json"});
  EXPECT_THAT(facts.out, AllOf(HasSubstr("under-load"), HasSubstr("reply every")));
}

// Debian 12 has no netperf in main: there it is refused, and tests/vm/long/tools measures with it.
TEST_F(Tools, netperf_measures_transactions_or_is_refused_with_its_package) {
  const Outcome started = measure("netperf", "test: TCP_RR, request: 64, response: 128, duration: 2s");
  const bool installed = std::ranges::any_of(
      std::array{"/usr/local/sbin", "/usr/local/bin", "/usr/bin"},
      [](const char* directory) { return std::filesystem::exists(std::string(directory) + "/netperf"); });
  if (!installed) {
    EXPECT_EQ(started.code, 2);
    EXPECT_THAT(started.err,
                AllOf(HasSubstr("netperf: no such program"), HasSubstr("netserver: no such program"),
                      HasSubstr("Debian's package netperf has it")));
    return;
  }
  ASSERT_EQ(started.code, 0) << started.err << started.out;
  const json page = last_run();
  EXPECT_EQ(page.at("run").at("workload"), "netperf");
  const double rate = figure(page, "transactions"), trip = figure(page, "round_trip.mean");
  EXPECT_GT(rate, 0);
  EXPECT_LT(rate * trip / 1e9, 1.1);
  EXPECT_GT(rate * trip / 1e9, 0.1);
  EXPECT_LE(figure(page, "round_trip.p50"), figure(page, "round_trip.p99"));
  EXPECT_GT(figure(page, "local_cpu_per_transaction"), 0);
  EXPECT_TRUE(page.at("flags").dump().find("processes-left") == std::string::npos) << page.at("flags");
  for (const char* test : {"TCP_STREAM, message: 16384", "TCP_CRR", "UDP_RR"}) {
    const Outcome more = measure("netperf", fmt::format("test: {}, duration: 1s", test));
    EXPECT_EQ(more.code, 0) << test << more.err << more.out;
    EXPECT_GT(figure(last_run(), std::string(test).starts_with("TCP_STREAM") ? "throughput" : "transactions"),
              0);
  }
}

TEST_F(Tools, of_the_shipped_scenarios_measure) {
  const std::map<std::string, std::string> first_figures{{"veth-bounceback", "requests"},
                                                         {"veth-memcached", "transactions"},
                                                         {"veth-nginx", "requests"},
                                                         {"veth-sockperf", "message_rate"}};
  for (const auto& [name, rate] : first_figures) {
    install_shipped(name);
    const Outcome started = lab().ctl({"start", name});
    ASSERT_EQ(started.code, 0) << name << ": " << started.err << started.out;
    const json page = last_run();
    EXPECT_EQ(page.at("run").at("state"), "finished") << name;
    EXPECT_GT(figure(page, rate), 0) << name;
    EXPECT_TRUE(!page.contains("flags") ||
                page.at("flags").dump().find("processes-left") == std::string::npos)
        << name << page.at("flags");
    if (name == "veth-memcached") {
      EXPECT_EQ(figure(page, "misses"), 0);
    }
    if (name == "veth-nginx") {
      EXPECT_LE(figure(page, "request-p50"), figure(page, "request-p99"));
    }
    std::filesystem::remove(lab().scenarios_dir() + "/" + name + ".yaml");
  }
  EXPECT_TRUE(lab().workload_ends());
}

TEST_F(Tools, without_a_server_fail_with_their_own_words) {
  const std::string path = lab().directory().write(
      "none.yaml",
      fmt::format(
          "name: none\nworkload:\n  sockperf: {{test: ping-pong, protocol: tcp, netns: {}, server: {}, "
          "duration: 1s}}\n",
          lab().net().left(), NetnsPair::kRightAddress));
  const Outcome started = lab().ctl({"start", path});
  EXPECT_NE(started.code, 0);
  const json page = last_run();
  EXPECT_EQ(page.at("run").at("state"), "failed");
  EXPECT_THAT(page.at("run").at("error").get<std::string>(),
              AllOf(HasSubstr("sockperf"), HasSubstr("Connection refused")));
  EXPECT_TRUE(!page.contains("figures") || page.at("figures").empty()) << page.dump();
  EXPECT_TRUE(lab().workload_ends());
}

}  // namespace
}  // namespace netperfd::system_test
