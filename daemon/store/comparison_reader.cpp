// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison reads a few figures of many runs. So its statements are prepared once for all runs, and the
// long parts of a run (histograms, slices, call trees, intervals, documents) are never read.
#include "daemon/store/comparison_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/side_noise.hpp"
#include "daemon/store/columns.hpp"
#include "daemon/store/compared_samples.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/fingerprint_reader.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

const DigestParts kThroughputParts{"sums", "environments", "traces", "trace_missing_functions",
                                   "function_profiles"};
const DigestParts kJudgedParts{"sums",
                               "streams",
                               "flags",
                               "traffic",
                               "imported_files",
                               "traces",
                               "trace_missing_functions",
                               "function_profiles",
                               "environments",
                               "fingerprints",
                               "facts",
                               "environment_unknown",
                               "counters",
                               "latency_probes",
                               "latency_phases"};

// cpu_samples is looked at where it is read.
DigestParts all_parts() {
  DigestParts parts = kJudgedParts;
  parts.emplace_back("functions");
  return parts;
}

const DigestParts& parts_of(core::ComparedParts wanted) {
  static const DigestParts all = all_parts();
  if (wanted == core::ComparedParts::throughput) return kThroughputParts;
  return wanted == core::ComparedParts::judged ? kJudgedParts : all;
}

// Takes the CPU times from the counters: those of source "cpu", "busy" of all CPUs and "cpuN busy" and "cpuN
// idle" of each.
void take_cpu_times(const std::vector<CounterDelta>& counters, analysis::ComparedRun& run) {
  struct Time {
    std::uint64_t busy = 0, idle = 0;
  };
  std::map<std::string_view, Time> cpus;
  for (const CounterDelta& counter : counters) {
    if (counter.source != "cpu") continue;
    const std::string_view name = counter.name;
    if (name == "busy") run.busy_ns = analysis::own_cpu_ns(counter.delta, counters);
    if (name.ends_with(" busy")) cpus[name.substr(0, name.find(' '))].busy = counter.delta;
    if (name.ends_with(" idle")) cpus[name.substr(0, name.find(' '))].idle = counter.delta;
  }
  for (const auto& [cpu, time] : cpus) {
    const double all = static_cast<double>(time.busy) + static_cast<double>(time.idle);
    if (all > 0)
      run.busiest_cpu = std::max(run.busiest_cpu.value_or(0), static_cast<double>(time.busy) / all);
  }
}

// The parts of a ComparedRun, each read by one statement.
class RunParts {
 public:
  static Result<RunParts> prepare(Connection& connection) {
    RunParts parts{connection};
    const std::string counters =
        fmt::format("SELECT {} FROM counters WHERE run = ? ORDER BY position", columns_of<CounterDelta>());
    const std::pair<Statement RunParts::*, std::string_view> statements[] = {
        {&RunParts::run_,
         "SELECT job, ifnull(block, 0), ifnull(letter, 0), ifnull(build, ''), started_us, ifnull(congestion, "
         "'') FROM runs WHERE id = ?"},
        // A server on another host does not use this host's CPUs.
        {&RunParts::processes_,
         "SELECT 1.0 * (r.client_user_us + r.client_system_us) / nullif(r.ended_us - r.started_us, 0), "
         "iif(j.local_server, r.cpu_server_percent / 100, NULL), "
         "(SELECT count(*) FROM streams WHERE run = r.id) "
         "FROM runs r JOIN jobs j ON j.id = r.job WHERE r.id = ?"},
        // If the receiver of a direction did not report, the sum is unknown.
        // Of a run with probes beside iperf3: the part of its time in which iperf3 ran.
        {&RunParts::load_,
         "SELECT sum(iif(l.phase IN ('omitted', 'load'), l.end_s - l.start_s, 0)) / nullif(sum(l.end_s - "
         "l.start_s), 0) FROM latency_phases l JOIN latency_probes p ON p.run = l.run AND p.name = l.probe "
         "WHERE l.run = ? AND p.position = 0"},
        {&RunParts::received_,
         "SELECT iif(count(*) = count(received_bits_per_second), sum(received_bits_per_second), NULL) "
         "FROM sums WHERE run = ?"},
        {&RunParts::traffic_, "SELECT goodput_bytes, packets FROM traffic WHERE run = ?"},
        {&RunParts::flags_, "SELECT code, message FROM flags WHERE run = ? ORDER BY position"},
        {&RunParts::files_,
         "SELECT sha256 FROM imported_files WHERE run = ? AND sha256 <> '' ORDER BY position"},
        {&RunParts::trace_, "SELECT functions, lost, broken FROM traces WHERE run = ? AND skipped = ''"},
        {&RunParts::missing_, "SELECT name FROM trace_missing_functions WHERE run = ? ORDER BY position"},
        {&RunParts::profile_,
         "SELECT unmatched_exits + unmatched_entries, depth_overruns, clipped, "
         // Self times are compared. If a trace has only totals, as with tracing_thresh, it has none.
         "timed AND NOT EXISTS (SELECT 1 FROM functions WHERE functions.run = function_profiles.run "
         "AND total_ns IS NOT NULL AND self_ns IS NULL), "
         "calibration_entry_ns, calibration_callee_ns, calibration_entry_error_ns, "
         "calibration_callee_error_ns, off_cpu_known, depth, tracer_share "
         "FROM function_profiles WHERE run = ?"},
        {&RunParts::functions_,
         // Without functions of which no call has a possible duration, unless no function has times.
         "SELECT name, module, duplicate, hits, self_ns, callees + interruptions FROM functions "
         "WHERE run = ? AND (self_ns IS NOT NULL OR total_ns IS NOT NULL OR NOT "
         "(SELECT timed FROM function_profiles WHERE function_profiles.run = functions.run)) "
         "ORDER BY position"},
        {&RunParts::environment_, "SELECT fingerprint, boot_id FROM environments WHERE run = ?"},
        {&RunParts::unknown_, "SELECT clause FROM environment_unknown WHERE run = ? ORDER BY position"},
        {&RunParts::counters_, counters}};
    for (const auto& [member, sql] : statements) {
      auto statement = connection.prepare(sql);
      if (!statement) return std::unexpected(std::move(statement.error()));
      parts.*member = std::move(*statement);
    }
    return parts;
  }

