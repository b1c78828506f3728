// SPDX-License-Identifier: GPL-2.0-or-later
// Fakes of the core's ports that keep state: time passes and events happen only when a test says so.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/counter_source.hpp"
#include "daemon/core/ports/fingerprint_source.hpp"
#include "daemon/core/ports/host_watch.hpp"
#include "daemon/core/ports/packet_counter.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/sampler.hpp"
#include "daemon/core/ports/tracer.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/core/fake_store.hpp"

namespace netperfd::core {

// Time stands still until advance(); calls are made in order of their time.
class FakeClock final : public Clock {
 public:
  WallTime now() override { return now_ + set_by_; }
  std::chrono::microseconds since_boot() override { return now_.time_since_epoch() - boot_; }
  void boot() { boot_ = now_.time_since_epoch(); }
  // Somebody sets the wall clock.
  void set(std::chrono::microseconds by) { set_by_ += by; }

  Timer after(std::chrono::milliseconds delay, std::function<void()> callback) override {
    const auto key = std::pair{now_ + delay, next_number_++};
    calls_->emplace(key, std::move(callback));
    // Not null: whether a timer is set can be asked.
    return {calls_.get(), [calls = calls_, key](void*) { calls->erase(key); }};
  }

  // Runs everything that is due now, including what those calls add for now.
  void turn() { advance(std::chrono::milliseconds{0}); }

  void advance(std::chrono::milliseconds by) {
    const WallTime until = now_ + by;
    while (!calls_->empty() && calls_->begin()->first.first <= until) {
      now_ = std::max(now_, calls_->begin()->first.first);
      const auto callback = std::move(calls_->begin()->second);
      calls_->erase(calls_->begin());
      callback();
    }
    now_ = std::max(now_, until);
  }
  // What a callback takes so long for.
  void pass(std::chrono::milliseconds time) { now_ += time; }

  [[nodiscard]] std::size_t waiting() const { return calls_->size(); }

