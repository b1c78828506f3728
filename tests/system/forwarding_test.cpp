// SPDX-License-Identifier: GPL-2.0-or-later
// A router between the client and the server, measured by the kernel's counters there and by CPU time for
// each packet: rules that it has to try are found, although the throughput stays the same.
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// Enough that a machine that also does something else finds them each time.
constexpr int kRules = 3000;
constexpr double kPackets = 10'000;  // a second

class Forwarding : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
  void SetUp() override {
    SystemTest::SetUp();
    if (!std::filesystem::exists("/usr/sbin/nft")) FAIL() << "the package nftables is not installed";
    must_run({"/usr/sbin/ip", "netns", "add", router()});
    in_router("echo 1 >/proc/sys/net/ipv4/ip_forward");
    int address = 1;
    for (const std::string& end : {lab().net().left(), lab().net().right()}) {
      const std::string port = address == 1 ? "to-left" : "to-right";
      ip(fmt::format("-n {} link add hop type veth peer name {} netns {}", end, port, router()));
      ip(fmt::format("-n {} link set hop up", end));
      ip(fmt::format("-n {} link set {} up", router(), port));
      ip(fmt::format("-n {} address add 10.76.0.{} peer 10.76.0.254 dev hop", end, address));
      ip(fmt::format("-n {} route add 10.76.0.0/24 via 10.76.0.254", end));
      ip(fmt::format("-n {} address add 10.76.0.254 peer 10.76.0.{} dev {}", router(), address++, port));
    }
    in_router(
        "/usr/sbin/nft -f " +
        lab().directory().write("rules", fmt::format("table ip lab {{\n{}{}chain forward {{ type filter hook "
                                                     "forward priority 0; }}\n}}\n",
                                                     chain("few", 10), chain("many", kRules))));
  }
  void TearDown() override {
    (void)run({.argv = {"/usr/sbin/ip", "netns", "delete", router()},
               .environment = {},
               .user = {},
               .netns = {},
               .stderr_file = {}});
    SystemTest::TearDown();
  }

  // Rules of which none fits.
  static std::string chain(const char* name, int rules) {
    std::string text = fmt::format("chain {} {{\n", name);
    for (int i = 0; i < rules; ++i) text += fmt::format("ip saddr 198.18.{}.{} drop\n", i / 250, i % 250);
    return text + "}\n";
  }
  static std::string router() { return lab().net().left() + "-router"; }
  static void ip(const std::string& words) { must_run({"/bin/sh", "-c", "/usr/sbin/ip " + words}); }
  static void in_router(const std::string& script) {
    must_run({"/usr/sbin/ip", "netns", "exec", router(), "/bin/sh", "-c", script});
  }
  // At a rate that the router can forward with all rules, too.
  static std::string scenario(const std::string& name, const std::string& more) {
    lab().directory().write(
        "scenarios.d/" + name + ".yaml",
        fmt::format("name: {}\nworkload:\n  iperf3: {{netns: {}, local: {{netns: {}, bind: 10.76.0.2}}, "
                    "protocol: udp, bitrate: 20M, length: 250, duration: 1s}}\n{}",
                    name, lab().net().left(), lab().net().right(), more));
    return name;
  }
  static std::string jump_to(const char* chain) {
    return fmt::format("/usr/sbin/nft 'flush chain ip lab forward; add rule ip lab forward jump {}'", chain);
  }
  static std::string side(const char* chain) {
    return fmt::format("{{name: {}, switch: [/usr/sbin/ip, netns, exec, {}, /bin/sh, -c, \"{}\"]}}", chain,
                       router(), jump_to(chain));
  }
  static json row_of(const json& rows, const char* key, const std::string& name) {
    for (const json& row : rows) {
      if (row.at(key) == name) return row;
    }
    ADD_FAILURE() << name << " is not among " << rows;
    return json::object();
  }
  static json compared(std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), {"compare", "-o", "json"});
    const Outcome outcome = lab().ctl(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err << outcome.out;
    return json::parse(outcome.out);
  }
  static double difference(const json& row, const char* a, const char* b) {
    return row.at(b).get<double>() - row.at(a).get<double>();
  }
};

