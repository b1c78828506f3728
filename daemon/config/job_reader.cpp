// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/job_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "daemon/config/design_keys.hpp"
#include "daemon/config/job_keys.hpp"
#include "daemon/config/overrides.hpp"
#include "daemon/config/purpose.hpp"
#include "daemon/config/schema.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Time that a run needs besides its planned time: start of server and client, end of the omitted part,
// exchange of results.
constexpr milliseconds kServerWait = 60s;
constexpr milliseconds kTimeBesidePlan = 20s;
constexpr milliseconds kTimeoutWithoutPlan = 10min;

constexpr double kDefaultBudget = 0.2;

// The value of "streams", or of an item such as "events[1]", in `mapping`.
struct Found {
  const YamlNode* value = nullptr;  // null: not found
  Place place;                      // of the key, or of the item
};

Found find_part(const YamlNode& mapping, std::string_view part) {
  const auto bracket = std::min(part.find('['), part.size());
  const YamlEntry* entry = mapping.find(part.substr(0, bracket));
  if (!entry) return {};
  if (bracket == part.size()) return {&entry->value, entry->place};
  std::size_t index = 0;
  std::from_chars(part.data() + bracket + 1, part.data() + part.size(), index);
  const auto& items = entry->value.items;
  if (index >= items.size()) return {&entry->value, entry->place};
  return {&items[index], items[index].place};
}

// Position of `key`. If it is missing, the position of the key of the mapping it is missing from. If an item
// is a plain word, the position of that item.
Place place_of(const YamlNode& root, std::string_view key) {
  const YamlNode* node = &root;
  Place place = root.place;
  while (true) {
    const auto dot = key.find('.');
    const Found found = find_part(*node, key.substr(0, dot));
    if (!found.value) return place;
    if (dot == std::string_view::npos) return found.value->place;
    node = found.value;
    place = found.place;
    key.remove_prefix(dot + 1);
  }
}

// Checks the number of runs, which may be a multiple of `repeat`.
void check_run_count(const JobSpec& spec, const YamlNode& root, const JobLimits& limits,
                     Complaints& complaints) {
  const std::uint64_t runs = run_count(spec);
  if (runs <= limits.repeat || complaints.concern("repeat") || complaints.concern("design")) return;
  const std::string count =
      spec.design ? fmt::format("{} blocks of {} runs are {} runs", spec.repeat, runs / spec.repeat, runs)
                  : std::to_string(runs);
  complaints.add(
      place_of(root, "repeat"), "repeat",
      fmt::format("{}{} more than this daemon allows ({})", count, spec.design ? "," : " is", limits.repeat));
}

void check_limits(const JobSpec& spec, const YamlNode& root, const JobLimits& limits,
                  Complaints& complaints) {
  check_run_count(spec, root, limits, complaints);
  const bool sure =
      !complaints.concern("limits.timeout") && !complaints.concern("workload.iperf3.duration") &&
      !complaints.concern("workload.iperf3.omit") && !complaints.concern("workload.latency.duration") &&
      !complaints.concern("with.latency.idle");
  if (spec.limits.timeout > limits.timeout && sure) {
    complaints.add(place_of(root, "limits.timeout"), "limits.timeout",
                   fmt::format("{} is more than this daemon allows ({})",
                               format_duration(spec.limits.timeout), format_duration(limits.timeout)));
  }
}

void check_commands(const JobSpec& spec, const YamlNode& root, const std::string& refusal,
                    Complaints& complaints) {
  if (refusal.empty() || !spec.design) return;
  for (const std::string& key : commands_of(*spec.design)) {
    complaints.add(
        place_of(root, key), key,
        fmt::format("would run as root, so only a scenario that nobody but root can change may have "
                    "it, and {}",
                    refusal));
  }
}

void check_purpose(const JobSpec& spec, const YamlNode& root, JobPurpose purpose, Complaints& complaints) {
  if (purpose == JobPurpose::measurement || measures_path(spec)) return;
  complaints.add(
      place_of(root, "workload.none"), "workload.none",
      fmt::format("has one run, which only a stop ends, so that it can be no {}", to_string(purpose)));
}

