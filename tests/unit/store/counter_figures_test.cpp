// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that are read from stored counters, and CPU time for the work of stored runs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/model/noise.hpp"
#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

CounterDelta a_counter(const char* source, const char* netns, const char* name, std::uint64_t delta,
                       const char* unit = "") {
  return {.source = source, .netns = netns, .name = name, .delta = delta, .unit = unit};
}

QueueSample a_queue(microseconds time, const char* handle, std::uint64_t drops) {
  QueueSample sample;
  sample.time = time;
  sample.device = "to-far";
  sample.netns = "bottleneck";
  sample.kind = "tbf";
  sample.handle = handle;
  sample.parent = "root";
  sample.drops = drops;
  sample.sent_packets = 10 * drops;
  return sample;
}

class CounterFigures : public Designs {
 protected:
  RunId stored_with(const Counters& counters, std::vector<NamedFigure> own = {},
                    std::optional<std::uint64_t> packets = {}) {
    const RunId id = run_under_way(a_job());
    RunRecord record = a_record(id);
    record.counters = counters;
    record.figures = std::move(own);
    record.traffic = {};
    if (packets) record.traffic.packets = PacketCount{.device = "eth0", .netns = "", .packets = *packets};
    must(store->finish(record));
    return id;
  }
  analysis::ComparedRun read(RunId run, const std::string& name) {
    auto runs = must(store->compared_runs({run}, core::ComparedParts::throughput));
    must(store->read_figures({parse_figure(name).value()}, runs));
    return runs.front();
  }
  std::optional<double> value(RunId run, const std::string& name) {
    const auto compared = read(run, name);
    const auto found = compared.figures.find(name);
    return found == compared.figures.end() ? std::nullopt : std::optional(found->second);
  }
};

// Two seconds apart, and queues sampled for 1.5 s.
Counters counted_in_two_seconds() {
  Counters counters;
  counters.deltas = {a_counter("cpu", "", "busy", 3'000'000'000, "ns"),
                     a_counter("nic", "bottleneck", "to-far rx_packets", 5000),
                     a_counter("nic", "bottleneck", "to-far rx_dropped", 0),
                     a_counter("nic", "left", "to-far rx_packets", 7000),
                     noise::counter_of(noise::kWindow, 2'000'000'000, "ns"),
                     a_counter("softnet", "", "cpu0 dropped", 8)};
  counters.queues = {a_queue(microseconds{0}, "1:", 1), a_queue(microseconds{1'500'000}, "1:", 30),
                     a_queue(microseconds{1'500'000}, "2:", 15)};
  return counters;
}

TEST_F(CounterFigures, are_those_of_stored_runs) {
  const RunId run = stored_with(counted_in_two_seconds());
  EXPECT_THAT(value(run, "counter.to-far@bottleneck.rx_packets"), Optional(2500.0));
  EXPECT_THAT(value(run, "counter.to-far@left.rx_packets"), Optional(3500.0));
  EXPECT_THAT(value(run, "counter.to-far@bottleneck.rx_dropped"), Optional(0.0));
  EXPECT_THAT(value(run, "counter.softnet/cpu0.dropped"), Optional(4.0));
  EXPECT_THAT(value(run, "counter.cpu.busy"), Optional(1.5e9));
  EXPECT_THAT(value(run, "counter.to-far/tbf@bottleneck.drops"), Optional(30.0)) << "both of them";
  EXPECT_THAT(value(run, "counter.to-far/tbf@bottleneck.sent_packets"), Optional(300.0));
  EXPECT_EQ(
      read(run, "counter.to-far/tbf@bottleneck.drops").sources.at("counter.to-far/tbf@bottleneck.drops"),
      "qdisc");
}

TEST_F(CounterFigures, of_a_run_without_the_counter_are_unknown_with_those_that_it_has) {
  const RunId run = stored_with(counted_in_two_seconds());
  const analysis::ComparedRun lacking = read(run, "counter.to-fra@bottleneck.rx_packets");
  EXPECT_THAT(lacking.figures, IsEmpty());
  EXPECT_THAT(lacking.nearest, testing::Contains("counter.to-far@bottleneck.rx_packets"));
  EXPECT_THAT(read(run, "counter.to-far@bottleneck.rx_packets").nearest, IsEmpty());
  EXPECT_EQ(value(stored_with({}), "counter.softnet.dropped"), std::nullopt);
}

// Each CPU is busy or idle all the time.
TEST_F(CounterFigures, of_a_netperfd_that_did_not_look_for_noise_have_the_time_of_the_cpus) {
  Counters counters = counted_in_two_seconds();
  std::erase_if(counters.deltas, [](const CounterDelta& each) { return each.source == noise::kSource; });
  counters.deltas.push_back(a_counter("cpu", "", "cpu0 busy", 1'000'000'000, "ns"));
  counters.deltas.push_back(a_counter("cpu", "", "cpu0 idle", 3'000'000'000, "ns"));
  counters.deltas.push_back(a_counter("cpu", "", "cpu1 busy", 3'900'000'000, "ns"));
  EXPECT_THAT(value(stored_with(counters), "counter.to-far@bottleneck.rx_packets"), Optional(1250.0));
  counters.deltas.resize(counters.deltas.size() - 3);
  EXPECT_EQ(value(stored_with(counters), "counter.to-far@bottleneck.rx_packets"), std::nullopt);
}

TEST_F(CounterFigures, are_refused_if_no_run_has_the_counter) {
  JobSpec spec = a_design();
  const JobId job = done(spec, [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
  analysis::ComparisonSettings settings;
  settings.figures = analysis::compared_figures(parse_figure_choices({"counter.eth0.rx_packets"}).value());
  EXPECT_THAT(refused(job, settings).message,
              HasSubstr("figure \"counter.eth0.rx_packets\": no run has this counter. A counter that did not "
                        "change is only stored of a job that has the figure"));
}

TEST_F(CounterFigures, may_be_those_that_a_job_declares) {
  JobSpec spec = a_job();
  spec.figures = parse_figure_choices({"counter.to-far@bottleneck.rx_packets:5%", "cpu.packet"}).value();
  const JobId job = must(add_job(*store, spec, 1000, kMorning)).id;
  EXPECT_EQ(must(store->figures_of_job(job)), spec.figures);
}

// 3 s of CPU time in 2 s.
TEST_F(CounterFigures, give_cpu_time_for_the_work_of_a_run) {
  const Counters counters = counted_in_two_seconds();
  EXPECT_THAT(value(stored_with(counters, {}, 6000), "cpu.packet"), Optional(500'000.0));
  EXPECT_EQ(read(stored_with(counters, {}, 6000), "cpu.packet").sources.at("cpu.packet"), "nic");
  EXPECT_EQ(value(stored_with(counters), "cpu.packet"), std::nullopt);
  const RunId calls = stored_with(
      counters, {{.name = "calls", .unit = "transactions/s", .better = Better::higher, .value = 500}});
  EXPECT_THAT(value(calls, "cpu.transaction"), Optional(3e6));
  EXPECT_EQ(read(calls, "cpu.transaction").sources.at("cpu.transaction"), "figure calls");
  EXPECT_EQ(value(calls, "cpu.packet"), std::nullopt);
  EXPECT_EQ(value(calls, "cpu"), std::nullopt);
  const RunId bits =
      stored_with(counters, {{.name = "rate", .unit = "bits/s", .better = Better::higher, .value = 8000}});
  EXPECT_THAT(value(bits, "cpu"), Optional(1.5e6)) << "2,000 bytes";
}

}  // namespace
}  // namespace netperfd::store
