// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/json_values.hpp"
#include "client/pages/render.hpp"

namespace netperfctl {
namespace {

void add_functions(Json& json, const ShowView& view) {
  const ProfileDetails& details = *view.functions;
  json["function_profile"] = object(details.profile);
  json["builds"] = array(details.builds);
  json["functions"] = array(details.functions);
  if (view.trace_lists.over_time) json["function_slices"] = array(details.slices);
  if (view.function_lists.callers) json["call_edges"] = array(details.edges);
  if (view.function_lists.tree) json["call_tree"] = array(details.tree);
}

void add_counters(Json& json, const ShowView& view) {
  if (view.list_counters) {
    json["counters"] = array(view.counters->counters);
    json["counters_unknown"] = view.counters->unknown;
  }
  if (view.list_tcp) json["tcp_samples"] = array(view.counters->tcp);
  if (view.list_queues) json["queue_samples"] = array(view.counters->queues);
}

void add_samples(Json& json, const ShowView& view) {
  json["sample_profile"] = object(view.sampled->profile);
  if (view.list_samples) json["sampled_functions"] = array(view.sampled->functions);
  if (view.trace_lists.stacks) json["sampled_stacks"] = array(view.sampled->stacks);
}

void add_environment(Json& json, const EnvironmentView& environment) {
  json["environment"] = {{"boot_id", environment.boot_id}, {"facts", array(environment.facts)}};
  json["environment"]["unknown"] = environment.unknown;
}

void add_latency(Json& json, const ShowView& view) {
  json["latency_probes"] = array(view.latency->probes);
  json["latency_phases"] = array(view.latency->phases);
  json["latency_spans"] = array(view.latency->spans);
  if (view.list_latency) json["latency_intervals"] = array(view.latency->intervals);
}

}  // namespace

std::string show_json(const ShowView& view) {
  Json json = document("run");
  json["run"] = object(view.details.run);
  json["sums"] = array(view.details.sums);
  json["flags"] = array(view.details.flags);
  if (view.job) {
    json["job"] = object(view.job->job);
    json["spreads"] = array(view.job->spreads);
  }
  if (view.list_intervals) json["intervals"] = array(view.intervals);
  if (view.list_streams) json["streams"] = array(view.streams);
  if (view.counters) add_counters(json, view);
  if (view.latency) add_latency(json, view);
  if (!view.figures.empty()) json["figures"] = array(view.figures);
  if (view.sampled) add_samples(json, view);
  if (view.list_environment && view.environment) add_environment(json, *view.environment);
  if (!view.trace) return pretty(json);
  json["trace"] = object(view.trace->trace);
  json["trace_cpus"] = array(view.trace->cpus);
  json["trace_events"] = array(view.trace->events);
  json["trace_drops"] = array(view.trace->drops);
  json["trace_marks"] = array(view.trace->marks);
  if (view.trace_lists.stacks) json["trace_stacks"] = array(view.stacks.stacks);
  if (view.trace_lists.events) json["trace_samples"] = array(view.samples);
  if (view.functions) add_functions(json, view);
  add_budget(json, view.budget);
  return pretty(json);
}

}  // namespace netperfctl
