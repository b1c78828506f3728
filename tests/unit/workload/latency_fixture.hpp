// SPDX-License-Identifier: GPL-2.0-or-later
// Runs of the real prober between two namespaces.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/core/event_clock.hpp"
#include "daemon/workload/job/traits.hpp"
#include "daemon/workload/latency/report.hpp"
#include "daemon/workload/workloads.hpp"
#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload::test {

// Reads in this process, but in a later turn of the loop, as a child would.
class FakeLatencyReading : public core::LatencyReading {
 public:
  explicit FakeLatencyReading(EventLoop& loop) : loop_(loop) {}
  Result<std::shared_ptr<void>> read_latency(const std::string& prober_stdout, const LatencyOrder& order,
                                             Done done) override {
    const auto reading = std::make_shared<EventSource>();
    auto turn = loop_.after(std::chrono::milliseconds{0}, [parsed = parse_latency(prober_stdout, order),
                                                           done = std::move(done)] { done(parsed); });
    if (!turn) return std::unexpected(turn.error());
    *reading = *std::move(turn);
    return reading;
  }

 private:
  EventLoop& loop_;
};

class PhaseListener : public Listener {
 public:
  void workload_phase(std::string_view phase) override {
    phases.emplace_back(phase);
    if (on_phase) on_phase(phases.back());
  }
  std::vector<std::string> phases;
  std::function<void(const std::string&)> on_phase;
};

class LatencyWorkloadTest : public Iperf3WorkloadTest {
 protected:
  [[nodiscard]] JobSpec probes_alone() const {
    JobSpec job = with_local_server();
    job.workload = workload::traits_of("latency");
    job.test.traffic.duration.reset();
    job.latency = LatencySpec{.duration = std::chrono::milliseconds{1'000},
                              .timeout = std::chrono::seconds{60},
                              .probes = {{.name = "udp", .rate = kRate},
                                         {.name = "web", .protocol = "tcp", .rate = 100, .dscp = "ef"}}};
    return job;
  }
  [[nodiscard]] JobSpec probes_beside_iperf3() const {
    JobSpec job = with_local_server();
    job.latency = LatencySpec{.idle = std::chrono::milliseconds{500},
                              .timeout = std::chrono::seconds{20},
                              .probes = {{.name = "udp", .rate = kRate}}};
    return job;
  }
  void prepare_with_probes(const JobSpec& job) {
    spec = job;
    workload = std::make_unique<Workloads>(WorkloadSite{.loop = loop,
                                                        .clock = clock,
                                                        .reports = reports,
                                                        .latency_reports = reading,
                                                        .figures = figure_reading,
                                                        .iperf3 = settings,
                                                        .features = features,
                                                        .echo_path = NETPERFD_ECHO});
    auto prepared = workload->prepare(spec, phase_listener);
    ASSERT_TRUE(prepared) << prepared.error().message;
    phase_listener.active = *std::move(prepared);
  }
  void run_with_probes(const JobSpec& job) {
    prepare_with_probes(job);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(turn_until(loop, [this] { return phase_listener.prepared > 0 || phase_listener.result; }));
    if (phase_listener.result) return;
    release_and_wait();
  }
  void release_and_wait() {
    longest_pause = {};
    last_beat = std::chrono::steady_clock::now();
    beat();
    phase_listener.active->release();
    ASSERT_TRUE(turn_until(loop, [this] { return phase_listener.result.has_value(); }));
  }
  // Notes how long the loop got no turn, until the last phase begins.
  void beat() {
    if (!phase_listener.phases.empty() && phase_listener.phases.back() == "after") return;
    const auto now = std::chrono::steady_clock::now();
    longest_pause = std::max(longest_pause, now - last_beat);
    last_beat = now;
    auto next = loop.after(std::chrono::milliseconds{5}, [this] { beat(); });
    ASSERT_TRUE(next) << next.error().message;
    heart = *std::move(next);
  }
  // Whether the loop had its CPU all the time, and the prober in these phases. Only then can the times of
  // phases be compared with those of what happened.
  [[nodiscard]] bool was_quick(const std::vector<std::string>& of_prober = {"idle", "omitted",
                                                                            "load"}) const {
    return longest_pause < std::chrono::milliseconds{20} && std::ranges::all_of(
                                                                of_prober,
                                                                [this](const std::string& name) {
                                                                  const auto* each = phase("udp", name);
                                                                  return each == nullptr || each->missed == 0;
                                                                });
  }
  [[nodiscard]] const WorkloadResult& result() const { return *phase_listener.result; }
  [[nodiscard]] const rows::LatencyPhase* phase(const std::string& probe, const std::string& name) const {
    const auto found = std::ranges::find_if(result().latency->phases, [&](const auto& each) {
      return each.probe == probe && each.phase == name;
    });
    return found == result().latency->phases.end() ? nullptr : &*found;
  }
  void TearDown() override {
    phase_listener.active.reset();
    Iperf3WorkloadTest::TearDown();
  }

  static constexpr std::uint32_t kRate = 200;  // of the probe "udp"
  std::chrono::steady_clock::duration longest_pause{};
  std::chrono::steady_clock::time_point last_beat;
  EventSource heart;
  JobSpec spec;
  FakeLatencyReading reading{loop};
  NoFigureReading figure_reading;
  PhaseListener phase_listener;
  core::EventClock clock{loop};
  std::unique_ptr<core::Workload> workload;
};

}  // namespace netperfd::workload::test
