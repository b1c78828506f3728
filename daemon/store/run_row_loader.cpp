// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/run_row_loader.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "daemon/store/columns.hpp"
#include "daemon/store/design_columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/fingerprint_reader.hpp"
#include "daemon/store/named_figures.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/told_traffic.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd::store {
namespace {

const DigestParts kPartsOfRow{
    "sums",           "flags",         "documents", "imported_files",    "latency_probes",
    "latency_phases", "latency_spans", "traces",    "function_profiles", "run_figures"};

constexpr const char* kSelectRun =
    "SELECT j.name, j.description, j.label, j.repeat, j.workload, j.protocol, j.direction, j.streams, "
    "j.duration_ms, "
    "j.bytes, "
    "j.omit_ms, j.server, j.local_server, j.client_netns, j.server_netns, j.owner_uid, j.created_us, "
    "j.purpose, j.seed, j.variant_a, j.variant_b, j.plain, j.changed, "
    "r.id, r.job, r.idx, r.block, r.letter, r.variant, ifnull(r.build, ''), r.traced, r.point, "
    "ifnull(r.point_name, ''), r.state, r.error, "
    "r.started_us, r.ended_us, "
    "r.iperf3_version, r.client_host, "
    "r.client_port, "
    "r.server_host, r.server_port, r.mss, r.congestion, r.cpu_client_percent, r.cpu_server_percent, "
    "r.client_user_us, "
    "r.client_system_us, r.note, t.run IS NOT NULL, t.events, t.lost, t.skipped, t.broken, "
    "p.tracer_share, j.confirms, "
    // A key of the job's text stands at the beginning of a line there, and a pilot or a self-test has a fixed
    // number of blocks.
    "j.purpose = 'measurement' AND instr(char(10) || j.text, char(10) || 'until:') > 0 FROM runs r JOIN jobs "
    "j ON j.id = r.job LEFT JOIN traces t ON t.run = r.id "
    "LEFT JOIN function_profiles p ON p.run = r.id WHERE r.id = ? AND "
    "r.removing = 0";

std::optional<Endpoint> endpoint(std::optional<std::string> host, std::uint16_t port) {
  if (!host) return std::nullopt;
  return Endpoint{std::move(*host), port};
}

Result<core::RunRow> read_run(Statement& select) {
  core::RunRow row;
  auto& spec = row.spec;
  auto& test = spec.test;
  std::string workload;
  std::string protocol;
  std::string direction;
  std::string state;
  bool local = false;
  std::string server_netns;
  std::optional<std::string> client_host;
  std::optional<std::string> server_host;
  std::uint16_t client_port = 0;
  std::uint16_t server_port = 0;
  std::optional<std::chrono::microseconds> user;
  std::optional<std::chrono::microseconds> system;
  bool has_trace = false;
  core::TraceTotals trace;
  std::string purpose;
  DesignColumns design;
  std::string variant;
  const auto read = select.read(
      spec.name, spec.description, spec.label, spec.repeat, workload, protocol, direction,
      test.traffic.streams, test.traffic.duration, test.traffic.bytes, test.traffic.omit, test.path.server,
      local, test.path.netns, server_netns, row.owner, row.created, purpose, design.seed, design.variant_a,
      design.variant_b, design.plain, design.changed, row.id, row.job, row.index, row.slot.block,
      row.slot.letter, variant, row.build, row.slot.traced, row.slot.point, row.point_name, state, row.error,
      row.started, row.ended, row.iperf3_version, client_host, client_port, server_host, server_port,
      row.mss_bytes, row.congestion, row.cpu_client_percent, row.cpu_server_percent, user, system, row.note,
      has_trace, trace.events, trace.lost, trace.skipped, trace.broken, trace.tracer_share, spec.confirms,
      spec.until_decided);
  if (!read) return std::unexpected(read.error());
  // The tables' CHECK constraints allow only the names of these enums, but for the workload's.
  spec.purpose = parse_job_purpose(purpose).value_or(JobPurpose::measurement);
  spec.design = design_of(design);
  if (!variant.empty()) {
    row.slot.variant = variant.front();
    row.variant = (row.slot.variant == 'A' ? design.variant_a : design.variant_b).value_or("");
  }
  spec.workload = workload::traits_of(workload);
  test.traffic.protocol = parse_protocol(protocol).value_or(Protocol::tcp);
  test.traffic.direction = parse_direction(direction).value_or(Direction::send);
  row.state = parse_run_state(state).value_or(RunState::failed);
  if (local) test.path.local = LocalServer{.netns = std::move(server_netns), .bind = test.path.server};
  if (!has_traffic(spec) && spec.workload.measures_path) {
    test.traffic.streams = 1;  // this, bytes and omit are NULL
    test.traffic.bytes.reset();
    test.traffic.omit = {};
  } else if (!has_traffic(spec)) {
    test = {};  // its columns are NULL
  }
  row.client = endpoint(std::move(client_host), client_port);
  row.server = endpoint(std::move(server_host), server_port);
  if (user && system) row.client_usage = ResourceUsage{.user = *user, .system = *system};
  if (has_trace) row.trace = std::move(trace);
  return row;
}

// A side that sets keys of its workload declares them to be the change.
bool tells_sides_apart(const core::RunRow& row) {
  if (row.slot.variant == '\0' || !has_traffic(row.spec) || !row.spec.design) return false;
  return is_declared(row.spec.design->changed, row.spec.workload.name);
}

}  // namespace

