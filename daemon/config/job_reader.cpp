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
#include "daemon/config/sweep_keys.hpp"
#include "daemon/keys/schema.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"
#include "daemon/workload/job/table.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Time that a run needs besides its planned time: start of server and client, end of the omitted part,
// exchange of results.
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
  const std::string key = spec.until_decided ? "until.most" : "repeat";
  if (runs <= limits.repeat || complaints.concern(key) || complaints.concern("design")) return;
  const std::string count =
      spec.design ? fmt::format("{} blocks of {} runs are {} runs", spec.repeat, runs / spec.repeat, runs)
                  : std::to_string(runs);
  complaints.add(
      place_of(root, key), key,
      fmt::format("{}{} more than this daemon allows ({})", count, spec.design ? "," : " is", limits.repeat));
}

void check_timeout(const JobSpec& spec, const YamlNode& root, const JobLimits& limits,
                   Complaints& complaints) {
  bool sure = !complaints.concern("limits.timeout");
  for (const workload::JobPart& part : workload::job_parts()) {
    for (const std::string_view key : part.timed_by) sure = sure && !complaints.concern(key);
  }
  if (spec.limits.timeout > limits.timeout && sure) {
    complaints.add(place_of(root, "limits.timeout"), "limits.timeout",
                   fmt::format("{} is more than this daemon allows ({})",
                               format_duration(spec.limits.timeout), format_duration(limits.timeout)));
  }
}

void check_commands(const JobSpec& spec, const YamlNode& root, const std::string& refusal,
                    Complaints& complaints) {
  if (refusal.empty()) return;
  if (spec.workload.of_root) {
    const std::string key = fmt::format("workload.{}", spec.workload.name);
    complaints.add(place_of(root, key), key,
                   fmt::format("runs what the text says, so only a scenario that nobody but root can change "
                               "may have it, and {}",
                               refusal));
  }
  if (!spec.design) return;
  for (const std::string& key : commands_of(*spec.design)) {
    complaints.add(
        place_of(root, key), key,
        fmt::format("would run as root, so only a scenario that nobody but root can change may have "
                    "it, and {}",
                    refusal));
  }
}

void check_purpose(const JobSpec& spec, const YamlNode& root, JobPurpose purpose, Complaints& complaints) {
  if (purpose == JobPurpose::measurement || spec.workload.ends_by_itself) return;
  const std::string key = fmt::format("workload.{}", spec.workload.name);
  complaints.add(
      place_of(root, key), key,
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
  for (const JobSpec& told : specs_of_runs(spec)) {
    if (!complaints.empty()) break;  // of what sides share, once
    for (JobProblem& problem : check_allowed(told, allowed)) {
      const Place place = place_of(root, problem.key);
      complaints.add(place, std::move(problem.key), std::move(problem.message));
    }
  }
  if (complaints.empty()) return {};
  return fail(ErrorKind::access_denied, complaints.to_error().message);
}

// "the traffic to make, `latency` for probes alone, or ..."
std::string workloads_in_words() {
  const auto& parts = workload::job_parts();
  std::string words(parts.front().meaning);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    words += fmt::format(",{} `{}` {}", i + 1 == parts.size() ? " or" : "", parts[i].traits.name,
                         parts[i].meaning);
  }
  return words;
}

WorkloadTraits workload_of(const YamlNode& root, Complaints& complaints) {
  const auto& parts = workload::job_parts();
  const YamlEntry* entry = root.find("workload");
  const YamlNode* workload = value_of(&root, "workload");
  const WorkloadTraits* given = nullptr;
  bool silenced = false;
  for (const workload::JobPart& part : parts) {
    const std::string& name = part.traits.name;
    const std::string key = fmt::format("workload.{}", name);
    silenced = silenced || complaints.concern(key);
    if (value_of(workload, name) == nullptr) continue;
    if (given != nullptr) {
      complaints.add(workload->find(name)->place, key,
                     fmt::format("stands beside `{}`; a job has one of them", given->name));
    } else {
      given = &part.traits;
    }
  }
  if (given != nullptr) return *given;
  const WorkloadTraits& first = parts.front().traits;
  if (entry && !silenced) {
    complaints.add(entry->place, fmt::format("workload.{}", first.name),
                   fmt::format("is missing: {}", workloads_in_words()));
  }
  // It is unknown which of them was meant, so complaints from any one's rules would mislead.
  complaints.silence("workload");
  return first;
}

std::optional<double> budget_of(const BudgetWish& wish, const JobSpec& spec) {
  if (wish.share || wish.none) return wish.share;
  // Boots have nothing in common that could be counted before.
  const bool has_default =
      spec.trace->function_graph && spec.design && !spec.design->reboots && spec.workload.ends_by_itself;
  return has_default ? std::optional(kDefaultBudget) : std::nullopt;
}

void add_until(std::uint32_t most, const YamlNode& root, JobSpec& spec, Complaints& complaints) {
  if (value_of(&root, "until") == nullptr) return;
  if (const YamlEntry* repeat = root.find("repeat")) {
    complaints.add(repeat->place, "repeat",
                   "stands beside `until`, whose `most` is the largest number of blocks; remove one of them");
  }
  spec.repeat = std::max(most, 1U);
  spec.until_decided = true;
}

