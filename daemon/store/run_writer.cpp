// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/run_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "daemon/store/audit_log.hpp"
#include "daemon/store/compression.hpp"
#include "daemon/store/counter_writer.hpp"
#include "daemon/store/design_columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/early_intervals.hpp"
#include "daemon/store/figure_table.hpp"
#include "daemon/store/fingerprint_writer.hpp"
#include "daemon/store/latency_store.hpp"
#include "daemon/store/named_figures.hpp"
#include "daemon/store/report_writer.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/sample_store.hpp"
#include "daemon/store/trace_writer.hpp"

namespace netperfd::store {
namespace {

// What a document that is read again may change.
const DigestParts kReadAgain{"runs",    "sums",         "streams",      "intervals", "flags",
                             "traffic", "environments", "fingerprints", "facts",     "environment_unknown"};

}  // namespace

Result<core::NewJob> RunWriter::add_job(const JobSpec& spec, const std::vector<Slot>& slots, uid_t owner,
                                        WallTime now) {
  // A job without runs could never be deleted, because a job is deleted with its last run.
  if (slots.empty()) return fail(ErrorKind::invalid_argument, "a job has at least one run");
  if (spec.design && !spec.design->seed) {
    return fail(ErrorKind::internal, "a design without the seed that its order was drawn from");
  }
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());

