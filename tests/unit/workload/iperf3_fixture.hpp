// SPDX-License-Identifier: GPL-2.0-or-later
// A workload between two namespaces of its own, and its events.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/report_reading.hpp"
#include "daemon/workload/iperf3/probe.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "daemon/workload/iperf3/workload.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {

// Reads reports in this process, but in a later turn of the loop, as a child would.
class FakeReports : public core::ReportReading {
 public:
  explicit FakeReports(EventLoop& loop) : loop_(loop) {}
  Result<std::shared_ptr<void>> read(const std::string& client_stdout, const std::string& client_stderr,
                                     const TestSpec& asked, Done done) override {
    ++begun;
    if (refusal) return std::unexpected(*refusal);
    const auto reading = std::make_shared<EventSource>();
    alive = reading;
    if (is_endless) return reading;
    Result<ParsedReport> answer = parse_iperf3_report(client_stdout, client_stderr, asked);
    if (failure) answer = std::unexpected(*failure);
    auto turn = loop_.after(std::chrono::milliseconds{0},
                            [answer = std::move(answer), done = std::move(done)] { done(answer); });
    EXPECT_TRUE(turn);
    if (turn) *reading = *std::move(turn);
    return reading;
  }

  int begun = 0;
  std::weak_ptr<void> alive;  // the last reading
  std::optional<Error> refusal, failure;
  bool is_endless = false;

 private:
  EventLoop& loop_;
};

class Listener : public core::WorkloadListener {
 public:
  void workload_prepared() override {
    ++prepared;
    if (on_prepared) on_prepared();
  }
  void workload_interval(const Interval& interval) override {
    EXPECT_FALSE(result) << "an interval after the end";
    intervals.push_back(interval);
  }
  void workload_stopped() override {
    EXPECT_FALSE(result) << "stopped after the end";
    ++stopped;
    if (on_stopped) on_stopped();
  }
  void workload_ended(WorkloadResult ended) override {
    EXPECT_FALSE(result) << "ended twice";
    result = std::move(ended);
    // The run controller does this as well.
    active.reset();
  }

  std::unique_ptr<core::ActiveWorkload> active;
  std::function<void()> on_prepared, on_stopped;
  int prepared = 0;
  int stopped = 0;
  std::vector<Interval> intervals;
  std::optional<WorkloadResult> result;
};

class Iperf3WorkloadTest : public testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_ROOT();
    namespaces = std::make_unique<NamespacePair>();
    const Result<Iperf3Features> probed = probe_iperf3(loop, settings);
    ASSERT_TRUE(probed) << probed.error().message;
    features = *probed;
  }
  void TearDown() override {
    listener.active.reset();
    foreign.child.reset();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
  }

  // From the left namespace to our own server in the right one.
  [[nodiscard]] JobSpec with_local_server() const {
    JobSpec job = with_foreign_server();
    job.test.path.local = LocalServer{.netns = namespaces->right(), .bind = NamespacePair::kRightAddress};
    return job;
  }
  // The same, but with a server only if the test started one.
  [[nodiscard]] JobSpec with_foreign_server() const {
    JobSpec job;
    job.workload = workload::traits_of("iperf3");
    job.test.path.server = NamespacePair::kRightAddress;
    job.test.path.netns = namespaces->left();
    job.test.traffic.duration = std::chrono::seconds{1};
    return job;
  }
  [[nodiscard]] static JobSpec for_long(JobSpec job) {
    job.test.traffic.duration = std::chrono::seconds{60};
    return job;
  }

  void prepare(const JobSpec& job) {
    Iperf3Workload workload{loop, reports, settings, features};
    auto active = workload.prepare(job, listener);
    ASSERT_TRUE(active) << active.error().message;
    listener.active = *std::move(active);
  }
  void wait_for_prepared() {
    ASSERT_TRUE(turn_until(loop, [this] { return listener.prepared > 0 || listener.result; }));
    ASSERT_EQ(listener.prepared, 1) << listener.result->error;
  }
  void wait_for_end() {
    ASSERT_TRUE(turn_until(loop, [this] { return listener.result.has_value(); }));
  }
  void prepare_and_release(const JobSpec& job) {
    ASSERT_NO_FATAL_FAILURE(prepare(job));
    ASSERT_NO_FATAL_FAILURE(wait_for_prepared());
    listener.active->release();
  }
  void wait_for_traffic() {
    const PacketWatch watch{namespaces->right()};
    ASSERT_TRUE(watch.turn_until_payload(loop));
  }
  void start_foreign(const std::string& netns, std::vector<std::string> argv) {
    LaunchOrder order = order_for(std::move(argv));
    order.netns = netns;
    ASSERT_TRUE(start(loop, foreign, std::move(order)));
    ASSERT_TRUE(turn_until(loop, [this] { return foreign.ready; }));
    foreign.child->release();
  }
  void start_foreign_server() {
    ASSERT_NO_FATAL_FAILURE(start_foreign(namespaces->right(), {"iperf3", "--server", "--forceflush"}));
    ASSERT_TRUE(turn_until(loop, [this] {
      return std::ranges::any_of(foreign.lines,
                                 [](const auto& line) { return line.starts_with("Server listening"); });
    }));
  }
  [[nodiscard]] const std::string& error() const { return listener.result->error; }
  [[nodiscard]] std::string document(const std::string& name) const {
    for (const Document& document : listener.result->documents) {
      if (document.name == name) return document.bytes;
    }
    return {};
  }

  EventLoop loop = make_loop();
  FakeReports reports{loop};
  std::unique_ptr<NamespacePair> namespaces;
  ProgramSettings settings{.path = "iperf3", .uid = kNobody, .gid = kNogroup};
  Iperf3Features features;
  Listener listener;
  Watched foreign;
};

}  // namespace netperfd::workload::test
