// SPDX-License-Identifier: GPL-2.0-or-later
// The real prober between two namespaces, alone and beside the real iperf3.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/workload/latency/loaded_run.hpp"
#include "daemon/workload/latency/run.hpp"
#include "daemon/workload/latency/workload.hpp"
#include "tests/unit/workload/latency_fixture.hpp"

namespace netperfd::workload {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using LatencyWorkloadTest = test::LatencyWorkloadTest;

TEST_F(LatencyWorkloadTest, measures_round_trips_of_each_probe_alone) {
  run_with_probes(probes_alone());
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, IsEmpty());
  EXPECT_EQ(phase_listener.stopped, 1);
  ASSERT_TRUE(result().latency);
  ASSERT_EQ(result().latency->probes.size(), 2U);
  EXPECT_EQ(result().latency->probes[1].dscp, 46U);
  for (const auto& [probe, most] : {std::pair{"udp", 200U}, std::pair{"web", 100U}}) {
    const auto* idle = phase(probe, "idle");
    ASSERT_NE(idle, nullptr) << probe;
    EXPECT_EQ(idle->sent + idle->missed, most) << probe;
    EXPECT_EQ(idle->lost, 0U) << probe;
  }
  const auto& spans = result().latency->spans;
  const auto count =
      std::ranges::count_if(spans, [](const auto& span) { return span.figures.probe == "udp"; });
  EXPECT_EQ(count, 4) << "both ends have one clock, and the kernel says when the driver took a request";
  EXPECT_TRUE(result().client_usage);
  EXPECT_EQ(result().documents.at(0).name, "latency.stdout");
}

TEST_F(LatencyWorkloadTest, measures_idle_load_and_idle_again_beside_iperf3) {
  run_with_probes(probes_beside_iperf3());
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, IsEmpty());
  if (features.json_stream()) {
    EXPECT_THAT(phase_listener.phases, ElementsAre("idle", "omitted", "load", "ending", "after"));
  } else {
    EXPECT_THAT(phase_listener.phases, ElementsAre("idle", "load", "ending", "after"));
  }
  EXPECT_EQ(phase_listener.prepared, 1);
  EXPECT_EQ(phase_listener.stopped, 1);
  ASSERT_TRUE(result().latency);
  for (const char* name : {"idle", "load", "after"}) {
    const auto* of = phase("udp", name);
    ASSERT_NE(of, nullptr) << name;
    EXPECT_EQ(of->received + of->lost, of->sent) << name;
  }
  double due = 0;
  for (const auto& each : result().latency->phases) due += static_cast<double>(each.sent + each.missed);
  EXPECT_NEAR(due, phase("udp", "after")->end_s * kRate, 1);
  if (was_quick() && phase("udp", "load")->start_s < phase("udp", "idle")->end_s + 1) {
    EXPECT_NEAR(phase("udp", "load")->end_s - phase("udp", "idle")->end_s, 1, 0.05) << "as long as its test";
  }
  ASSERT_FALSE(result().report.sums.empty());
  EXPECT_GT(result().report.sums[0].received_bytes.value_or(0), 1'000'000U);
}

TEST_F(LatencyWorkloadTest, has_a_phase_for_the_part_that_iperf3_omits) {
  JobSpec job = probes_beside_iperf3();
  job.test.traffic.omit = std::chrono::seconds{1};
  run_with_probes(job);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, IsEmpty());
  EXPECT_THAT(phase_listener.phases, ElementsAre("idle", "omitted", "load", "ending", "after"));
  if (!was_quick()) return;
  const auto* load = phase("udp", "load");
  EXPECT_GE(load->start_s, phase("udp", "idle")->end_s + 0.98) << "what is omitted";
  if (load->start_s < phase("udp", "idle")->end_s + 2)
    EXPECT_NEAR(load->end_s, phase("udp", "idle")->end_s + 2, 0.05) << "and as long a test";
}

TEST_F(LatencyWorkloadTest, lists_the_processes_of_iperf3_first) {
  prepare_with_probes(probes_beside_iperf3());
  ASSERT_TRUE(test::turn_until(loop, [this] { return phase_listener.prepared > 0; }));
  const auto pids = phase_listener.active->pids();
  ASSERT_EQ(pids.size(), 4U);
  EXPECT_EQ(std::set<pid_t>(pids.begin(), pids.end()).size(), 4U);
}

TEST_F(LatencyWorkloadTest, says_that_no_server_answers) {
  JobSpec job = probes_alone();
  job.test.path.local.reset();
  job.latency->timeout = std::chrono::milliseconds{500};
  run_with_probes(job);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, StartsWith("no answer from 10.97.0.2 port 5202"));
  EXPECT_EQ(result().server, ServerAbsence::absent);
}

