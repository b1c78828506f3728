// SPDX-License-Identifier: GPL-2.0-or-later
// All methods of org.netperfd1, and who may call them with what: the whole policy. docs/access.md has the
// same in words, and a test compares the two.
#include <algorithm>
#include <string_view>

#include "daemon/bus/call/method.hpp"
#include "daemon/bus/call/pipeline.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

using namespace methods;
using core::Action;

// Who.
constexpr Access kEverybody{Who::everybody};
constexpr Access kIdentified{Who::identified};
constexpr Access kReadsRawData{Who::raw_data_reader, "", Action::read_raw, true};
constexpr Access members(const char* what) {
  return {Who::member, what};
}
constexpr Access may(Action action, const char* what) {
  return {Who::action, what, action};
}
// And all that the job needs, which is known once it is read.
constexpr Access may_start(const char* what) {
  return {Who::action, what, Action::measure, true};
}
constexpr Access reads_raw_data(const char* parts) {
  return {Who::raw_data_reader, parts, Action::read_raw};
}
constexpr Access owns_live_job(const char* what) {
  return {Who::live_job_owner, what};
}
constexpr Access owns_job(const char* what) {
  return {Who::job_owner, what};
}
constexpr Access owns_run(const char* what) {
  return {Who::run_owner, what};
}

// What is recorded.
constexpr Audit kUnrecorded{};
constexpr Audit recorded(const char* word) {
  return {word};
}
constexpr Audit recorded_later(const char* word) {
  return {word, true};
}

// How much a message may have: room beyond the limits of arguments.hpp and options.hpp, which say better what
// is too long. Most methods have numbers, names and cursors, for which Limits{} is enough.
constexpr std::uint32_t kKiB = 1024;
constexpr std::uint32_t kOptionsBytes = 2 * kOverridesLimit * kOverrideLimit;
constexpr Limits kFilter{.bytes = 16 * kKiB};
constexpr Limits kSettings{.bytes = 64 * kKiB, .entries = 4 * kGroupsLimit};
constexpr Limits kRunsOfTwoSides{.bytes = 64 * kKiB, .entries = 4000};  // 1,000 runs of a side
constexpr Limits kOverrides{.bytes = kOptionsBytes, .entries = 4 * kOverridesLimit};
constexpr Limits kJob{.bytes = kOptionsBytes + 2 * kJobTextLimit, .entries = 4 * kOverridesLimit};
constexpr Limits kReport{.bytes = kReportLimit + 64 * kKiB};
constexpr Limits kFiles{.bytes = 16 * kKiB, .descriptors = core::Importer::kMostFiles, .alone = true};
constexpr Limits kFile{.descriptors = 1};
constexpr Limits kAlone{.alone = true};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    found.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

template <class... Values>
std::string signature_of(std::type_identity<std::tuple<Values...>> /*type*/) {
  return dbus::signature_of<Values...>();
}
template <class... Values>
std::string came_signature(std::type_identity<std::tuple<Values...>> /*type*/) {
  return dbus::signature_of<typename Argument<Values>::Came...>();
}

// `names` are those of its arguments, of which one of a job's object has the first in its path.
template <auto Work>
Method method(const char* name, std::string_view takes, std::string_view gives, const Access& access,
              const Audit& audit = {}, const Limits& limits = {},
              const char* interface = dbus::kManagerInterface) {
  using Function = Signature<decltype(Work)>;
  std::string signature = came_signature(std::type_identity<typename Function::Taken>{});
  if (interface == std::string_view{dbus::kJobInterface}) signature.erase(0, 1);
  return {interface,
          name,
          std::move(signature),
          signature_of(std::type_identity<typename Results<typename Function::Gives>::Values>{}),
          words(takes),
          words(gives),
          access,
          audit,
          limits,
          serve<Work>};
}