TEST_F(Forwarding, through_more_rules_takes_more_cpu_time_for_the_same_packets) {
  constexpr std::size_t kBlocks = 6;  // the fewest that give an interval
  scenario("rules", fmt::format("repeat: {}\nfigures: [{{figure: cpu.packet, threshold: 5%}}]\ndesign:\n  a: "
                                "{}\n  b: {}\n",
                                kBlocks, side("few"), side("many")));
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("rules");
  for (std::size_t block = 1; block <= kBlocks; ++block) watch.wait_for_runs(job.id, 4 * block);
  ASSERT_EQ(watch.wait_for_end(job.id), "finished");

  // A machine with much else to do does not deliver all of a run of a second in that second. What the others
  // get of it then depends on the side, and is noise.
  const auto flagged = lab().database().number("SELECT count(*) FROM flags WHERE code = 'rate-not-reached'");
  if (flagged == 0) {
    const json received = compared({"last", "--figure", "received:20%", "--despite"}, 0);
    EXPECT_EQ(received.at("comparison").at("verdict"), "equivalent") << received;
  }
  const json answer = compared({"last", "--threshold", "10%", "--despite"}, kRegression);
  const json& head = answer.at("comparison");
  const json cpu = row_of(head.at("figures"), "figure", "cpu.packet");
  EXPECT_EQ(cpu.at("verdict"), "regression") << cpu;
  EXPECT_EQ(cpu.at("unit"), "ns_per_packet");
  EXPECT_GT(difference(cpu, "centre_a", "centre_b"), kRules) << "a rule takes more than a nanosecond";
  EXPECT_EQ(head.at("work"), "packet");
  // Without a trace, the samples alone say where.
  const json rules = row_of(answer.at("functions"), "function", "nft_do_chain");
  EXPECT_LT(rules.value("sampled_p_adjusted", 1.0), 0.05) << rules;
  EXPECT_GT(rules.value("sampled_low", 0.0), 0) << rules;
  EXPECT_GT(difference(rules, "sampled_a", "sampled_b"), kRules) << rules;
  const Outcome page = lab().ctl({"compare", "last", "--threshold", "10%", "--despite"});
  EXPECT_THAT(page.out,
              AllOf(HasSubstr("ns a packet on all CPUs"), HasSubstr("share of CPU, and ns per packet")));
  // A run that others kept from its rate has a flag, and was offered something else.
  const bool leads = page.out.find("leads, because both sides reach the 20.0 Mbit/s") != std::string::npos;
  EXPECT_EQ(leads, head.contains("offered_bits_per_second")) << page.out;
  if (flagged == 0) {
    EXPECT_EQ(head.value("offered_bits_per_second", 0.0), 20e6) << head;
  }
}

// Each transaction is two packets, which meet all rules.
TEST_F(Forwarding, of_requests_and_answers_takes_cpu_time_for_each_transaction) {
  if (!std::filesystem::exists("/usr/bin/iperf")) FAIL() << "the package iperf is not installed";
  lab().directory().write(
      "scenarios.d/requests.yaml",
      fmt::format(
          "name: requests\nsample: {{rate: 499}}\nworkload:\n  command:\n    run: [iperf, -c, 10.76.0.2, "
          "--bounceback, --bounceback-period, '0', -t, '1', -l, '100']\n    netns: {}\n    duration: 1s\n    "
          "local: {{run: [iperf, -s, -B, 10.76.0.2], netns: {}, bind: 10.76.0.2, ready: {{port: 5001}}}}\n   "
          " "
          "figures: [{{name: requests, unit: requests/s, better: higher, pattern: 'sec .*(?:RPS=| "
          ")([0-9]+)(?: rps)?$'}}]\n",
          lab().net().left(), lab().net().right()));
  for (int run = 0; run < 4; ++run) {  // the fewest that give an interval
    for (const char* chain : {"few", "many"}) {
      in_router(jump_to(chain));
      const Outcome started = lab().ctl({"start", "requests", "--label", chain});
      ASSERT_EQ(started.code, 0) << started.err << started.out;
    }
  }
  const json answer = compared({"label:few", "label:many", "--threshold", "5%", "--despite"}, kRegression);
  const json& head = answer.at("comparison");
  EXPECT_EQ(row_of(head.at("figures"), "figure", "requests").at("verdict"), "regression") << head;
  EXPECT_EQ(head.at("work"), "transaction");
  const json cpu = row_of(head.at("beside"), "figure", "cpu.transaction");
  EXPECT_EQ(cpu.at("verdict"), "regression") << cpu;
  EXPECT_EQ(cpu.at("source"), "figure requests");
  EXPECT_GT(difference(cpu, "centre_a", "centre_b"), 2 * kRules) << cpu;
  const json rules = row_of(answer.at("functions"), "function", "nft_do_chain");
  EXPECT_LT(rules.value("sampled_p_adjusted", 1.0), 0.05) << rules;
  EXPECT_GT(difference(rules, "sampled_a", "sampled_b"), 2 * kRules) << rules;
  // One run alone says it too.
  const Outcome shown = lab().ctl({"show", "last", "--samples"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("ns/transaction"), HasSubstr("nft_do_chain"))) << shown.err;
}