Result<std::vector<Totals>> read_totals(Statement& select) {
  std::vector<Totals> rows;
  for (;;) {
    auto more = select.step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    auto& totals = rows.emplace_back();
    if (auto read = select.read(members_of(totals)); !read) return std::unexpected(read.error());
  }
  select.rewind();
  return rows;
}

// Whatever of it is shown.
Status RunRowLoader::expect_intact_row(RunId run) {
  auto intact = expect_intact(*connection_, of_run(run), kPartsOfRow);
  if (!intact) return intact;
  JobId job = 0;
  const auto found = for_each_row(job_.bind(run), [&job](RowReader& row) { row.read(job); });
  if (!found || job == 0 || job == intact_job_) return found;
  intact = expect_intact(*connection_, of_job(job), {"jobs", "job_figures"});
  if (intact) intact_job_ = job;
  return intact;
}

Result<RunRowLoader> RunRowLoader::prepare(Connection& connection) {
  RunRowLoader loader;
  loader.connection_ = &connection;
  const std::pair<Statement RunRowLoader::*, std::string> statements[] = {
      {&RunRowLoader::run_, kSelectRun},
      {&RunRowLoader::job_, "SELECT job FROM runs WHERE id = ?"},
      {&RunRowLoader::sums_,
       fmt::format("SELECT direction, NULL, {} FROM sums WHERE run = ? ORDER BY position",
                   columns_of<Totals, 2>())},
      {&RunRowLoader::flags_, "SELECT code, message FROM flags WHERE run = ? ORDER BY position"},
      {&RunRowLoader::documents_, "SELECT name FROM documents WHERE run = ? ORDER BY id"},
      // "load" comes after "idle".
      {&RunRowLoader::latency_,
       "SELECT p.phase, s.p50_ns, s.p99_ns, 100.0 * p.lost / nullif(p.sent, 0) FROM latency_phases p "
       "LEFT JOIN latency_spans s ON s.run = p.run AND s.probe = p.probe AND s.phase = p.phase "
       "AND s.span = 'round-trip' WHERE p.run = ?1 AND p.phase IN ('idle', 'load') AND p.probe = "
       "(SELECT name FROM latency_probes WHERE run = ?1 ORDER BY position LIMIT 1) "
       "ORDER BY p.phase DESC LIMIT 1"},
      {&RunRowLoader::figure_,
       fmt::format(
           "SELECT {} FROM job_figures AS j JOIN run_figures AS f ON f.run = ?1 AND f.name = j.figure "
           "WHERE j.job = (SELECT job FROM runs WHERE id = ?1) ORDER BY j.position LIMIT 1",
           kNamedFigureColumns)},
      {&RunRowLoader::files_, fmt::format("SELECT {} FROM imported_files WHERE run = ? ORDER BY position",
                                          columns_of<SourceFile>())}};
  for (const auto& [member, sql] : statements) {
    auto statement = connection.prepare(sql);
    if (!statement) return std::unexpected(statement.error());
    loader.*member = std::move(*statement);
  }
  return loader;
}

Result<std::optional<core::RunRow>> RunRowLoader::load(RunId run) {
  auto found = run_.bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (auto intact = expect_intact_row(run); !intact) return std::unexpected(intact.error());
  if (!*found) return std::nullopt;
  auto loaded = read_run(run_);  // rewound at the end: until then, all statements share its read transaction
  if (!loaded) return std::unexpected(loaded.error());
  core::RunRow row = std::move(*loaded);
  if (tells_sides_apart(row)) {
    const auto told = read_fingerprint(*connection_, run);
    // A run that ended before they were taken has none.
    if (!told && told.error().kind != ErrorKind::not_found) return std::unexpected(told.error());
    if (told) row.spec.test.traffic = told_traffic(row.spec.test.traffic, told->facts);
  }
  auto sums = read_totals(sums_.bind(run));
  if (!sums) return std::unexpected(sums.error());
  row.sums = std::move(*sums);

  auto read = for_each_row(flags_.bind(run), [&](RowReader& flag) {
    auto& [code, message] = row.flags.emplace_back();
    flag.read(code, message);
  });
  if (read) {
    read = for_each_row(documents_.bind(run),
                        [&](RowReader& document) { document.read(row.documents.emplace_back()); });
  }
  if (read) {
    read = for_each_row(files_.bind(run),
                        [&](RowReader& file) { file.read(members_of(row.files.emplace_back())); });
  }
  if (read) {
    read = for_each_row(latency_.bind(run), [&](RowReader& latency) {
      auto& of = row.latency.emplace();
      latency.read(of.phase, of.p50_ns, of.p99_ns, of.lost_percent);
    });
  }
  if (read) {
    read =
        for_each_row(figure_.bind(run), [&](RowReader& figure) { row.figure = read_named_figure(figure); });
  }
  if (!read) return std::unexpected(read.error());
  run_.rewind();
  return row;
}

}  // namespace netperfd::store