TEST_F(LatencyWorkloadTest, ends_iperf3_if_the_probes_fail) {
  JobSpec job = probes_beside_iperf3();
  job.test.traffic.duration = std::chrono::seconds{60};
  spec = job;
  phase_listener.on_phase = [this](const std::string& phase) {
    if (phase != "load") return;
    const auto pids = phase_listener.active->pids();
    ASSERT_EQ(pids.size(), 4U);
    ::kill(pids[2], SIGKILL);  // the prober
  };
  run_with_probes(job);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, HasSubstr("latency: prober: killed by signal 9"));
}

TEST_F(LatencyWorkloadTest, ends_the_probes_if_iperf3_fails_and_tells_why) {
  JobSpec job = probes_beside_iperf3();
  job.test.iperf3.window_bytes = 1ULL << 29U;  // more than the kernel gives
  run_with_probes(job);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, HasSubstr("socket buffer size"));
  ASSERT_TRUE(result().latency);
  EXPECT_NE(phase("udp", "idle"), nullptr) << "what was measured is kept";
}

TEST_F(LatencyWorkloadTest, reports_a_prober_that_was_stopped_for_a_while) {
  JobSpec job = probes_beside_iperf3();
  job.latency->idle = std::chrono::milliseconds{1'000};
  EventSource go_on;
  phase_listener.on_phase = [&](const std::string& begun) {
    if (begun != "idle") return;
    const pid_t prober = phase_listener.active->pids().at(2);
    ASSERT_EQ(::kill(prober, SIGSTOP), 0);
    siginfo_t stopped{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(prober), &stopped, WSTOPPED | WNOWAIT), 0);
    // Before the end of the phase, however late that comes.
    auto timer = loop.after(std::chrono::milliseconds{600}, [prober] { ::kill(prober, SIGCONT); });
    ASSERT_TRUE(timer);
    go_on = *std::move(timer);
  };
  run_with_probes(job);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(result().error, IsEmpty());
  const auto* idle = phase("udp", "idle");
  ASSERT_NE(idle, nullptr);
  EXPECT_GE(idle->missed, 118U) << "600 ms without 200 requests per second";
  if (was_quick({"omitted", "load"})) EXPECT_LE(idle->missed, 150U);
  EXPECT_THAT(result().flags, Contains(testing::Field(&QualityFlag::code, "probes-late")));
}

TEST_F(LatencyWorkloadTest, leaves_nothing_behind_if_it_is_stopped_or_destroyed) {
  for (const char* phase : {"idle", "load", "after"}) {
    phase_listener = {};
    JobSpec job = probes_beside_iperf3();
    job.test.traffic.duration = std::chrono::seconds{phase == std::string("after") ? 1 : 60};
    phase_listener.on_phase = [this, phase](const std::string& begun) {
      if (begun == phase) phase_listener.active->stop();
    };
    run_with_probes(job);
    ASSERT_FALSE(HasFatalFailure()) << phase;
    EXPECT_THAT(result().error, HasSubstr("stopped before its end")) << phase;
  }
  phase_listener = {};
  prepare_with_probes(probes_beside_iperf3());
  phase_listener.active.reset();  // TearDown() looks for processes
}

// Its load takes no time, and has told its end when phase "after" begins.
class ShortLoad final : public core::Workload {
 public:
  Status check(const JobSpec&) override { return {}; }
  std::vector<std::string> missing(const JobSpec&) override { return {}; }
  Result<std::unique_ptr<core::ActiveWorkload>> prepare(const JobSpec&,
                                                        core::WorkloadListener& listener) override {
    return std::make_unique<Active>(*this, listener);
  }
  int stops = 0;

 private:
  class Active final : public core::ActiveWorkload {
   public:
    Active(ShortLoad& load, core::WorkloadListener& listener) : load_(load), listener_(listener) {
      listener_.workload_prepared();
    }
    void release() override {
      listener_.workload_stopped();
      listener_.workload_ended({});
    }
    void stop() override { ++load_.stops; }
    [[nodiscard]] std::vector<pid_t> pids() const override { return {}; }
    [[nodiscard]] bool reports_intervals() const override { return true; }

   private:
    ShortLoad& load_;
    core::WorkloadListener& listener_;
  };
};