std::vector<Method> make_table() {
  const char* const page = "run cursor limit";
  return {
      // Jobs
      method<start_scenario>("StartScenario", "scenario options", "job", may_start("start a job"),
                             recorded_later("start"), kOverrides),
      method<start_job>("StartJob", "text origin options", "job", may_start("start a job"),
                        recorded_later("start"), kJob),
      method<check_scenario>("CheckScenario", "scenario options", "runs repeat_limit", members("check jobs"),
                             kUnrecorded, kOverrides),
      method<check_job>("CheckJob", "text origin options", "runs repeat_limit", members("check jobs"),
                        kUnrecorded, kJob),
      method<check_boots>("CheckBoots", "scenario options", "boots seconds", members("check jobs"),
                          kUnrecorded, kOverrides),
      method<stop_job>("StopJob", "job", "", owns_live_job("stop"), recorded("stop")),
      method<hold_job>("HoldJob", "job", "", owns_live_job("hold"), recorded("hold")),
      method<release_job>("ReleaseJob", "job", "", owns_live_job("release"), recorded("release")),
      method<undo_job>("UndoJob", "job", "left", owns_job("undo what was left by"), recorded("undo")),
      method<mark>("Mark", "job text", "", owns_live_job("mark"), recorded("mark")),
      method<set_label>("SetLabel", "job label", "", owns_job("label"), recorded("label")),
      method<delete_job>("DeleteJob", "job", "runs", owns_job("delete"), recorded("delete")),
      method<stop_job>("Stop", "", "", owns_live_job("stop"), recorded("stop"), {}, dbus::kJobInterface),
      method<mark>("Mark", "text", "", owns_live_job("mark"), recorded("mark"), {}, dbus::kJobInterface),
      method<list_scenarios>("ListScenarios", "", "scenarios", kEverybody),
      method<list_boots>("ListBoots", "job", "boots", kEverybody),
      method<get_budget>("GetBudget", "job", "budget functions", kEverybody),
      method<subscribe>("Subscribe", "", "", kIdentified),
      method<unsubscribe>("Unsubscribe", "", "", kEverybody),

      // Runs
      method<get_run>("GetRun", "id", "run sums flags", kEverybody),
      method<list_streams>("ListStreams", "run", "streams", kEverybody),
      method<list_intervals>("ListIntervals", page, "intervals next", kEverybody),
      method<get_fingerprint>("GetFingerprint", "run", "boot_id facts unknown", kEverybody),
      method<list_counters>("ListCounters", page, "counters next total unknown", kEverybody),
      method<list_tcp_samples>("ListTcpSamples", page, "samples next total", kEverybody),
      method<list_queue_samples>("ListQueueSamples", page, "samples next total", kEverybody),
      method<list_figures>("ListFigures", page, "figures next total", kEverybody),
      method<get_latency>("GetLatency", "run", "probes phases spans", kEverybody),
      method<list_latency_intervals>("ListLatencyIntervals", page, "intervals next total", kEverybody),
      method<get_latency_histogram>("GetLatencyHistogram", "run probe phase span", "buckets", kEverybody),
      method<get_function_profile>("GetFunctionProfile", "run", "profile builds", kEverybody),
      method<list_function_profile>("ListFunctionProfile", page, "functions next total", kEverybody),
      method<list_function_slices>("ListFunctionSlices", page, "functions next total", kEverybody),
      method<list_call_edges>("ListCallEdges", page, "edges next total", kEverybody),
      method<list_call_tree>("ListCallTree", page, "nodes next total", kEverybody),
      method<get_sample_profile>("GetSampleProfile", "run", "profile builds", kEverybody),
      method<list_sampled_functions>("ListSampledFunctions", page, "functions next total", kEverybody),
      method<list_sampled_stacks>("ListSampledStacks", page, "stacks next total", kEverybody),
      method<get_trace>("GetTrace", "run", "trace cpus events drops marks", kEverybody),
      method<list_trace_samples>("ListTraceSamples", "run event cursor limit", "samples next",
                                 reads_raw_data("trace samples"), recorded("read")),
      method<list_trace_stacks>("ListTraceStacks", page, "stacks next", kEverybody),
      method<set_note>("SetNote", "run note", "", owns_run("write a note about"), recorded("note")),
      method<delete_run>("DeleteRun", "run", "", owns_run("delete"), recorded("delete")),

      // Files. The recording has kernel addresses: not even its owner may read it without read-raw-data
      method<open_document>("OpenDocument", "run name", "content", kReadsRawData, recorded("read")),
      method<open_bundle>("OpenBundle", "job options", "content", kReadsRawData, recorded("read"), kReport),
      method<open_trace_text>("OpenTraceText", "run", "content", reads_raw_data("the trace text"),
                              recorded("read"), kAlone),
      method<import_run>("ImportRun", "files names options", "run", may(Action::measure, "import a run"),
                         recorded("import"), kFiles),

      // Conclusions from several runs, or from many intervals. Those of GetJob, ListJobs, ListRuns and
      // ListIntervalPoints that cost little do not ask who calls
      method<methods::get_job>("GetJob", "id", "job spreads", kEverybody),
      method<methods::list_interval_points>("ListIntervalPoints", "run most", "points intervals", kEverybody),
      method<list_jobs>("ListJobs", "filter cursor limit", "jobs next", kIdentified, kUnrecorded, kFilter),
      method<methods::list_runs>("ListRuns", "filter cursor limit", "runs next", kEverybody, kUnrecorded,
                                 kFilter),
      method<compare>("Compare", "a b options", "comparison functions counters facts", kIdentified,
                      kUnrecorded, kSettings),
      method<compare_job>("CompareJob", "job options", "comparison functions counters facts", kIdentified,
                          kUnrecorded, kSettings),
      method<compare_sweep>("CompareSweep", "job options", "sweep figures trends", kIdentified, kUnrecorded,
                            kSettings),
      method<compare_samples>("CompareSamples", "a b options", "comparison frames", kIdentified, kUnrecorded,
                              kRunsOfTwoSides),
      method<plan_runs>("PlanRuns", "runs options", "plan", kIdentified, kUnrecorded, kFilter),

      // The machine. To probe it anew, measure is needed
      method<list_capabilities>("ListCapabilities", "fresh", "capabilities", kEverybody),
      method<list_modules>("ListModules", "pattern", "modules", kEverybody),
      method<list_functions>("ListFunctions", "filter cursor limit", "functions next total nearest",
                             kEverybody, kUnrecorded, kFilter),
      method<list_events>("ListEvents", "pattern", "events", kEverybody),
      method<list_allowed_events>("ListAllowedEvents", "pattern", "events", kEverybody),
      method<get_event>("GetEvent", "name", "event fields", kEverybody),
      method<list_tracers>("ListTracers", "", "tracers", kEverybody),

      // The store. Of the audit log, everybody may read his own entries
      method<list_audit_log>("ListAuditLog", "filter cursor limit", "entries next", kIdentified, kUnrecorded,
                             kFilter),
      method<list_old_jobs>("ListOldJobs", "rule cursor limit", "jobs next", kIdentified, kUnrecorded,
                            kFilter),
      method<check_store>("CheckStore", "", "store", members("check the store")),
      method<open_backup>("OpenBackup", "", "content",
                          may(Action::read_raw, "copy the store, with the raw data of all users"),
                          recorded("backup")),
      method<restore_store>("RestoreStore", "file", "restored",
                            may(Action::manage_store, "replace the store by a file"), recorded("restore"),
                            kFile),
  };
}

}  // namespace

const std::vector<Method>& method_table() {
  static const std::vector<Method> kTable = make_table();
  return kTable;
}

const Method* find_method(std::string_view interface, std::string_view member) {
  const auto& table = method_table();
  const auto found = std::ranges::find_if(table, [&](const Method& method) {
    return method.name == member && (interface.empty() || method.interface == interface);
  });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace netperfd::bus
