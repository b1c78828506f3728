// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/loaded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace netperfd::workload {
namespace {

using std::chrono_literals::operator""ms;

// From the release of iperf3's client to the begin of its test, if that is told.
constexpr std::chrono::milliseconds kLongestConnecting{1000};

std::optional<ResourceUsage> total_of(std::optional<ResourceUsage> usage,
                                      const std::optional<ResourceUsage>& other) {
  if (usage && other) {
    usage->user += other->user;
    usage->system += other->system;
  }
  return usage;
}

}  // namespace

void LoadedRun::Part::workload_prepared() {
  prepared = true;
  run_.part_prepared();
}

void LoadedRun::Part::workload_stopped() {
  stopped = true;
  run_.part_stopped(*this);
}

void LoadedRun::Part::workload_ended(WorkloadResult ended) {
  result = std::move(ended);
  if (!std::exchange(stopped, true)) run_.part_stopped(*this);
  run_.part_ended(*this);
}

LoadedRun::LoadedRun(EventLoop& loop, core::Workload& iperf3, core::LatencyReading& reports,
                     const LatencySettings& settings, const JobSpec& spec, core::WorkloadListener& listener)
    : loop_(loop),
      iperf3_(iperf3),
      spec_(spec),
      listener_(listener),
      probes_(std::make_unique<LatencyRun>(loop, reports, settings, spec, probes_part_,
                                           [this] { probes_begun(); })) {}

Status LoadedRun::begin() {
  auto load = iperf3_.prepare(spec_, load_part_);
  if (!load) return std::unexpected(std::move(load.error()));
  load_ = std::move(*load);
  Status begun = probes_->begin();
  if (!begun) load_.reset();
  return begun;
}

void LoadedRun::part_prepared() {
  if (load_part_.prepared && probes_part_.prepared) listener_.workload_prepared();
}

void LoadedRun::release() {
  probes_->release();
}

void LoadedRun::stop() {
  // A part that has told its end would tell it again.
  if (!load_part_.result) load_->stop();
  if (!probes_part_.result) probes_->stop();
}

// iperf3's first, client before server, as everybody expects of a workload with iperf3.
std::vector<pid_t> LoadedRun::pids() const {
  std::vector<pid_t> pids = load_->pids();
  std::ranges::copy(probes_->pids(), std::back_inserter(pids));
  return pids;
}

void LoadedRun::after(std::chrono::milliseconds delay, void (LoadedRun::*then)()) {
  Result<EventSource> timer = loop_.after(delay, [this, then] { (this->*then)(); });
  if (!timer) return stop();
  timer_ = *std::move(timer);
}

void LoadedRun::enter(std::string_view phase) {
  probes_->next_phase(phase);
  listener_.workload_phase(phase);
}

void LoadedRun::probes_begun() {
  listener_.workload_phase(kLatencyPhases.front());
  after(spec_.latency->idle, &LoadedRun::begin_load);
}

void LoadedRun::begin_load() {
  if (load_part_.stopped || probes_part_.stopped) return;
  released_ = std::chrono::steady_clock::now();
  const auto longest = spec_.test.traffic.omit + (load_->tells_begin() ? kLongestConnecting : 0ms);
  if (longest > 0ms) {
    enter("omitted");
    after(longest, &LoadedRun::begin_counted);
  } else {
    begin_counted();
  }
  load_->release();
}

void LoadedRun::load_begun() {
  if (!counting_ && !finishing_) after(spec_.test.traffic.omit, &LoadedRun::begin_counted);
}

// It ends with the earliest end that iperf3's test can have. A request that is sent later may meet a path
// that is idle already: iperf3 still exchanges its figures, and its server may end later than its client.
void LoadedRun::begin_counted() {
  counting_ = true;
  enter("load");
  if (!spec_.test.traffic.duration) return;
  const auto end = *released_ + spec_.test.traffic.omit + *spec_.test.traffic.duration;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  if (left > 0ms) after(left, &LoadedRun::end_counted);
}

void LoadedRun::end_load() {
  finishing_ = true;
  if (!released_ || (load_part_.result && !load_part_.result->error.empty())) {
    timer_.reset();
    probes_->finish();
    return;
  }
  enter("after");
  after(spec_.latency->idle, &LoadedRun::end_probes);
}

void LoadedRun::part_stopped(const Part& part) {
  if (load_part_.stopped && probes_part_.stopped) {
    timer_.reset();
    listener_.workload_stopped();
  } else if (&part == &load_part_) {
    end_load();
  } else if (!finishing_) {
    timer_.reset();
    load_->stop();
  }
}

void LoadedRun::part_ended(const Part& part) {
  // Without load there is nothing to compare the idle path with.
  if (&part == &load_part_ && !part.result->error.empty() && !probes_part_.stopped) {
    timer_.reset();
    probes_->finish();
  }
  if (load_part_.result && probes_part_.result) listener_.workload_ended(take_result());
}

WorkloadResult LoadedRun::take_result() {
  WorkloadResult result = *std::move(load_part_.result);
  WorkloadResult probes = *std::move(probes_part_.result);
  // A part that was ended because the other one had failed is no cause.
  const bool probes_failed_first = !probes.error.empty() && !finishing_;
  if (probes_failed_first || (result.error.empty() && !probes.error.empty())) {
    result.error = fmt::format("latency: {}", probes.error);
    result.server = probes.server;
  }
  result.latency = std::move(probes.latency);
  std::ranges::move(probes.documents, std::back_inserter(result.documents));
  std::ranges::move(probes.flags, std::back_inserter(result.flags));
  result.probes_usage = total_of(probes.client_usage, probes.server_usage);
  return result;
}

}  // namespace netperfd::workload
