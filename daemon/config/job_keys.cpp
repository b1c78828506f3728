// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/job_keys.hpp"

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "daemon/config/sweep_keys.hpp"
#include "daemon/model/units.hpp"
#include "daemon/workload/job/table.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

Reader function_list(std::vector<std::string>& out) {
  return list(out, parse_text, "the name of a function or a glob",
              "a list of functions (like [tcp_sendmsg, 'ip_*'])");
}

// The key alone says it, and so does `true`.
Reader decided() {
  return [](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind == YamlNode::Kind::null || (node.kind == YamlNode::Kind::scalar && node.text == "true"))
      return std::nullopt;
    return not_what(node, "true, which need not be said (like {decided, most: 40})");
  };
}

// These functions, keys_of_design() and those of the workloads are the schema: each key, the value it fills,
// how, and what docs/scenarios.md and netperfd-scenario(5) say of it.
std::vector<Key> keys_of_job(JobDraft& draft) {
  JobSpec& job = draft.spec;
  return {
      {"name",
       text(job.name),
       {"word", "required",
        "at most 64 letters, digits, `.`, `_`, `-`; for a scenario, the name of its file without `.yaml`",
        ""},
       Need::required},
      {"description", text(job.description), {"text", "none", "one line, at most 500 bytes", ""}},
      {"label",
       text(job.label),
       {"text", "none",
        "the caller's word for this variant, such as `before`; at most 64 bytes; `start --label` sets it. "
        "Like all texts, it may have no control characters and none that are invisible or change the "
        "direction of writing",
        ""}},
      {"repeat",
       number(job.repeat),
       {"number", "1",
        "number of runs of the job, one after another; with a `design`, number of [blocks](designs.md). At "
        "most `limits.repeat` of `netperfd.yaml` runs in total; `start --repeat` sets it",
        ""}},
      {"until", {}},
      {"until.decided",
       decided(),
       {"no value, or `true`", "required",
        "instead of `repeat`, in a `design` with `a` and `b`: measures blocks [until the comparison is "
        "decided](designs.md#stopping-when-it-is-decided), as `until: {decided, most: 40}`; "
        "`start --until-decided` sets both keys, and `start --repeat` measures a fixed number of blocks",
        ""},
       Need::required},
      {"until.most",
       number(draft.until_most, 6U),
       {"number", "required", "largest number of blocks, from 6; the limit is that of `repeat`", ""},
       Need::required},
      {"sweep",
       sweep(draft.design.sweep),
       {"mapping of lists", "none",
        "keys of the workload, its `parameters` or [settings of the "
        "machine](designs.md#sides-that-set-the-machine), each with a list of values, such as "
        "`{streams: [1, 4, 16]}`: `a` and `b` are compared [at every combination](designs.md#sweeps). At "
        "most 4 keys "
        "and 100 combinations; `start --sweep` sets it",
        ""}},
      {"workload", {}, {}, Need::required},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

// `none`, or a percentage.
Reader budget_wish(BudgetWish& wish) {
  return [&wish](const YamlNode& node) -> std::optional<std::string> {
    wish.none = node.text == "none";
    if (!wish.none && node.kind == YamlNode::Kind::scalar) wish.share = parse_percent(node.text);
    if (wish.none || wish.share) return std::nullopt;
    return not_what(node, "none or a percentage of the CPU time (like 20%)");
  };
}

std::vector<Key> keys_of_functions(JobDraft& draft) {
  return {
      {"trace", {}},
      {"trace.function_graph", {}},
      {"trace.function_graph.module",
       text(draft.graph.module),
       {"word", "required: this or `functions`",
        "records the calls of every traceable function of this kernel module, such as `hsr`", ""}},
      {"trace.function_graph.functions",
       function_list(draft.graph.functions),
       {"list of texts", "required: this or `module`",
        "records the calls of these functions: at most 512 names or globs (`[tcp_sendmsg, 'ip_*']`), which "
        "may match at most 5,000 functions",
        ""}},
      {"trace.function_graph.exclude",
       function_list(draft.graph.exclude),
       {"list of texts", "none", "names or globs to leave out of either", ""}},
      {"trace.function_graph.only",
       function_list(draft.graph.only),
       {"list of texts", "none",
        "names to keep of either, each with the clones that the compiler made of it; at most 512. "
        "`start --confirm` sets it",
        ""}},
      {"trace.function_graph.depth",
       number(draft.graph.depth),
       {"number", "all", "maximum nesting depth of the recorded calls, from 1", ""}},
      {"trace.budget",
       budget_wish(draft.budget),
       {"percentage, `none`", "with a `design` within one boot: `20%`; otherwise `none`",
        "the largest share of the CPU time of a traced run that tracing functions may take, above 0% and up "
        "to 100%. The functions with the most calls are left out, as far as [the budget](functions.md#the-"
        "budget) asks for it; not without a workload, and not with `level: boot`",
        ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

std::vector<Key> keys_of_trace(JobDraft& draft) {
  TraceSpec& trace = draft.trace;
  const auto keep_event = [&draft] { draft.trace.events.push_back(std::exchange(draft.event, {})); };
  return {
      {"trace.events",
       {},
       {},
       Need::optional,
       {keep_event, "name", "a list of events (like [skb:kfree_skb], or mappings with the key name)"}},
      {"trace.events[].name",
       text(draft.event.name),
       {"word", "required",
        "an event as `netperfctl events` lists it, such as `skb:kfree_skb`; at most 64 events, each once. "
        "Members of the group may use the events that [root allows](tracing.md#which-events-may-be-traced)",
        ""},
       Need::required},
      {"trace.events[].filter",
       text(draft.event.filter),
       {"text", "every event",
        "condition in the kernel's own filter language over the event's fields, but [not over "
        "addresses](tracing.md#what-is-kept); at most 1024 bytes",
        ""}},
      {"trace.events[].stacktrace",
       boolean(draft.event.stacktrace),
       {"`true`, `false`", "`false`", "records the kernel stack with each event", ""}},
      {"trace.pid",
       only(trace.workload_only, "workload"),
       {"`workload`", "all tasks",
        "traces only while a task of the workload is the current one; softirqs that work for it while "
        "another task is current are then not seen",
        ""}},
      {"trace.cpus",
       cpu_list(trace.cpus),
       {"list of numbers", "all", "traces only these CPUs (0 to 1023)", ""}},
      {"trace.buffer",
       word(trace.buffer_bytes, parse_bytes, kBytes),
       {"bytes",
        "32M, or less if the buffers of all CPUs together would exceed 512M or a fiftieth of the memory",
        "ring buffer of each CPU, 64K to 1G; all CPUs together at most 512M and a quarter of the memory",
        ""}},
      {"trace.keep_raw",
       word(trace.keep_raw_bytes, parse_bytes, kBytes),
       {"bytes", "none",
        "keeps up to this much of the ring buffers' content of all CPUs, 1M to 256M, as the run's document "
        "`trace.dat`. trace-cmd and `netperfctl export RUN --format text` read it. Data beyond the limit is "
        "counted and left out",
        ""}},
      {"trace.optional",
       boolean(trace.optional),
       {"`true`, `false`", "`false`",
        "if the kernel refuses the trace: `true` measures without it and says so, `false` refuses the job",
        ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

// `none`, or a mapping with the one key `rate`.
Reader sample_wish(SampleWish& wish) {
  return [&wish](const YamlNode& node) -> std::optional<std::string> {
    constexpr const char* kExpected = "none or a rate in samples per second (like {rate: 99})";
    if (node.kind == YamlNode::Kind::scalar) {
      wish.none = node.text == "none";
      return wish.none ? std::nullopt : std::optional(not_what(node, kExpected));
    }
    const YamlEntry* rate = node.find("rate");
    if (rate == nullptr || node.entries.size() != 1) return not_what(node, kExpected);
    const auto number = rate->value.kind == YamlNode::Kind::scalar
                            ? parse_number(rate->value, 0, std::numeric_limits<std::uint32_t>::max())
                            : std::nullopt;
    if (!number) return not_what(rate->value, "a number of samples per second (like 99)");
    wish.rate = static_cast<std::uint32_t>(*number);
    return std::nullopt;
  };
}

std::vector<Key> keys_of_sample(JobDraft& draft) {
  return {
      {"sample",
       sample_wish(draft.sample),
       {"`{rate: NUMBER}`, `none`", "with a `design`: `{rate: 99}`; otherwise `none`",
        "[samples](profiles.md) what all CPUs do during the plain runs, so often per second and CPU: 1 to "
        "10000, at most `kernel.perf_event_max_sample_rate`",
        ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

Reader figure_name(Figure& figure) {
  return [&figure](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind != YamlNode::Kind::scalar) return not_what(node, "the name of a figure (like latency.p99)");
    auto parsed = parse_any_figure(node.text);  // check() knows what the job's runs have
    if (!parsed) return std::move(parsed.error().message);
    figure = std::move(*parsed);
    return std::nullopt;
  };
}

std::vector<Key> keys_of_figures(JobDraft& draft) {
  const auto keep_figure = [&draft] { draft.spec.figures.push_back(std::exchange(draft.figure, {})); };
  return {
      {"figures",
       {},
       {},
       Need::optional,
       {keep_figure, "figure",
        "a list of figures (like [received, cpu], or mappings with the keys figure and threshold)"}},
      {"figures[].figure",
       figure_name(draft.figure.figure),
       {"word", "`received` alone",
        "a [figure](comparing.md#figures) that a comparison of the job judges, such as `latency.p99`; the "
        "first one is shown first. At most 8, each once",
        ""},
       Need::required},
      {"figures[].threshold",
       word(draft.figure.threshold, parse_percent, "a percentage (like 5%)"),
       {"percentage", "that of the comparison: `1%`",
        "differences of this figure that are smaller do not matter: above 0% and below 100%", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

}  // namespace

std::vector<std::unique_ptr<workload::JobKeys>> keys_of_workloads() {
  std::vector<std::unique_ptr<workload::JobKeys>> all;
  for (const workload::JobPart& part : workload::job_parts()) all.push_back(part.make_keys());
  return all;
}

std::vector<Key> keys_of(JobDraft& draft) {
  std::vector<Key> keys = keys_of_job(draft);
  const auto append = [&keys](std::vector<Key> more) {
    keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const auto& workload : draft.workloads) append(workload->keys());
  append(keys_of_functions(draft));
  append(keys_of_trace(draft));
  append(keys_of_sample(draft));
  append(keys_of_design(draft.design));
  append(keys_of_figures(draft));
  append({{"limits", {}},
          {"limits.timeout",
           word(draft.timeout, parse_duration, kDuration),
           {"duration", "see below",
            "time after which a run that has not ended is given up, counted from its preparation", ""}}});
  return keys;
}

}  // namespace netperfd::config
