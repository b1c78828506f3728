// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of runs, and those that jobs declare.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/noise.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class StoredFigures : public Designs {
 protected:
  void execute(const std::string& sql) { forge(path(), sql); }
  template <class Change>
  RunId stored_with(Change change) {
    const RunId id = run_under_way(a_job());
    RunRecord record = a_record(id);
    change(record);
    must(store->finish(record));
    return id;
  }
  std::optional<double> value(RunId run, const std::string& name) {
    auto runs = must(store->compared_runs({run}, core::ComparedParts::throughput));
    must(store->read_figures({parse_figure(name).value()}, runs));
    const auto found = runs.front().figures.find(name);
    return found == runs.front().figures.end() ? std::nullopt : std::optional(found->second);
  }
  static std::string probe(RunId run, int position, const std::string& name) {
    return fmt::format(
        "INSERT INTO latency_probes VALUES ({}, {}, '{}', 'udp', 1000, 64, NULL, 'kernel', 0, 0);", run,
        position, name);
  }
  // Its round trips take from `first` ns on: min, mean, max, p50, p90, p99 are 1 apart, p99.9 is not known.
  static std::string phase(RunId run, int position, const std::string& probe, const std::string& phase,
                           int first, const std::string& jitter = "7") {
    std::string sql = fmt::format(
        "INSERT INTO latency_phases VALUES ({}, {}, '{}', '{}', 0, 1, 1000, 5, 0, 0, 990, 10, 0, "
        "0, 0, {});",
        run, position, probe, phase, jitter);
    for (const char* span : {"there", "round-trip"}) {
      const int from = span == std::string{"there"} ? 999'000 : first;
      sql += fmt::format(
          "INSERT INTO latency_spans VALUES ({}, {}, '{}', '{}', '{}', 990, {}, {}, {}, {}, {}, "
          "{}, NULL, '[]');",
          run, 2 * position + (from == first ? 0 : 1), probe, phase, span, from, from + 1, from + 2, from + 3,
          from + 4, from + 5);
    }
    return sql;
  }
};

TEST_F(StoredFigures, of_iperf3_are_sums_over_both_directions) {
  const RunId run = stored_with([](RunRecord& record) {
    Totals& sent = record.workload.report.sums.front();
    sent.sent_bits_per_second = 3e9;
    sent.sent_bytes = 2'000'000'000;
    sent.retransmits = 50;
    sent.mean_rtt = 400;
    sent.packets.reset();
    sent.jitter_ms.reset();
    Totals received = sent;
    received.direction = Direction::receive;
    received.sent_bits_per_second = 1e9;
    received.retransmits = 10;
    received.mean_rtt = 600;
    record.workload.report.sums.push_back(received);
  });
  EXPECT_THAT(value(run, "sent"), Optional(4e9));
  EXPECT_THAT(value(run, "retransmits"), Optional(15.0)) << "per GB that was sent";
  EXPECT_THAT(value(run, "rtt"), Optional(500e3)) << "ns";
  EXPECT_EQ(value(run, "delivered"), std::nullopt) << "no datagrams";
  EXPECT_EQ(value(run, "jitter"), std::nullopt);
}

TEST_F(StoredFigures, of_a_direction_that_is_not_known_are_not_known) {
  const RunId run = stored_with([](RunRecord& record) {
    Totals& sent = record.workload.report.sums.front();
    sent.sent_bits_per_second = 3e9;
    sent.mean_rtt = 400;
    record.workload.report.sums.emplace_back().direction = Direction::receive;
  });
  for (const char* name : {"sent", "retransmits", "rtt"}) EXPECT_EQ(value(run, name), std::nullopt) << name;
}

TEST_F(StoredFigures, of_datagrams_are_what_was_delivered_and_its_jitter) {
  const auto of_loss = [this](std::int64_t lost) {
    return stored_with([lost](RunRecord& record) {
      Totals& sum = record.workload.report.sums.front();
      sum.packets = 1000;
      sum.lost_packets = lost;
      sum.jitter_ms = 0.25;
      sum.retransmits.reset();
    });
  };
  const RunId lossy = of_loss(30);
  EXPECT_THAT(value(lossy, "delivered"), Optional(0.97));
  EXPECT_THAT(value(lossy, "jitter"), Optional(250e3));
  EXPECT_EQ(value(lossy, "retransmits"), std::nullopt);
  EXPECT_THAT(value(of_loss(-2), "delivered"), Optional(1.0)) << "iperf3 took late ones for lost";
  EXPECT_THAT(value(of_loss(1000), "delivered"), Optional(0.0));
}