 private:
  using Key = std::pair<WallTime, int>;
  WallTime now_{std::chrono::seconds{1'700'000'000}};
  std::chrono::microseconds set_by_{0};
  std::chrono::microseconds boot_{std::chrono::seconds{1'699'990'000}};
  int next_number_ = 0;
  std::shared_ptr<std::map<Key, std::function<void()>>> calls_ =
      std::make_shared<std::map<Key, std::function<void()>>>();
};

// A workload controlled by the test.
class FakeWorkload final : public Workload {
 public:
  struct Run {
    WorkloadListener* listener = nullptr;
    bool released = false;
    bool stop_asked = false;
    bool alive = true;
    std::vector<pid_t> pids{4711};
    bool reports_intervals = true;

    void become_prepared() { listener->workload_prepared(); }
    // Its processes have ended, and their output is being read.
    void become_stopped() {
      alive = false;
      listener->workload_stopped();
    }
    // The listener may destroy the fake inside this call.
    void end(WorkloadResult result) {
      alive = false;
      listener->workload_ended(std::move(result));
    }
  };

  Result<std::unique_ptr<ActiveWorkload>> prepare(const JobSpec& spec, WorkloadListener& listener) override {
    if (refusal) return std::unexpected(*refusal);
    auto run = std::make_shared<Run>();
    run->listener = &listener;
    runs.push_back(run);
    specs.push_back(spec);
    return std::make_unique<Active>(run);
  }

  Run& last() { return *runs.back(); }
  [[nodiscard]] long alive() const {
    return std::ranges::count_if(runs, [](const auto& run) { return run->alive; });
  }

  Status check(const JobSpec& /*spec*/) override { return {}; }
  std::vector<std::string> missing(const JobSpec& /*spec*/) override { return lacking; }
  std::optional<Error> refusal;
  std::vector<std::string> lacking;  // of missing()
  std::vector<std::shared_ptr<Run>> runs;
  std::vector<JobSpec> specs;

 private:
  class Active final : public ActiveWorkload {
   public:
    explicit Active(std::shared_ptr<Run> run) : run_(std::move(run)) {}
    ~Active() override { run_->alive = false; }
    void release() override { run_->released = true; }
    void stop() override { run_->stop_asked = true; }
    [[nodiscard]] std::vector<pid_t> pids() const override { return run_->pids; }
    [[nodiscard]] bool reports_intervals() const override { return run_->reports_intervals; }

   private:
    std::shared_ptr<Run> run_;
  };
};

// A tracer controlled by the test, which records the calls that it gets.
class FakeTracer final : public Tracer {
 public:
  struct Trace {
    TraceListener* listener = nullptr;
    bool alive = true;
    std::optional<Error> start_refusal, restore_failure;
    std::vector<std::string> said;  // "start 4711", "mark release", "user mark warm", "stop"

    // The listener may destroy the fake inside this call.
    void end(TraceRecord record, std::vector<QualityFlag> flags = {}) {
      listener->trace_ended(std::move(record), std::move(flags));
    }
  };

  Status check(const TraceSpec&) override {
    return check_refusal ? std::unexpected(*check_refusal) : Status{};
  }
  Result<std::vector<std::string>> functions(const TraceSpec&) override {
    return function_lists.empty() ? std::vector<std::string>{}
                                  : function_lists[functions_asked++ % function_lists.size()];
  }
  Result<std::unique_ptr<ActiveTrace>> prepare(const TraceSpec& spec, TraceListener& listener) override {
    specs.push_back(spec);
    if (refusal) return std::unexpected(*refusal);
    auto trace = std::make_shared<Trace>();
    trace->listener = &listener;
    trace->start_refusal = start_refusal;
    trace->restore_failure = restore_failure;
    traces.push_back(trace);
    return std::make_unique<Active>(trace);
  }

  Trace& last() { return *traces.back(); }
  [[nodiscard]] long alive() const {
    return std::ranges::count_if(traces, [](const auto& trace) { return trace->alive; });
  }

  std::optional<Error> check_refusal, refusal, start_refusal, restore_failure;
  std::vector<std::vector<std::string>> function_lists;  // results of functions(), one after the other
  std::size_t functions_asked = 0;
  std::vector<TraceSpec> specs;  // arguments of prepare()
  std::vector<std::shared_ptr<Trace>> traces;

 private:
  class Active final : public ActiveTrace {
   public:
    explicit Active(std::shared_ptr<Trace> trace) : trace_(std::move(trace)) {}
    ~Active() override { trace_->alive = false; }
    Status start(const std::vector<pid_t>& workload) override {
      trace_->said.push_back(fmt::format("start {}", fmt::join(workload, " ")));
      if (trace_->start_refusal) return std::unexpected(*trace_->start_refusal);
      return {};
    }
    Status mark(const std::string& text, bool user) override {
      trace_->said.push_back((user ? "user mark " : "mark ") + text);
      return {};
    }
    void stop() override { trace_->said.emplace_back("stop"); }
    Status abandon() override {
      trace_->said.emplace_back("abandon");
      if (trace_->restore_failure) return std::unexpected(*trace_->restore_failure);
      return {};
    }

   private:
    std::shared_ptr<Trace> trace_;
  };
};

// Returns the test's counts; null if there are none.
class FakePacketCounter final : public PacketCounter {
 public:
  std::unique_ptr<ActivePacketCount> open(const JobSpec&, const std::vector<pid_t>& workload) override {
    workloads.push_back(workload);
    return counted ? std::make_unique<Active>(*counted) : nullptr;
  }
  std::optional<PacketCount> counted;
  std::vector<std::vector<pid_t>> workloads;  // arguments of open()

 private:
  class Active final : public ActivePacketCount {
   public:
    explicit Active(PacketCount counted) : counted_(std::move(counted)) {}
    std::optional<PacketCount> count() override { return counted_; }

   private:
    PacketCount counted_;
  };
};

// Returns the test's counts, and records the calls that it gets.
class FakeCounterSource final : public CounterSource {
 public:
  std::unique_ptr<ActiveCounters> open(const JobSpec&, const std::vector<pid_t>& workload) override {
    said.push_back(fmt::format("open {}", fmt::join(workload, " ")));
    return std::make_unique<Active>(*this);
  }
  Counters counted;
  std::string lacks;              // what lacking() says
  std::vector<std::string> said;  // "open 4711", "released", "finish"
  LiveRates live;                 // the argument of the last released()

 private:
  class Active final : public ActiveCounters {
   public:
    explicit Active(FakeCounterSource& source) : source_(source) {}
    [[nodiscard]] std::string lacking() const override { return source_.lacks; }
    void load_begun() override { source_.said.emplace_back("load begun"); }
    void load_ended() override { source_.said.emplace_back("load ended"); }
    void test_begun() override { source_.said.emplace_back("test begun"); }
    void released(LiveRates rates) override {
      source_.said.emplace_back("released");
      source_.live = std::move(rates);
    }
    Counters finish() override {
      source_.said.emplace_back("finish");
      return source_.counted;
    }

   private:
    FakeCounterSource& source_;
  };
};

// Returns the test's facts.
class FakeFingerprintSource final : public FingerprintSource {
 public:
  Fingerprint take(const JobSpec&, const std::vector<pid_t>& workload) override {
    workloads.push_back(workload);
    return found;
  }
  Fingerprint found;
  std::vector<std::vector<pid_t>> workloads;  // arguments of take()
};

// Says what a test wants to have happened.
class FakeHostWatch final : public HostWatch {
 public:
  std::unique_ptr<ActiveHostWatch> watch() override { return std::make_unique<Active>(*this); }

  HostChanges changes;
  int watching = 0;

 private:
  class Active final : public ActiveHostWatch {
   public:
    explicit Active(FakeHostWatch& watch) : watch_(watch) { ++watch_.watching; }
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;
    ~Active() override { --watch_.watching; }
    HostChanges finish() override { return watch_.changes; }

   private:
    FakeHostWatch& watch_;
  };
};

// Samples nothing, and notes what it is told.
class FakeSampler final : public Sampler {
 public:
  Status check(const SampleSpec& spec) override {
    if (spec.rate <= most) return {};
    return invalid(fmt::format("{} samples are too many", spec.rate));
  }
  std::unique_ptr<ActiveSampling> open(const SampleSpec& spec, const std::vector<pid_t>& workload) override {
    said.push_back(fmt::format("open {} of {}", spec.rate, fmt::join(workload, ",")));
    return std::make_unique<Active>(*this);
  }

  std::uint32_t most = 1'000;
  std::vector<std::string> said;

 private:
  class Active final : public ActiveSampling {
   public:
    explicit Active(FakeSampler& sampler) : sampler_(sampler) {}
    ~Active() override { sampler_.said.emplace_back("end"); }
    void released() override { sampler_.said.emplace_back("released"); }
    void stop() override { sampler_.said.emplace_back("stop"); }
    SampleProfile finish() override {
      sampler_.said.emplace_back("finish");
      SampleProfile profile;
      profile.samples = 11;
      return profile;
    }

   private:
    FakeSampler& sampler_;
  };
};

// Records what it is told, one line each: "run 41 finished", "job 1 running 0/3".
class RecordingObserver final : public RunObserver {
 public:
  void job_added(const JobStatus& job) override { add("job {} added", job.id); }
  void job_changed(const JobStatus& job) override {
    add("job {} {} {}/{} {} {:.2f}", job.id, to_string(job.state), job.runs_ended, job.runs.size(),
        to_string(job.run_state), job.progress);
  }
  void run_interval(JobId job, RunId run, const Interval& interval) override {
    add("job {} run {} interval {:.1f}", job, run, interval.end_s);
  }
  void run_trace(JobId job, RunId run, const TraceProgress& progress) override {
    add("job {} run {} trace {:.1f} s, {} events, {} lost", job, run, progress.seconds,
        progress.events.size(), progress.lost);
  }
  void run_ended(const JobStatus&, RunId run, RunState state, const std::string& error) override {
    add("run {} {}{}{}", run, to_string(state), error.empty() ? "" : ": ", error);
  }
  void job_removed(JobId job) override { add("job {} removed", job); }
  void left_sides_tried(JobId job, const Status& status) override {
    add("before job {}: {}", job, status ? "brought back" : status.error().message);
  }

  std::vector<std::string> take() { return std::exchange(lines_, {}); }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  std::vector<std::string> lines_;
};

inline JobSpec a_job(std::uint32_t repeat = 1) {
  JobSpec spec;
  spec.name = "fake";
  spec.workload = workload::traits_of("iperf3");
  spec.repeat = repeat;
  spec.test.path.server = "10.0.0.2";
  spec.test.traffic.duration = std::chrono::seconds{10};
  spec.limits.timeout = std::chrono::seconds{30};
  return spec;
}

inline JobSpec a_traced_job(bool optional = false) {
  JobSpec spec = a_job();
  spec.test.traffic.omit = std::chrono::seconds{2};
  spec.trace.emplace().events.push_back({"skb:kfree_skb", "", false});
  spec.trace->optional = optional;
  return spec;
}

inline JobSpec a_job_without_workload() {
  JobSpec spec = a_traced_job();
  spec.workload = workload::traits_of("none");
  spec.test = {};
  return spec;
}

inline WorkloadResult a_measurement() {
  WorkloadResult result;
  Totals sum;
  sum.received_bits_per_second = 1e9;
  result.report.sums.push_back(sum);
  return result;
}

inline WorkloadResult a_failure(std::string error) {
  WorkloadResult result;
  result.error = std::move(error);
  return result;
}

}  // namespace netperfd::core