  // Loads the data for a verdict on the throughput: the figure, the place in the design, the boot, whether it
  // was traced.
  Status load_throughput(RunId id, analysis::ComparedRun& run) {
    run.id = id;
    bool known = false;
    auto done = for_each_row(run_.bind(id), [&](RowReader& row) {
      known = true;
      row.read(run.job, run.block, run.letter, run.build, run.started, run.congestion);
    });
    if (!done) return done;
    if (!known) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", id));
    done = for_each_row(received_.bind(id), [&](RowReader& row) { row.read(run.received_bits_per_second); });
    if (!done) return done;
    done = for_each_row(environment_.bind(id), [&](RowReader& row) {
      std::int64_t fingerprint = 0;
      row.read(fingerprint, run.fingerprint.emplace().boot_id);
    });
    if (!done) return done;
    return for_each_row(trace_.bind(id), [&](RowReader& row) {
      auto& trace = run.trace.emplace();
      row.read(trace.traced_functions, trace.lost, trace.broken);
    });
  }

  Status load_rest(RunId id, bool functions, analysis::ComparedRun& run) {
    auto done =
        for_each_row(traffic_.bind(id), [&](RowReader& row) { row.read(run.goodput_bytes, run.packets); });
    if (!done) return done;
    done = load_processes(id, run);
    if (!done) return done;
    done = load_flags(id, run);
    if (!done) return done;
    done = for_each_row(files_.bind(id), [&](RowReader& row) { row.read(run.files.emplace_back()); });
    if (!done) return done;
    if (run.trace) done = load_trace(id, functions, *run.trace);
    if (done) done = load_fingerprint(id, run);
    if (done) done = load_counters(id, run);
    if (done) done = load_phases(id, run);
    return done;
  }

 private:
  explicit RunParts(Connection& connection) : connection_(&connection) {}

  Status load_processes(RunId id, analysis::ComparedRun& run) {
    return for_each_row(processes_.bind(id), [&](RowReader& row) {
      std::optional<double> client, server;
      std::uint32_t streams = 0;
      row.read(client, server, streams);
      if (!client && !server) return;
      // Each stream may have a thread of its own, so the sum says nothing about a single CPU.
      run.busiest_process = std::max(client.value_or(0), server.value_or(0)) / std::max(streams, 1U);
    });
  }

  // Whether a CPU was the limit is a question about the load, not about the idle seconds before and after it.
  Status load_phases(RunId id, analysis::ComparedRun& run) {
    return for_each_row(load_.bind(id), [&](RowReader& row) {
      std::optional<double> share;
      row.read(share);
      if (!share || *share <= 0) return;
      for (std::optional<double>* busy : {&run.busiest_cpu, &run.busiest_process}) {
        if (*busy) *busy = std::min(1.0, **busy / *share);
      }
    });
  }