TEST_F(Forwarding, is_measured_by_any_counter_of_a_stored_run) {
  in_router("/usr/sbin/tc qdisc add dev to-right root pfifo");
  scenario("plain", "");
  ASSERT_EQ(lab().ctl({"start", "plain", "--label", "one"}).code, 0);
  ASSERT_EQ(lab().ctl({"start", "plain", "--label", "two"}).code, 0);
  const std::pair<std::string, const char*> kinds[] = {
      {fmt::format("counter.to-left@{}.rx_packets", router()), "nic"},
      {fmt::format("counter.hop@{}.tx_packets", lab().net().left()), "nic"},
      {fmt::format("counter.to-right/pfifo@{}.sent_packets", router()), "qdisc"},
      {fmt::format("counter.snmp@{}.IpForwDatagrams", router()), "snmp"},
      {fmt::format("counter.netstat@{}.IpExtInNoECTPkts", router()), "netstat"},
      {"counter.softnet.processed", "softnet"},
      {"counter.softirqs.NET_RX", "softirqs"}};
  for (const auto& [name, source] : kinds) {
    // One run a side gives no interval.
    const json answer = compared({"label:one", "label:two", "--figure", name}, kInconclusive);
    const json row = row_of(answer.at("comparison").at("figures"), "figure", name);
    EXPECT_EQ(row.at("verdict"), "too few") << row;
    EXPECT_EQ(row.at("source"), source) << row;
    // The time in which iperf3's ends meet is in it; the whole machine has more to do.
    EXPECT_GT(row.at("median_a").get<double>(), kPackets / 10) << row;
    if (name.find('@') != std::string::npos) {
      EXPECT_LT(row.at("median_a").get<double>(), kPackets * 1.2) << row;
    }
  }
  const Outcome none = lab().ctl({"compare", "label:one", "label:two", "--figure",
                                  fmt::format("counter.to-lft@{}.rx_packets", router())});
  EXPECT_NE(none.code, 0);
  EXPECT_THAT(none.err, HasSubstr(fmt::format("counter.to-left@{}.rx_packets", router())));
}

TEST_F(Forwarding, of_a_job_whose_counter_is_not_there_never_begins) {
  const std::string wanted = fmt::format("counter.to-right@{}.tx_pakets", router());
  scenario("wrong", fmt::format("repeat: 2\nfigures: ['{}']\n", wanted));
  const Outcome started = lab().ctl({"start", "wrong"});
  EXPECT_NE(started.code, 0);
  EXPECT_THAT(started.out + started.err,
              HasSubstr(fmt::format("the figure \"{}\": nothing on the path of this run has such a counter; "
                                    "the nearest are counter.to-right@{}.tx_packets",
                                    wanted, router())));
  EXPECT_EQ(lab().database().value("SELECT group_concat(state, ' ') FROM runs WHERE job = (SELECT max(id) "
                                   "FROM jobs)"),
            "failed canceled");
}

}  // namespace
}  // namespace netperfd::system_test