TEST_F(StoredFigures, of_cpu_time_leave_out_what_others_took) {
  const auto of_counters = [this](std::vector<CounterDelta> counters) {
    return stored_with([&](RunRecord& record) {
      record.traffic = some_traffic();
      record.counters.emplace().deltas = counters;
    });
  };
  const CounterDelta busy{.source = "cpu", .netns = "", .name = "busy", .delta = 5'000'000, .unit = "ns"};
  EXPECT_THAT(value(of_counters({busy}), "cpu"), Optional(5.0)) << "a million bytes";
  EXPECT_THAT(value(of_counters({busy, noise::counter_of(noise::kOthers, 1'000'000, "ns")}), "cpu"),
              Optional(4.0));
  EXPECT_EQ(value(of_counters({}), "cpu"), std::nullopt);
  EXPECT_EQ(value(of_counters({busy, noise::counter_of(noise::kOthers, 9'000'000, "ns")}), "cpu"),
            std::nullopt)
      << "no workload takes no time";
  EXPECT_EQ(value(stored_with([](RunRecord&) {}), "cpu"), std::nullopt);
}

// 600,000 of a million bytes are counted, in 2 of 5 ms: the omitted ones were dear.
TEST_F(StoredFigures, of_cpu_time_are_of_the_part_that_iperf3_counted) {
  const CounterDelta busy{.source = "cpu", .netns = "", .name = "busy", .delta = 5'000'000, .unit = "ns"};
  const auto cpu_of = [&](std::vector<CounterDelta> counters) {
    counters.push_back(busy);
    const RunId run = stored_with([&](RunRecord& record) {
      record.traffic = some_traffic();
      for (Totals& sum : record.workload.report.sums) sum.received_bytes = 600'000;
      record.counters.emplace().deltas = counters;
    });
    auto runs = must(store->compared_runs({run}, core::ComparedParts::throughput));
    must(store->read_figures({parse_figure("cpu").value()}, runs));
    return runs.front();
  };
  const auto known = cpu_of({noise::counter_of(noise::kUncountedBusy, 3'200'000, "ns")});
  EXPECT_FALSE(known.cpu_of_whole);
  EXPECT_DOUBLE_EQ(known.figures.at("cpu"), 3.0) << "1.8 ms";
  EXPECT_THAT(known.whole_cpu, Optional(5.0));
  const auto old = cpu_of({});
  EXPECT_TRUE(old.cpu_of_whole) << "measured by an older netperfd";
  EXPECT_DOUBLE_EQ(old.figures.at("cpu"), 5.0);
  std::vector<analysis::ComparedRun> a{known}, b{old};
  analysis::use_one_part(a, b);
  EXPECT_DOUBLE_EQ(a.front().figures.at("cpu"), 5.0) << "like is compared with like";
  EXPECT_TRUE(a.front().cpu_of_whole);
}