  Status load_flags(RunId id, analysis::ComparedRun& run) {
    return for_each_row(flags_.bind(id), [&](RowReader& row) {
      QualityFlag flag;
      row.read(flag.code, flag.message);
      if (flag.code == kFromBundle) {
        run.origin = std::move(flag.message);
      } else if (flag.code == kFunctionsLeftOut && run.trace) {
        run.trace->left_out = std::move(flag.message);
      } else {
        run.flags.push_back(std::move(flag.code));
      }
    });
  }

  Status load_trace(RunId id, bool functions, analysis::ComparedTrace& trace) {
    auto done = for_each_row(missing_.bind(id),
                             [&](RowReader& row) { row.read(trace.missing_functions.emplace_back()); });
    if (!done) return done;
    done = for_each_row(profile_.bind(id), [&](RowReader& row) {
      std::optional<double> entry_ns, callee_ns;
      analysis::TracerCost cost;
      row.read(trace.unmatched_calls, trace.depth_overruns, trace.clipped, trace.timed, entry_ns, callee_ns,
               cost.entry_error_ns, cost.callee_error_ns, trace.off_cpu_known, trace.depth,
               trace.tracer_share);
      if (!entry_ns || !callee_ns) return;
      cost.entry_ns = *entry_ns;
      cost.callee_ns = *callee_ns;
      trace.cost = cost;
    });
    if (!done || !functions) return done;
    done = for_each_row(functions_.bind(id), [&](RowReader& row) {
      analysis::ComparedFunction& function = trace.functions.emplace_back();
      row.read(function.name, function.module, function.duplicate, function.hits, function.self_ns,
               function.traced_within);
      trace.calls += function.hits;
    });
    functions_read_ += trace.functions.size();
    if (done && functions_read_ > kMostFunctions) {
      return fail(
          ErrorKind::invalid_argument,
          fmt::format("the runs to compare have more than {} functions together; select fewer of them",
                      kMostFunctions));
    }
    return done;
  }

  // Runs in the same environment share their facts.
  Result<const std::vector<Fact>*> facts_of(std::int64_t fingerprint) {
    const auto known = facts_.find(fingerprint);
    if (known != facts_.end()) return &known->second;
    auto facts = read_facts(*connection_, fingerprint);
    if (!facts) return std::unexpected(std::move(facts.error()));
    return &facts_.emplace(fingerprint, std::move(*facts)).first->second;
  }

  Status load_fingerprint(RunId id, analysis::ComparedRun& run) {
    std::int64_t fingerprint = 0;
    auto done = for_each_row(environment_.bind(id), [&](RowReader& row) {
      row.read(fingerprint, run.fingerprint.emplace().boot_id);
    });
    if (!done || !run.fingerprint) return done;
    const auto facts = facts_of(fingerprint);
    if (!facts) return std::unexpected(facts.error());
    run.fingerprint->facts = **facts;
    return for_each_row(unknown_.bind(id),
                        [&](RowReader& row) { row.read(run.fingerprint->unknown.emplace_back()); });
  }

  Status load_counters(RunId id, analysis::ComparedRun& run) {
    auto done = for_each_row(counters_.bind(id),
                             [&](RowReader& row) { row.read(members_of(run.counters.emplace_back())); });
    if (done) take_cpu_times(run.counters, run);
    return done;
  }

  // About 200 MB: imported traces may have any number of functions.
  static constexpr std::size_t kMostFunctions = 2'000'000;

  Connection* connection_;
  std::size_t functions_read_ = 0;
  std::map<std::int64_t, std::vector<Fact>> facts_;  // by fingerprint
  Statement run_, processes_, load_, received_, traffic_, flags_, files_, trace_, missing_, profile_,
      functions_, environment_, unknown_, counters_;
};

}  // namespace

Result<std::vector<analysis::ComparedRun>> ComparisonReader::compared_runs(const std::vector<RunId>& runs,
                                                                           core::ComparedParts wanted) {
  auto parts = RunParts::prepare(connection_);
  if (!parts) return std::unexpected(std::move(parts.error()));
  std::vector<analysis::ComparedRun> compared(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool more = wanted != core::ComparedParts::throughput;
    auto done = parts->load_throughput(runs[i], compared[i]);
    if (done && more) done = parts->load_rest(runs[i], wanted == core::ComparedParts::all, compared[i]);
    if (done) done = expect_intact(connection_, of_run(runs[i]), parts_of(wanted));
    if (done && more) done = expect_intact(connection_, of_job(compared[i].job), {"jobs"});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (wanted == core::ComparedParts::all) {
    if (auto done = add_samples(connection_, compared); !done)
      return std::unexpected(std::move(done.error()));
  }
  return compared;
}

}  // namespace netperfd::store