// Adds the model's complaints about the values, except for keys that already have a complaint.
void check_rules(const JobSpec& spec, const YamlNode& root, Complaints& complaints) {
  std::vector<JobProblem> problems = check(spec);
  std::erase_if(problems, [&](const JobProblem& problem) {
    return complaints.concern(problem.key) ||
           std::ranges::any_of(problem.others,
                               [&](const std::string& key) { return complaints.concern(key); });
  });
  for (JobProblem& problem : problems) {
    const Place place = place_of(root, problem.key);
    complaints.add(place, std::move(problem.key), std::move(problem.message));
  }
}

// Once nothing else is wrong.
Status check_place(const JobSpec& spec, const YamlNode& root, const std::string& origin,
                   const AllowedPlaces& allowed) {
  Complaints complaints(origin);
  for (JobProblem& problem : check_allowed(spec, allowed)) {
    const Place place = place_of(root, problem.key);
    complaints.add(place, std::move(problem.key), std::move(problem.message));
  }
  if (complaints.empty()) return {};
  return fail(ErrorKind::access_denied, complaints.to_error().message);
}

const YamlNode* value_of(const YamlNode* mapping, std::string_view key) {
  const YamlEntry* entry = mapping ? mapping->find(key) : nullptr;
  return entry ? &entry->value : nullptr;
}

WorkloadKind workload_of(const YamlNode& root, Complaints& complaints) {
  constexpr std::pair<WorkloadKind, const char*> kKinds[] = {
      {WorkloadKind::iperf3, "iperf3"}, {WorkloadKind::latency, "latency"}, {WorkloadKind::none, "none"}};
  const YamlEntry* entry = root.find("workload");
  const YamlNode* workload = value_of(&root, "workload");
  const std::pair<WorkloadKind, const char*>* given = nullptr;
  bool silenced = false;
  for (const auto& kind : kKinds) {
    const std::string key = fmt::format("workload.{}", kind.second);
    silenced = silenced || complaints.concern(key);
    if (value_of(workload, kind.second) == nullptr) continue;
    if (given != nullptr) {
      complaints.add(workload->find(kind.second)->place, key,
                     fmt::format("stands beside `{}`; a job has one of them", given->second));
    } else {
      given = &kind;
    }
  }
  if (given != nullptr) return given->first;
  if (entry && !silenced) {
    complaints.add(entry->place, "workload.iperf3",
                   "is missing: the traffic to make, `latency` for probes alone, or `none` to watch somebody "
                   "else's");
  }
  // It is unknown which of them was meant, so complaints from any one's rules would mislead.
  complaints.silence("workload");
  return WorkloadKind::iperf3;
}

std::optional<double> budget_of(const BudgetWish& wish, const JobSpec& spec) {
  if (wish.share || wish.none) return wish.share;
  // Boots have nothing in common that could be counted before.
  const bool has_default =
      spec.trace->function_graph && spec.design && !spec.design->reboots && measures_path(spec);
  return has_default ? std::optional(kDefaultBudget) : std::nullopt;
}

// Of a job without iperf3, nothing is received: its 99th percentile, or the median if too few requests are
// sent for that: 1,000 answers, and some are lost or not sent.
std::vector<FigureChoice> figures_of_latency(const LatencySpec& latency) {
  constexpr double kEnough = 1'100;
  const std::chrono::duration<double> duration = latency.duration.value_or(0ms);
  const bool enough = latency.probes.front().rate * duration.count() >= kEnough;
  return {{.figure = {.name = enough ? "latency.p99" : "latency.p50"}}};
}