// Both count all bytes. Only one knows how long iperf3 took to begin and to end, 2 of 5 ms.
TEST_F(StoredFigures, of_cpu_time_with_and_without_the_ends_of_iperf3_are_not_compared) {
  const CounterDelta busy{.source = "cpu", .netns = "", .name = "busy", .delta = 5'000'000, .unit = "ns"};
  const auto cpu_of = [&](std::vector<CounterDelta> counters) {
    counters.push_back(busy);
    const RunId run = stored_with([&](RunRecord& record) {
      record.traffic = some_traffic();
      for (Totals& sum : record.workload.report.sums) sum.received_bytes = 1'000'000;
      record.counters.emplace().deltas = counters;
    });
    auto runs = must(store->compared_runs({run}, core::ComparedParts::throughput));
    must(store->read_figures({parse_figure("cpu").value()}, runs));
    return runs.front();
  };
  const CounterDelta start = noise::counter_of(noise::kUncountedBusy, 2'000'000, "ns");
  const auto known = cpu_of({start, noise::counter_of(noise::kUncountedEnd, 1'000'000, "ns")});
  const auto with_end = cpu_of({start});  // of an older netperfd, with an omitted part
  const auto old = cpu_of({});
  EXPECT_DOUBLE_EQ(known.figures.at("cpu"), 3.0);
  EXPECT_DOUBLE_EQ(old.figures.at("cpu"), 5.0);
  EXPECT_FALSE(known.cpu_with_start || known.cpu_with_end);
  EXPECT_TRUE(old.cpu_with_start && old.cpu_with_end);
  EXPECT_TRUE(!with_end.cpu_with_start && with_end.cpu_with_end);
  std::vector<analysis::ComparedRun> a{known}, b{known};
  analysis::use_one_part(a, b);
  EXPECT_DOUBLE_EQ(a.front().figures.at("cpu"), 3.0);
  b = {with_end};
  analysis::use_one_part(a, b);
  EXPECT_DOUBLE_EQ(a.front().figures.at("cpu"), 5.0) << "only one has its end in it";
  a = {known};
  b = {old};
  analysis::use_one_part(a, b);
  EXPECT_DOUBLE_EQ(a.front().figures.at("cpu"), 5.0);
  EXPECT_TRUE(a.front().cpu_of_whole);
  a = b = {old};
  analysis::use_one_part(a, b);
  EXPECT_FALSE(a.front().cpu_of_whole);
}

TEST_F(StoredFigures, of_latency_are_those_of_the_phase_under_load) {
  const RunId run = stored_with([](RunRecord&) {});
  execute(probe(run, 0, "main") + probe(run, 1, "voice") + phase(run, 0, "main", "idle", 100) +
          phase(run, 1, "main", "load", 5000) + phase(run, 2, "main", "after", 300) +
          phase(run, 3, "voice", "idle", 900));
  EXPECT_THAT(value(run, "latency.min"), Optional(5000.0));
  EXPECT_THAT(value(run, "latency.mean"), Optional(5001.0));
  EXPECT_THAT(value(run, "latency.max"), Optional(5002.0));
  EXPECT_THAT(value(run, "latency.p50"), Optional(5003.0));
  EXPECT_THAT(value(run, "latency.p90"), Optional(5004.0));
  EXPECT_THAT(value(run, "latency.p99"), Optional(5005.0));
  EXPECT_EQ(value(run, "latency.p999"), std::nullopt) << "too few samples";
  EXPECT_THAT(value(run, "latency.jitter"), Optional(7.0));
  EXPECT_THAT(value(run, "latency.delivered"), Optional(0.99));
  EXPECT_THAT(value(run, "latency.bloat"), Optional(5005.0 - 103)) << "p99 of load less p50 of idle";
  EXPECT_THAT(value(run, "latency.idle.p99"), Optional(105.0));
  EXPECT_THAT(value(run, "latency.after.p99"), Optional(305.0));
  EXPECT_EQ(value(run, "latency.omitted.p99"), std::nullopt);
  EXPECT_THAT(value(run, "latency.voice.p99"), Optional(905.0)) << "it has no load";
  EXPECT_THAT(value(run, "latency.main.load.p99"), Optional(5005.0));
  EXPECT_EQ(value(run, "latency.voice.load.p99"), std::nullopt);
  EXPECT_EQ(value(run, "latency.voice.bloat"), std::nullopt);
  EXPECT_EQ(value(run, "latency.other.p99"), std::nullopt);
}

TEST_F(StoredFigures, of_a_phase_in_which_nothing_came_back_are_not_those_of_another_one) {
  const RunId run = stored_with([](RunRecord&) {});
  execute(probe(run, 0, "main") + phase(run, 0, "main", "idle", 100) +
          phase(run, 1, "main", "load", 5000, "NULL") + "DELETE FROM latency_spans WHERE phase = 'load'");
  EXPECT_EQ(value(run, "latency.p99"), std::nullopt);
  EXPECT_EQ(value(run, "latency.jitter"), std::nullopt);
  EXPECT_EQ(value(run, "latency.bloat"), std::nullopt);
  EXPECT_THAT(value(run, "latency.delivered"), Optional(0.99));
  EXPECT_EQ(value(stored_with([](RunRecord&) {}), "latency.p99"), std::nullopt) << "no probe";
}

