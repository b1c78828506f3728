// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/workload.hpp"

#include <algorithm>
#include <iterator>

#include "daemon/workload/iperf3/workload.hpp"
#include "daemon/workload/latency/loaded_run.hpp"

namespace netperfd::workload {
namespace {

template <class Run>
Result<std::unique_ptr<core::ActiveWorkload>> begun(std::unique_ptr<Run> run) {
  if (Status begun = run->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return run;
}

LatencySettings settings_of(const WorkloadSite& site) {
  return {.path = site.echo_path, .common = site.iperf3};
}

}  // namespace

std::vector<std::string> LatencyWorkload::missing(const JobSpec& spec) {
  return missing_of(spec.test, {settings_.path});
}

Result<std::unique_ptr<core::ActiveWorkload>> LatencyWorkload::prepare(const JobSpec& spec,
                                                                       core::WorkloadListener& listener) {
  if (Status there = expect_namespaces(spec.test); !there) return std::unexpected(std::move(there.error()));
  return begun(
      std::make_unique<LatencyRun>(loop_, reports_, settings_, spec, listener, std::function<void()>{}));
}

std::vector<std::string> LoadedWorkload::missing(const JobSpec& spec) {
  std::vector<std::string> sentences = load_->missing(spec);
  // The namespaces are the same.
  if (spec.latency) std::ranges::move(missing_of({}, {settings_.path}), std::back_inserter(sentences));
  return sentences;
}

Result<std::unique_ptr<core::ActiveWorkload>> LoadedWorkload::prepare(const JobSpec& spec,
                                                                      core::WorkloadListener& listener) {
  if (!spec.latency) return load_->prepare(spec, listener);
  if (Status there = expect_namespaces(spec.test); !there) return std::unexpected(std::move(there.error()));
  return begun(std::make_unique<LoadedRun>(loop_, *load_, reports_, settings_, spec, listener));
}

std::unique_ptr<core::Workload> make_latency(const WorkloadSite& site) {
  return std::make_unique<LatencyWorkload>(site.loop, site.latency_reports, settings_of(site));
}

std::unique_ptr<core::Workload> with_probes(const WorkloadSite& site, std::unique_ptr<core::Workload> load) {
  return std::make_unique<LoadedWorkload>(site.loop, std::move(load), site.latency_reports,
                                          settings_of(site));
}

}  // namespace netperfd::workload