// Sets the members that depend on which mappings the text has.
JobSpec finish(JobDraft draft, const YamlNode& root, Complaints& complaints) {
  JobSpec spec = std::move(draft.spec);
  spec.workload = workload_of(root, complaints);
  if (const YamlEntry* figures = root.find("figures");
      figures && figures->value.kind == YamlNode::Kind::list && spec.figures.empty())
    complaints.add(figures->value.place, "figures", "names no figure; leave it out for received alone");
  if (spec.workload == WorkloadKind::latency) {
    spec.test = std::move(draft.latency.place);
    draft.local = std::move(draft.latency.local);
    draft.server_wait = draft.latency.server_wait;
  }
  const std::string kind(to_string(spec.workload));
  const YamlNode* workload = value_of(value_of(&root, "workload"), kind);
  if (value_of(workload, "local")) {
    if (const YamlEntry* server = workload->find("server"))
      complaints.add(server->place, fmt::format("workload.{}.server", kind),
                     "stands beside `local`; a job has one of the two");
    spec.test.path.server = draft.local.bind;
    spec.test.path.local = std::move(draft.local);
  }
  if (workload != nullptr && measures_path(spec))
    spec.test.path.server_wait = draft.server_wait.value_or(spec.test.path.local ? 0s : kServerWait);
  if (const YamlEntry* with = root.find("with"); with != nullptr && spec.workload != WorkloadKind::iperf3)
    complaints.add(with->place, "with", "stands beside a workload of iperf3 only");
  if (spec.workload == WorkloadKind::latency || value_of(value_of(&root, "with"), "latency"))
    spec.latency = latency_of(std::move(draft.latency));
  if (const YamlNode* trace = value_of(&root, "trace")) {
    spec.trace = std::move(draft.trace);
    if (value_of(trace, "function_graph")) spec.trace->function_graph = std::move(draft.graph);
  }
  spec.design = design_of(std::move(draft.design), root, spec.trace.has_value(), complaints);
  if (spec.trace) spec.trace->budget = budget_of(draft.budget, spec);
  if (draft.sample.rate) {
    spec.sample = SampleSpec{.rate = *draft.sample.rate, .asked = true};
  } else if (spec.design && has_plain_runs(spec) && !draft.sample.none) {
    spec.sample = SampleSpec{.rate = kDefaultSampleRate, .asked = false};
  }
  if (spec.workload == WorkloadKind::latency && spec.figures.empty())
    spec.figures = figures_of_latency(*spec.latency);
  const auto planned = planned_duration(spec);
  const auto beside = spec.latency ? kTimeBesidePlan + 2 * spec.latency->timeout : kTimeBesidePlan;
  spec.limits.timeout = draft.timeout.value_or(planned ? *planned + beside : kTimeoutWithoutPlan);
  return spec;
}

}  // namespace

Result<JobSpec> read_job(const JobText& job, const core::JobOptions& options, const JobLimits& limits) {
  Complaints complaints(job.origin);
  auto root = parse_yaml(job.text, complaints);
  if (!root) return std::unexpected(complaints.to_error());

  JobDraft draft;
  if (root->kind == YamlNode::Kind::mapping) apply_options(*root, options, complaints);
  read_keys(*root, keys_of(draft), complaints);
  JobSpec spec = finish(std::move(draft), *root, complaints);
  if (spec.trace) spec.trace->of_others = !job.commands_refused.empty();
  check_commands(spec, *root, job.commands_refused, complaints);
  check_rules(spec, *root, complaints);
  if (job.expected_name && spec.name != *job.expected_name && !complaints.concern("name")) {
    complaints.add(place_of(*root, "name"), "name",
                   fmt::format("{} differs from the name of its file, {}", in_quotes(spec.name),
                               in_quotes(*job.expected_name)));
  }
  check_purpose(spec, *root, options.purpose, complaints);
  if (complaints.empty()) apply_purpose(spec, options);
  check_limits(spec, *root, limits, complaints);
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  if (options.limited) {
    if (auto placed = check_place(spec, *root, job.origin, limits.allow); !placed)
      return std::unexpected(std::move(placed.error()));
  }
  spec.text = emit_yaml(*root);
  return spec;
}

std::vector<KeyRow> job_keys() {
  JobDraft draft;
  return rows_of(keys_of(draft));
}

}  // namespace netperfd::config