  const auto growth = Growth::begin(connection_);
  if (!growth) return std::unexpected(growth.error());
  if (auto done = insert_job(spec, owner, now); !done) return std::unexpected(done.error());
  core::NewJob job{.id = connection_.last_insert_id(), .runs = {}};
  auto runs = insert_runs(job.id, spec, slots);
  if (!runs) return std::unexpected(std::move(runs.error()));
  job.runs = std::move(*runs);
  if (auto done = insert_figures(connection_, job.id, spec.figures); !done)
    return std::unexpected(std::move(done.error()));
  for (const RunId run : job.runs) {
    if (auto done = write_digests(connection_, of_run(run), {"runs"}); !done)
      return std::unexpected(std::move(done.error()));
  }
  if (auto done = write_digests(connection_, of_job(job.id)); !done)
    return std::unexpected(std::move(done.error()));
  if (auto counted = count_growth("jobs", job.id, *growth); !counted) return std::unexpected(counted.error());
  if (auto done = write_digests(connection_, of_job(job.id), {"jobs"}); !done)
    return std::unexpected(std::move(done.error()));
  if (auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return job;
}

Result<std::vector<RunId>> RunWriter::insert_runs(JobId job, const JobSpec& spec,
                                                  const std::vector<Slot>& slots) {
  auto insert = connection_.prepare(
      insert_into("runs", "job, idx, state, block, letter, variant, build, traced, point, point_name"));
  if (!insert) return std::unexpected(insert.error());
  std::vector<RunId> runs;
  runs.reserve(slots.size());
  for (const Slot& slot : slots) {
    std::optional<std::uint32_t> block, letter, point;
    std::optional<std::string_view> variant;
    std::optional<std::string> build, point_name;
    if (slot.block != 0) {
      block = slot.block;
      letter = slot.letter;
    }
    if (slot.variant != '\0') variant = std::string_view{&slot.variant, 1};
    if (slot.build != 0) build = spec.design->build_name(slot.variant, slot.build);
    if (slot.point != 0) {
      point = slot.point;
      point_name = spec.design->point_name(slot.point);
    }
    auto done = insert
                    ->bind(job, runs.size() + 1, to_string(RunState::pending), block, letter, variant, build,
                           slot.traced, point, point_name)
                    .run();
    if (!done) return std::unexpected(std::move(done.error()));
    runs.push_back(connection_.last_insert_id());
  }
  return runs;
}

Status RunWriter::insert_job(const JobSpec& spec, uid_t owner, WallTime now) {
  std::string columns =
      "created_us, owner_uid, tied, name, description, label, repeat, workload, text, purpose, seed, "
      "variant_a, "
      "variant_b, plain, changed, confirms";
  const bool traffic = has_traffic(spec);
  if (spec.workload.measures_path || traffic)
    columns += ", duration_ms, server, local_server, client_netns, server_netns";
  if (traffic) columns += ", protocol, direction, streams, bytes, omit_ms";
  auto insert = connection_.prepare(insert_into("jobs", columns));
  if (!insert) return std::unexpected(insert.error());
  const auto purpose = to_string(spec.purpose);
  const DesignColumns design = columns_of(spec.design);
  const auto common = std::tie(now, owner, spec.tied, spec.name, spec.description, spec.label, spec.repeat,
                               spec.workload.name, spec.text, purpose, design.seed, design.variant_a,
                               design.variant_b, design.plain, design.changed, spec.confirms);
  if (!traffic && !spec.workload.measures_path) return insert->bind(common).run();
  const TestSpec& of = spec.test;
  const auto duration = traffic ? of.traffic.duration : planned_duration(spec);
  const bool is_local = of.path.local.has_value();
  const std::string server_netns = of.path.local ? of.path.local->netns : "";
  const auto place = std::tie(duration, of.path.server, is_local, of.path.netns, server_netns);
  if (!traffic) return insert->bind(common, place).run();
  return insert
      ->bind(common, place, to_string(of.traffic.protocol), to_string(of.traffic.direction),
             of.traffic.streams, of.traffic.bytes, of.traffic.omit)
      .run();
}

// ---- Bundles

Result<std::vector<core::NewJob>> RunWriter::add_bundle(const StoredTables& content,
                                                        const BundleOwner& owner) {
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  const auto growth = Growth::begin(connection_);
  if (!growth) return std::unexpected(growth.error());
  auto jobs = write_tables(connection_, content, owner);
  if (!jobs) return jobs;
  // The digests take space too, and those of the own rows cover what all takes.
  auto digested = digest_bundle(*jobs, {});
  if (digested) digested = share_growth(*jobs, *growth);
  if (digested) digested = digest_bundle(*jobs, {"jobs", "runs"});
  if (!digested) return std::unexpected(std::move(digested.error()));
  if (auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return jobs;
}

Status RunWriter::digest_bundle(const std::vector<core::NewJob>& jobs, const DigestParts& parts) {
  for (const core::NewJob& job : jobs) {
    if (auto done = write_digests(connection_, of_job(job.id), parts); !done) return done;
    for (const RunId run : job.runs) {
      if (auto done = write_digests(connection_, of_run(run), parts); !done) return done;
    }
  }
  return {};
}

// The tables were filled one by one, so what each run takes is not known.
Status RunWriter::share_growth(const std::vector<core::NewJob>& jobs, const Growth& growth) {
  const auto bytes = growth.bytes();
  if (!bytes) return std::unexpected(bytes.error());
  std::uint64_t runs = 0;
  for (const core::NewJob& job : jobs) runs += job.runs.size();
  auto done = connection_.execute(
      fmt::format("UPDATE jobs SET stored_bytes = {} WHERE id = {}", *bytes % runs, jobs.front().id));
  for (const core::NewJob& job : jobs) {
    if (!done) break;
    done = connection_.execute(
        fmt::format("UPDATE runs SET stored_bytes = {} WHERE job = {}", *bytes / runs, job.id));
  }
  return done;
}

// ---- States

Result<RunState> RunWriter::state_of(RunId run) {
  auto select = connection_.prepare("SELECT state FROM runs WHERE id = ?");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  std::string name;
  if (auto read = select->read(name); !read) return std::unexpected(read.error());
  const auto state = parse_run_state(name);
  if (!state) return fail(ErrorKind::internal, fmt::format("run {}: its state \"{}\" is none", run, name));
  return *state;
}

Status RunWriter::expect_transition(RunId run, RunState to) {
  const auto from = state_of(run);
  if (!from) return std::unexpected(from.error());
  if (may_follow(*from, to)) return {};
  return fail(ErrorKind::internal,
              fmt::format("run {}: it is {} and cannot become {}", run, to_string(*from), to_string(to)));
}

Status RunWriter::set_state(RunId run, RunState state) {
  if (has_ended(state)) {
    return fail(ErrorKind::internal,
                fmt::format("run {}: it becomes {} only with its record", run, to_string(state)));
  }
  auto transaction = Transaction::begin(connection_, Durability::normal);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto allowed = expect_transition(run, state); !allowed) return allowed;
  const auto updated = update_runs(connection_, "state = ?1", fmt::format("id = {}", run), to_string(state));
  if (!updated) return std::unexpected(updated.error());
  return transaction->commit();
}

Status RunWriter::cancel_pending(JobId job, const std::string& error) {
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  const auto updated = update_runs(connection_, "state = 'canceled', error = ?1",
                                   fmt::format("job = {} AND state = 'pending'", job), error);
  if (!updated) return std::unexpected(updated.error());
  return transaction->commit();
}

Result<std::int64_t> RunWriter::interrupt_begun_runs() {
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  const std::string begun = "state IN ('preparing', 'running', 'collecting')";
  if (auto done = remove_early_intervals(connection_, begun); !done) return std::unexpected(done.error());
  auto count = update_runs(connection_, "state = 'interrupted', stored_bytes = 0, error = ?1 || state || '.'",
                           begun, "netperfd ended while this run was ");
  if (!count) return count;
  if (auto done = transaction->commit(); !done) return std::unexpected(done.error());
  return count;
}

// ---- The record

Status RunWriter::finish(const RunRecord& record) {
  if (!has_ended(record.state)) {
    return fail(ErrorKind::internal,
                fmt::format("run {}: a record of a run that is {}", record.id, to_string(record.state)));
  }
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  // An ended run may not end again, so this also refuses a second record.
  if (auto allowed = expect_transition(record.id, record.state); !allowed) return allowed;
  const auto stored = count_early_intervals(connection_, record.id);
  if (!stored) return std::unexpected(stored.error());
  const DigestParts begun = *stored > 0 ? DigestParts{"intervals"} : DigestParts{};
  const auto intact = intact_parts(connection_, of_run(record.id), begun);
  if (!intact) return std::unexpected(intact.error());
  const auto early = take_early_intervals(connection_, record, *stored);
  if (!early) return std::unexpected(early.error());
  const auto growth = Growth::begin(connection_);
  if (!growth) return std::unexpected(growth.error());
  if (auto done = write_record(record, *early); !done) return done;
  if (auto done = write_digests(connection_, of_run(record.id), *intact); !done) return done;
  const Positions late{.first = static_cast<std::int64_t>(*early)};
  if (*stored > 0) {
    if (auto done = write_digests(connection_, of_run(record.id), begun, late); !done) return done;
  }
  if (auto counted = count_growth("runs", record.id, *growth); !counted) return counted;
  if (std::ranges::find(*intact, "runs") != intact->end()) {
    if (auto done = write_digests(connection_, of_run(record.id), {"runs"}); !done) return done;
  }
  return transaction->commit();
}

Status RunWriter::replace_reading(RunId run, const core::RunReading& reading, const core::AuditEntry& entry) {
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  const auto job = connection_.value<JobId>(fmt::format("SELECT job FROM runs WHERE id = {}", run));
  if (!job) return std::unexpected(job.error());
  auto intact = expect_intact(connection_, of_run(run), kReadAgain);
  if (intact && reading.test) intact = expect_intact(connection_, of_job(*job), {"jobs"});
  if (!intact) return intact;
  const auto growth = Growth::begin(connection_);
  if (!growth) return std::unexpected(growth.error());
  auto done = store::replace_reading(connection_, run, reading);
  if (done) done = write_digests(connection_, of_run(run), kReadAgain);
  if (!done) return done;
  const auto bytes = growth->bytes();
  if (!bytes) return std::unexpected(bytes.error());
  done = connection_.execute(
      fmt::format("UPDATE runs SET stored_bytes = stored_bytes + {} WHERE id = {}", *bytes, run));
  if (done) done = write_digests(connection_, of_run(run), {"runs"});
  if (done && reading.test) done = write_digests(connection_, of_job(*job), {"jobs"});
  if (done) done = insert_entry(connection_, entry);
  if (!done) return done;
  return transaction->commit();
}

// The triggers of the table add it to the owner's sum.
Status RunWriter::count_growth(std::string_view table, std::int64_t row, const Growth& growth) {
  const auto bytes = growth.bytes();
  if (!bytes) return std::unexpected(bytes.error());
  return connection_.execute(
      fmt::format("UPDATE {} SET stored_bytes = stored_bytes + {} WHERE id = {}", table, *bytes, row));
}

Status RunWriter::write_record(const RunRecord& record, std::size_t early) {
  const auto& workload = record.workload;
  if (auto done = update_run(record); !done) return done;
  if (auto done = write_report(connection_, record.id, workload.report, record.flags, early); !done)
    return done;
  if (workload.latency) {
    if (auto done = write_latency(connection_, record.id, *workload.latency); !done) return done;
  }
  if (auto done = write_named_figures(connection_, record.id, record.figures); !done) return done;
  if (auto done = insert_documents(record); !done) return done;
  if (auto done = write_all(connection_, "imported_files", record.id, record.files); !done) return done;
  if (auto done = insert_traffic(record.id, record.traffic); !done) return done;
  if (record.trace) {
    if (auto done = write_trace(connection_, record.id, *record.trace); !done) return done;
  }
  if (record.fingerprint) {
    if (auto done = write_fingerprint(connection_, record.id, *record.fingerprint); !done) return done;
  }
  if (record.counters) {
    if (auto done = write_counters(connection_, record.id, *record.counters); !done) return done;
  }
  if (record.samples) {
    if (auto done = write_samples(connection_, record.id, *record.samples); !done) return done;
  }
  return {};
}

Status RunWriter::update_run(const RunRecord& record) {
  auto update = connection_.prepare(
      "UPDATE runs SET state = ?, error = ?, started_us = ?, ended_us = ?, client_user_us = ?, "
      "client_system_us = ? WHERE id = ?");
  if (!update) return std::unexpected(update.error());
  std::optional<std::chrono::microseconds> user;
  std::optional<std::chrono::microseconds> system;
  if (const auto& usage = record.workload.client_usage) {
    user = usage->user;
    system = usage->system;
  }
  return update
      ->bind(to_string(record.state), record.error, record.started, record.ended, user, system, record.id)
      .run();
}

Status RunWriter::insert_documents(const RunRecord& record) {
  auto insert = connection_.prepare(insert_into("documents", "run, name, size, content"));
  if (!insert) return std::unexpected(insert.error());
  const auto add = [&](std::string_view name, std::string_view bytes, int level) -> Status {
    const auto frame = compress(bytes, level);
    if (!frame) return std::unexpected(frame.error());
    return insert->bind(record.id, name, bytes.size(), Blob{*frame}).run();
  };
  for (const auto& document : record.workload.documents) {
    if (auto done = add(document.name, document.bytes, kTextLevel); !done) return done;
  }
  if (!record.trace || record.trace->recording.empty()) return {};
  return add("trace.dat", record.trace->recording, kRecordingLevel);
}

Status RunWriter::insert_traffic(RunId run, const TrafficCount& traffic) {
  if (!traffic.goodput_bytes && !traffic.packets) return {};
  if (!traffic.packets) {
    auto insert = connection_.prepare(insert_into("traffic", "run, goodput_bytes"));
    if (!insert) return std::unexpected(insert.error());
    return insert->bind(run, traffic.goodput_bytes).run();
  }
  auto insert = connection_.prepare(
      insert_into("traffic", "run, goodput_bytes, packets, packet_bytes, direction, device, netns"));
  if (!insert) return std::unexpected(insert.error());
  const PacketCount& counted = *traffic.packets;
  return insert
      ->bind(run, traffic.goodput_bytes, counted.packets, counted.bytes, counted.sent ? "tx" : "rx",
             counted.device, counted.netns)
      .run();
}

// ---- Words about what was measured

Status RunWriter::set_label(JobId job, const std::string& label) {
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  const auto open = connection_.value<std::int64_t>(
      fmt::format("SELECT count(*) FROM runs WHERE job = {} AND state IN ('pending', 'preparing', 'running', "
                  "'collecting')",
                  job));
  if (!open) return std::unexpected(open.error());
  if (*open > 0) return fail(ErrorKind::busy, fmt::format("job {}: it has not ended", job));
  if (auto intact = expect_intact(connection_, of_job(job), {"jobs"}); !intact) return intact;
  auto update = connection_.prepare("UPDATE jobs SET label = ? WHERE id = ?");
  if (!update) return std::unexpected(update.error());
  if (auto done = update->bind(label, job).run(); !done) return done;
  if (connection_.changes() == 0) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", job));
  if (auto done = write_digests(connection_, of_job(job), {"jobs"}); !done) return done;
  return transaction->commit();
}

Status RunWriter::set_note(RunId run, const std::string& note) {
  auto transaction = Transaction::begin(connection_, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto intact = expect_intact(connection_, of_run(run), {"runs"}); !intact) return intact;
  const auto updated =
      update_runs(connection_, "note = ?1", fmt::format("id = {} AND removing = 0", run), note);
  if (!updated) return std::unexpected(updated.error());
  if (*updated == 0) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  return transaction->commit();
}

}  // namespace netperfd::store
