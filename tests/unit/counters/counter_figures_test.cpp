// SPDX-License-Identifier: GPL-2.0-or-later
// Counters of a namespace between client and server, and those that the figures of a job need.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "tests/unit/counters/counted_pair.hpp"
#include "tests/unit/counters/router.hpp"

namespace netperfd::counters {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CounterFiguresHere : public RunCountersHere {
 protected:
  void SetUp() override {
    RunCountersHere::SetUp();
    for (const Namespace* each : {&client_, &server_}) {
      each->run([] { std::ofstream{"/proc/sys/net/ipv6/conf/hop/disable_ipv6"} << 1; });  // it would say more
      each->ip({"link", "set", "hop", "arp", "off"});
      each->run([] { await_carrier_of("hop"); });
    }
    router_.netns().tc({"qdisc", "add", "dev", "to-server", "root", "pfifo", "limit", "9"});
  }
  // Through the router, with these figures.
  [[nodiscard]] JobSpec through(std::initializer_list<std::string> figures = {}) const {
    JobSpec job = spec();
    job.test.traffic.protocol = Protocol::udp;
    job.test.path.server = job.test.path.local->bind = "10.79.0.2";
    for (const std::string& name : figures) job.figures.push_back({.figure = parse_figure(name).value()});
    return job;
  }
  std::unique_ptr<core::ActiveCounters> open_for(const JobSpec& job) {
    return source_.open(job, {client_.pid(), server_.pid()});
  }
  [[nodiscard]] std::optional<std::uint64_t> between(const Counters& counters, std::string_view source,
                                                     std::string_view name) const {
    const auto found = std::ranges::find_if(counters.deltas, [&](const CounterDelta& delta) {
      return delta.source == source && delta.netns == router_.name() && delta.name == name;
    });
    return found == counters.deltas.end() ? std::nullopt : std::optional{found->delta};
  }

  Router router_{client_, server_};
};

TEST_F(CounterFiguresHere, are_read_in_the_namespace_between_the_ends) {
  const auto counting = open_for(through());
  counting->released({});
  client_.send_datagrams("10.79.0.2", 10);
  const Counters counters = counting->finish();
  EXPECT_EQ(between(counters, "nic", "to-client rx_packets"), 10U);
  EXPECT_EQ(between(counters, "nic", "to-client rx_bytes"), 1'420U);
  EXPECT_EQ(between(counters, "snmp", "TcpRetransSegs"), std::nullopt) << "nobody there sends";
  EXPECT_EQ(between(counters, "nic", "to-server tx_packets"), std::nullopt);
  EXPECT_THAT(counters.unknown, Not(Contains(HasSubstr(router_.name()))));
}

TEST_F(CounterFiguresHere, are_kept_if_they_did_not_move_and_the_job_needs_them) {
  const std::string sent = fmt::format("counter.to-server@{}.tx_packets", router_.name());
  const std::string forwarded = fmt::format("counter.snmp@{}.IpForwDatagrams", router_.name());
  const std::string queue = fmt::format("counter.to-server/pfifo@{}.drops", router_.name());
  const auto counting = open_for(through({sent, forwarded, queue, "counter.softnet/cpu0.received_rps"}));
  EXPECT_THAT(counting->lacking(), IsEmpty());
  counting->released({});
  const Counters counters = counting->finish();
  EXPECT_EQ(between(counters, "nic", "to-server tx_packets"), 0U);
  EXPECT_EQ(between(counters, "snmp", "IpForwDatagrams"), 0U);
  EXPECT_THAT(counters.deltas, Contains(AllOf(Field(&CounterDelta::source, "softnet"),
                                              Field(&CounterDelta::name, "cpu0 received_rps"))));
}

TEST_F(CounterFiguresHere, that_are_not_there_are_told_before_the_release) {
  const auto lacking = [this](const std::string& name) { return open_for(through({name}))->lacking(); };
  EXPECT_THAT(
      lacking("counter.wire@left.rx_packet"),
      testing::StartsWith("the figure \"counter.wire@left.rx_packet\": nothing on the path of this run has "
                          "such a counter; the nearest are counter.wire@left.rx_packets, "));
  EXPECT_THAT(lacking(fmt::format("counter.to-server/tbf@{}.drops", router_.name())),
              HasSubstr(fmt::format("counter.to-server/pfifo@{}.drops", router_.name())));
  EXPECT_THAT(lacking("counter.wire@elsewhere.rx_packets"), HasSubstr("counter.wire@"));
  EXPECT_THAT(lacking("counter.nothing-of-this-kind.at_all"), testing::EndsWith("has such a counter"));
  EXPECT_THAT(open_for(through({"received"}))->lacking(), IsEmpty()) << "it is no counter";
}

}  // namespace
}  // namespace netperfd::counters