TEST_F(LatencyWorkloadTest, stops_no_load_that_has_told_its_end) {
  auto owned = std::make_unique<ShortLoad>();
  const ShortLoad& load = *owned;
  spec = probes_beside_iperf3();
  workload = std::make_unique<LoadedWorkload>(loop, std::move(owned), reading,
                                              LatencySettings{.path = NETPERFD_ECHO, .common = settings});
  auto prepared = workload->prepare(spec, phase_listener);
  ASSERT_TRUE(prepared) << prepared.error().message;
  phase_listener.active = *std::move(prepared);
  ASSERT_TRUE(test::turn_until(loop, [this] { return phase_listener.prepared > 0; }));
  phase_listener.active->release();
  ASSERT_TRUE(test::turn_until(loop, [this] { return phase_listener.phases.size() == 3; }));
  phase_listener.active->stop();
  ASSERT_TRUE(test::turn_until(loop, [this] { return phase_listener.result.has_value(); }));
  EXPECT_EQ(load.stops, 0);
}

// Its client needs 200 ms to connect, its test takes 500 ms, and it ends 500 ms after its test.
class SlowLoad final : public core::Workload {
 public:
  explicit SlowLoad(EventLoop& loop) : loop_(loop) {}
  Status check(const JobSpec&) override { return {}; }
  std::vector<std::string> missing(const JobSpec&) override { return {}; }
  Result<std::unique_ptr<core::ActiveWorkload>> prepare(const JobSpec&,
                                                        core::WorkloadListener& listener) override {
    return std::make_unique<Active>(loop_, listener);
  }

 private:
  class Active final : public core::ActiveWorkload {
   public:
    Active(EventLoop& loop, core::WorkloadListener& listener) : loop_(loop), listener_(listener) {
      listener_.workload_prepared();
    }
    void release() override {
      begin_ = loop_.after(std::chrono::milliseconds{200}, [this] { listener_.workload_begun(); });
      end_ = loop_.after(std::chrono::milliseconds{1'200}, [this] {
        listener_.workload_stopped();
        listener_.workload_ended({});
      });
    }
    void stop() override {}
    [[nodiscard]] std::vector<pid_t> pids() const override { return {}; }
    [[nodiscard]] bool tells_begin() const override { return true; }
    [[nodiscard]] bool reports_intervals() const override { return false; }

   private:
    EventLoop& loop_;
    core::WorkloadListener& listener_;
    Result<EventSource> begin_, end_;
  };
  EventLoop& loop_;
};

TEST_F(LatencyWorkloadTest, counts_no_request_to_the_load_before_it_begins_or_after_it_ends) {
  spec = probes_beside_iperf3();
  spec.test.traffic.duration = std::chrono::milliseconds{500};
  spec.latency->idle = std::chrono::milliseconds{200};
  workload = std::make_unique<LoadedWorkload>(loop, std::make_unique<SlowLoad>(loop), reading,
                                              LatencySettings{.path = NETPERFD_ECHO, .common = settings});
  auto prepared = workload->prepare(spec, phase_listener);
  ASSERT_TRUE(prepared) << prepared.error().message;
  phase_listener.active = *std::move(prepared);
  ASSERT_TRUE(test::turn_until(loop, [this] { return phase_listener.prepared > 0; }));
  release_and_wait();
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_THAT(result().error, IsEmpty());
  const auto* first = phase("udp", "idle");
  const auto* of_load = phase("udp", "load");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(of_load, nullptr);
  EXPECT_GE(of_load->start_s, first->end_s);
  if (was_quick()) {
    EXPECT_GE(of_load->start_s, first->end_s + 0.19) << "iperf3 connects";
    EXPECT_LE(of_load->end_s, first->end_s + 0.6) << "its test is over 700 ms after its release";
  }
  EXPECT_THAT(phase_listener.phases, ElementsAre("idle", "omitted", "load", "ending", "after"));
}

TEST_F(LatencyWorkloadTest, ends_at_once_if_iperf3_cannot_be_launched) {
  JobSpec job = probes_beside_iperf3();
  job.test.iperf3.affinity = {0, 4000};
  run_with_probes(job);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(phase_listener.prepared, 0);
  EXPECT_THAT(result().error, HasSubstr("4000"));
}

TEST_F(LatencyWorkloadTest, passes_what_the_job_asks_for_and_no_more) {
  JobSpec job = probes_alone();
  job.test.path.bind = "10.97.0.1";
  job.test.path.ip_version = IpVersion::v4;
  job.latency->probes[1].length_bytes = 500;
  EXPECT_THAT(prober_argv("/x/echo", job),
              ElementsAre("/x/echo", "probe", "--to", "10.97.0.2", "--port", "5202", "--timeout", "60000ms",
                          "--interval", "1000ms", "--bind", "10.97.0.1", "--family", "4", "--duration",
                          "1000ms", "--probe", "protocol=udp,rate=200,length=64", "--probe",
                          "protocol=tcp,rate=100,length=500,dscp=46"));
  EXPECT_THAT(echo_server_argv("/x/echo", job),
              ElementsAre("/x/echo", "serve", "--bind", "10.97.0.2", "--port", "5202"));
}

}  // namespace
}  // namespace netperfd::workload