JobSpec with_figures_of(JobSpec spec, const std::vector<std::string>& figures) {
  spec.figures = parse_figure_choices(figures).value();
  return spec;
}

TEST_F(StoredFigures, that_a_job_declares_keep_their_order_and_thresholds) {
  const JobSpec spec = with_figures_of(a_job(), {"latency.voice.load.p99:5%", "received", "cpu:0.5%"});
  const JobId job = must(add_job(*store, spec, 1000, kMorning)).id;
  EXPECT_EQ(must(store->figures_of_job(job)), spec.figures);
  EXPECT_THAT(must(store->figures_of_job(must(add_job(*store, a_job(), 1000, kMorning)).id)), IsEmpty());
  EXPECT_THAT(must(store->figures_of_job(999)), IsEmpty());
}

TEST_F(StoredFigures, that_this_version_does_not_know_are_not_left_out_in_silence) {
  const JobSpec spec = with_figures_of(a_design(), {"received", "cpu"});
  const JobId job = done(spec, [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
  execute("UPDATE job_figures SET figure = 'energy' WHERE figure = 'cpu'");
  const auto figures = store->figures_of_job(job);
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(figures.error().message, HasSubstr("\"energy\" does not exist"));
  analysis::ComparisonSettings settings;
  settings.figures.clear();
  EXPECT_EQ(refused(job, settings).kind, ErrorKind::unsupported);
  settings.figures.emplace_back();
  EXPECT_EQ(compared(job, settings).comparison.verdict, Verdict::improvement) << "asked for";
}

TEST_F(StoredFigures, of_the_runs_own_may_be_those_that_the_job_declares) {
  JobSpec spec = a_design();
  spec.figures = parse_figure_choices({"energy:5%", "received"}, parse_any_figure).value();
  const JobId job = done(spec, [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
  const auto of_none = store->figures_of_job(job);
  ASSERT_FALSE(of_none) << "no run has it";
  EXPECT_EQ(of_none.error().kind, ErrorKind::unsupported);
  std::string sql;
  for (const core::RunRow& run : must(store->runs_of_job(job))) {
    sql += fmt::format(
        "INSERT INTO run_figures (run, name, unit, better, value) VALUES ({}, 'energy', 'J', "
        "'lower', {});",
        run.id, (run.slot.variant == 'B' ? 3.0 : 2.0) + 0.001 * static_cast<double>(run.id % 7));
  }
  execute(sql);
  EXPECT_EQ(must(store->figures_of_job(job)), spec.figures);
}

// B receives 20 % more. Its p99 is three times that of A.
class ComparedFigures : public StoredFigures {
 protected:
  JobId measured(JobSpec spec, double ratio_b = 3) {
    spec.repeat = 8;
    const JobId job = done(spec, [](const Slot& slot) { return Outcome{.rate = rate_of(slot)}; });
    add_latency(job, [&](const core::RunRow& run) {
      return static_cast<int>(1e6 * (run.slot.variant == 'B' ? ratio_b : 1)) +
             static_cast<int>(run.id % 7) * 1000;
    });
    return job;
  }
  // `first`: of each run, as for phase().
  template <class First>
  void add_latency(JobId job, First first) {
    std::string sql;
    for (const core::RunRow& run : must(store->runs_of_job(job)))
      sql += probe(run.id, 0, "main") + phase(run.id, 0, "main", "load", first(run));
    execute(sql);
  }
  static analysis::ComparisonSettings not_asked() {
    analysis::ComparisonSettings settings;
    settings.figures.clear();
    return settings;
  }
  std::vector<std::string> names(const Comparison& comparison) {
    std::vector<std::string> all;
    for (const FigureResult& figure : comparison.figures)
      all.push_back(fmt::format("{} {}", figure.name, to_string(figure.verdict)));
    return all;
  }
};

TEST_F(ComparedFigures, are_those_that_the_job_declares) {
  const JobId job = measured(with_figures_of(a_design(), {"latency.p99:5%", "received"}));
  const Comparison declared = compared(job, not_asked()).comparison;
  EXPECT_THAT(names(declared), ElementsAre("latency.p99 regression", "received improvement"));
  EXPECT_EQ(declared.verdict, Verdict::trade_off);
  EXPECT_EQ(declared.figures[0].threshold, 0.05);
  EXPECT_EQ(declared.figures[1].threshold, 0.01);
  analysis::ComparisonSettings asked;
  asked.figures = analysis::compared_figures(parse_figure_choices({"received"}).value());
  EXPECT_THAT(names(compared(job, asked).comparison), ElementsAre("received improvement"));
  EXPECT_THAT(names(compared(measured(a_design("plain")), not_asked()).comparison),
              ElementsAre("received improvement"));
}

TEST_F(ComparedFigures, of_several_jobs_are_those_that_all_declare) {
  const JobId one = measured(with_figures_of(a_design(), {"latency.p99"}));
  const JobId same = measured(with_figures_of(a_design(), {"latency.p99"}));
  const JobId other = measured(with_figures_of(a_design(), {"latency.p99:5%"}));
  const auto compared = [this](JobId a, JobId b) {
    const core::ComparisonRequest request{fmt::format("job:{}", a), fmt::format("job:{}", b), not_asked(), 0};
    return names(must(core::compare_selections(*store, request, &analysis::compare)).comparison);
  };
  EXPECT_THAT(compared(one, same), ElementsAre(HasSubstr("latency.p99")));
  EXPECT_THAT(compared(one, other), ElementsAre(HasSubstr("received")));
}

TEST_F(ComparedFigures, have_each_what_self_tests_tell) {
  JobSpec test = with_figures_of(a_design(), {"received", "latency.p99"});
  test.purpose = JobPurpose::selftest;
  test.repeat = 8;
  const JobId self_test =
      done(test, [](const Slot& slot) { return Outcome{.rate = kRate + 1e5 * slot.letter}; });
  // This host makes the second side slow.
  add_latency(self_test,
              [](const core::RunRow& run) { return run.slot.variant == 'B' ? 4'000'000 : 1'000'000; });
  const JobId job = measured(with_figures_of(a_design(), {"received", "latency.p99"}));
  const core::ComparedSelections compared = this->compared(job, not_asked());
  ASSERT_TRUE(compared.self_test);
  ASSERT_EQ(compared.self_test->figures.size(), 2U);
  EXPECT_EQ(compared.self_test->figures[0].verdict, Verdict::equivalent);
  EXPECT_EQ(compared.self_test->figures[1].verdict, Verdict::regression);
  EXPECT_THAT(names(compared.comparison), ElementsAre("received improvement", "latency.p99 inconclusive"));
  EXPECT_NEAR(compared.comparison.figures[0].resolution.value_or(0), 1.0459, 1e-3) << "two builds, at 97.5 %";
  EXPECT_NEAR(compared.comparison.figures[1].resolution.value_or(0), 4, 0.01);
}

TEST_F(ComparedFigures, are_planned_with_the_interval_that_they_will_have) {
  const JobId job = measured(with_figures_of(a_design(), {"received", "latency.p99"}));
  const auto plan = [&](std::optional<std::string> figure) {
    core::PlanRequest request;
    request.runs = fmt::format("job:{}", job);
    request.effect = 0.0005;
    request.threshold = 0.0001;
    if (figure) request.figure = parse_figure(*figure).value();
    return planned(request);
  };
  const core::RunPlan first = plan({});
  EXPECT_EQ(to_string(first.figure), "received");
  EXPECT_DOUBLE_EQ(first.level, 0.975);
  EXPECT_EQ(first.together.size(), 2U);
  const core::RunPlan latency = plan("latency.p99");
  EXPECT_EQ(to_string(latency.figure), "latency.p99");
  EXPECT_DOUBLE_EQ(latency.level, 0.975);
  EXPECT_NE(latency.sd, first.sd);
  const core::RunPlan alone = plan("latency.p50");
  EXPECT_DOUBLE_EQ(alone.level, 0.95);
  EXPECT_THAT(alone.together, IsEmpty());
  EXPECT_NEAR(alone.sd, latency.sd, 1e-3 * latency.sd);
  EXPECT_LT(alone.needed, latency.needed);
  core::PlanRequest missing;
  missing.runs = fmt::format("job:{}", job);
  missing.figure = parse_figure("latency.p999").value();
  EXPECT_THAT(refused(missing).message, HasSubstr("0 run(s) with a known latency.p999"));
}

}  // namespace
}  // namespace netperfd::store