// Sets the members that depend on which mappings the text has.
JobSpec finish(JobDraft draft, const YamlNode& root, Complaints& complaints) {
  JobSpec spec = std::move(draft.spec);
  spec.workload = workload_of(root, complaints);
  add_until(draft.until_most, root, spec, complaints);
  if (const YamlEntry* figures = root.find("figures");
      figures && figures->value.kind == YamlNode::Kind::list && spec.figures.empty())
    complaints.add(figures->value.place, "figures", "names no figure; leave it out for received alone");
  for (const auto& workload : draft.workloads) workload->finish(root, spec, complaints);
  if (const YamlNode* trace = value_of(&root, "trace")) {
    spec.trace = std::move(draft.trace);
    if (value_of(trace, "function_graph")) spec.trace->function_graph = std::move(draft.graph);
  }
  std::vector<SweepAxis> sweep = std::move(draft.design.sweep);
  spec.design = design_of(std::move(draft.design), root, spec.trace.has_value(), complaints);
  add_sweep(std::move(sweep), root, spec, complaints);
  if (spec.trace) spec.trace->budget = budget_of(draft.budget, spec);
  if (draft.sample.rate) {
    spec.sample = SampleSpec{.rate = *draft.sample.rate, .asked = true};
  } else if (spec.design && has_plain_runs(spec) && !draft.sample.none) {
    spec.sample = SampleSpec{.rate = kDefaultSampleRate, .asked = false};
  }
  const auto planned = planned_duration(spec);
  auto beside = spec.latency ? kTimeBesidePlan + 2 * spec.latency->timeout : kTimeBesidePlan;
  if (spec.command && spec.command->server) beside += spec.command->ready.within;
  spec.limits.timeout = draft.timeout.value_or(planned ? *planned + beside : kTimeoutWithoutPlan);
  return spec;
}

// The workload of a side that sets keys, from the job's text with these keys.
std::optional<SideWorkload> workload_of_side(YamlNode text, const std::string& workload, const YamlNode& set,
                                             const JobLimits& limits, Complaints& complaints) {
  apply_set(text, workload, set, complaints);
  if (!complaints.empty()) return std::nullopt;
  JobDraft draft;
  read_keys(text, keys_of(draft), complaints);
  JobSpec spec = finish(std::move(draft), text, complaints);
  check_rules(spec, text, complaints);
  check_timeout(spec, text, limits, complaints);
  if (!complaints.empty()) return std::nullopt;
  return SideWorkload{std::move(spec.test), std::move(spec.latency), std::move(spec.command), spec.limits};
}

bool have_same_figures(const SideWorkload& a, const SideWorkload& b) {
  return !a.command || std::ranges::equal(a.command->figures, b.command->figures, {}, &DeclaredFigure::name,
                                          &DeclaredFigure::name);
}

// The workloads of both sides, from the job's text or that of a point.
void add_pair(JobSpec& spec, const YamlNode& text, const YamlNode* set_a, const YamlNode* set_b,
              const JobLimits& limits, Complaints& complaints) {
  const std::string& name = spec.workload.name;
  auto a = workload_of_side(text, name, set_a ? *set_a : YamlNode{}, limits, complaints);
  auto b = a ? workload_of_side(text, name, set_b ? *set_b : YamlNode{}, limits, complaints) : std::nullopt;
  if (!a || !b) return;
  if ((set_a || set_b) && *a == *b) {
    const char* key = set_b ? "design.b.set" : "design.a.set";
    return complaints.add(place_of(text, key), key, "makes no difference between the sides");
  }
  if (!have_same_figures(*a, *b) || !(spec.sides.empty() || have_same_figures(spec.sides.front(), *a))) {
    return complaints.add(place_of(text, "design"), "design",
                          "has sides with other figures than each other, which cannot be compared");
  }
  spec.sides.push_back(*std::move(a));
  spec.sides.push_back(*std::move(b));
}

// The difference is the declared change: the options of a workload are facts of its own group.
void add_sides(JobSpec& spec, const YamlNode& root, const JobLimits& limits, Complaints& complaints) {
  const YamlNode* design = value_of(&root, "design");
  const YamlNode* set_a = value_of(value_of(design, "a"), "set");
  const YamlNode* set_b = value_of(value_of(design, "b"), "set");
  const std::uint32_t points = spec.design ? spec.design->points() : 0;
  if (set_a == nullptr && set_b == nullptr && points == 0) return;
  if (points == 0) add_pair(spec, root, set_a, set_b, limits, complaints);
  for (const YamlNode* set : {set_a, set_b}) {
    if (points > 0 && set != nullptr) expect_other_keys(*set, root, spec, complaints);
  }
  for (std::uint32_t point = 1; point <= points && complaints.empty(); ++point) {
    YamlNode text = root;
    apply_set(text, spec.workload.name, set_of_point(*spec.design, point), complaints);
    add_pair(spec, text, set_a, set_b, limits, complaints);
  }
  if (set_a == nullptr && set_b == nullptr) return;
  auto& changed = spec.design->changed;
  const std::string& name = spec.workload.name;
  if (std::ranges::find(changed, name) == changed.end()) changed.push_back(name);
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
  if (complaints.empty()) add_sides(spec, *root, limits, complaints);
  if (complaints.empty()) {
    if (const auto blocks = blocks_of_new_sides(spec, options)) {
      spec.repeat = *blocks;
      put_repeat(*root, *blocks, complaints);
    }
    apply_purpose(spec, options);
  }
  check_run_count(spec, *root, limits, complaints);
  check_timeout(spec, *root, limits, complaints);
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
