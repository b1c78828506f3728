// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/run_row_loader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
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

// What a row is made of. The rest of it has other tables.
struct RunColumns {
  core::RunRow row;
  DesignColumns design;
  std::string workload, server_netns, variant;
  std::optional<std::string> client_host, server_host;
  std::uint16_t client_port = 0, server_port = 0;
  std::optional<std::chrono::microseconds> user, system;
  bool local = false, has_trace = false;
  core::TraceTotals trace;
};

template <class Member>
struct RunColumn {
  std::string_view sql;
  Member& member;
};
template <class Member>
RunColumn(std::string_view, Member&) -> RunColumn<Member>;

// Calls `use` with each column and the member that it is read into.
template <class Use>
auto with_columns(RunColumns& of, Use use) {
  core::RunRow& row = of.row;
  JobSpec& job = row.spec;
  Path& path = job.test.path;
  Traffic& traffic = job.test.traffic;
  return use(RunColumn{"j.name", job.name}, RunColumn{"j.description", job.description},
             RunColumn{"j.label", job.label}, RunColumn{"j.repeat", job.repeat},
             RunColumn{"j.workload", of.workload}, RunColumn{"j.protocol", traffic.protocol},
             RunColumn{"j.direction", traffic.direction}, RunColumn{"j.streams", traffic.streams},
             RunColumn{"j.duration_ms", traffic.duration}, RunColumn{"j.bytes", traffic.bytes},
             RunColumn{"j.omit_ms", traffic.omit}, RunColumn{"j.server", path.server},
             RunColumn{"j.local_server", of.local}, RunColumn{"j.client_netns", path.netns},
             RunColumn{"j.server_netns", of.server_netns}, RunColumn{"j.owner_uid", row.owner},
             RunColumn{"j.created_us", row.created}, RunColumn{"j.purpose", job.purpose},
             RunColumn{"j.seed", of.design.seed}, RunColumn{"j.variant_a", of.design.variant_a},
             RunColumn{"j.variant_b", of.design.variant_b}, RunColumn{"j.plain", of.design.plain},
             RunColumn{"j.changed", of.design.changed}, RunColumn{"j.confirms", job.confirms},
             // A key of the job's text stands at the beginning of a line there, and a pilot or a self-test
             // has a fixed number of blocks.
             RunColumn{"j.purpose = 'measurement' AND instr(char(10) || j.text, char(10) || 'until:') > 0",
                       job.until_decided},
             RunColumn{"r.id", row.id}, RunColumn{"r.job", row.job}, RunColumn{"r.idx", row.index},
             RunColumn{"r.block", row.slot.block}, RunColumn{"r.letter", row.slot.letter},
             RunColumn{"r.variant", of.variant}, RunColumn{"r.build", row.build},
             RunColumn{"r.traced", row.slot.traced}, RunColumn{"r.point", row.slot.point},
             RunColumn{"r.point_name", row.point_name}, RunColumn{"r.state", row.state},
             RunColumn{"r.error", row.error}, RunColumn{"r.started_us", row.started},
             RunColumn{"r.ended_us", row.ended}, RunColumn{"r.iperf3_version", row.iperf3_version},
             RunColumn{"r.client_host", of.client_host}, RunColumn{"r.client_port", of.client_port},
             RunColumn{"r.server_host", of.server_host}, RunColumn{"r.server_port", of.server_port},
             RunColumn{"r.mss", row.mss_bytes}, RunColumn{"r.congestion", row.congestion},
             RunColumn{"r.cpu_client_percent", row.cpu_client_percent},
             RunColumn{"r.cpu_server_percent", row.cpu_server_percent},
             RunColumn{"r.client_user_us", of.user}, RunColumn{"r.client_system_us", of.system},
             RunColumn{"r.note", row.note}, RunColumn{"t.run IS NOT NULL", of.has_trace},
             RunColumn{"t.events", of.trace.events}, RunColumn{"t.lost", of.trace.lost},
             RunColumn{"t.skipped", of.trace.skipped}, RunColumn{"t.broken", of.trace.broken},
             RunColumn{"p.tracer_share", of.trace.tracer_share});
}

std::string select_run() {
  RunColumns none;
  const std::string columns = with_columns(none, [](const auto&... column) {
    const std::array names{column.sql...};
    return fmt::format("{}", fmt::join(names, ", "));
  });
  return fmt::format(
      "SELECT {} FROM runs r JOIN jobs j ON j.id = r.job LEFT JOIN traces t ON t.run = r.id "
      "LEFT JOIN function_profiles p ON p.run = r.id WHERE r.id = ? AND r.removing = 0",
      columns);
}

std::optional<Endpoint> endpoint(std::optional<std::string> host, std::uint16_t port) {
  if (!host) return std::nullopt;
  return Endpoint{std::move(*host), port};
}

Result<core::RunRow> read_run(Statement& select) {
  RunColumns of;
  const auto read = with_columns(of, [&](const auto&... column) { return select.read(column.member...); });
  if (!read) return std::unexpected(read.error());
  core::RunRow& row = of.row;
  JobSpec& spec = row.spec;
  TestSpec& test = spec.test;
  spec.design = design_of(of.design);
  if (!of.variant.empty()) {
    row.slot.variant = of.variant.front();
    row.variant = (row.slot.variant == 'A' ? of.design.variant_a : of.design.variant_b).value_or("");
  }
  spec.workload = workload::traits_of(of.workload);
  if (of.local) test.path.local = LocalServer{.netns = std::move(of.server_netns), .bind = test.path.server};
  if (!has_traffic(spec) && spec.workload.measures_path) {
    test.traffic.streams = 1;  // this, bytes and omit are NULL
    test.traffic.bytes.reset();
    test.traffic.omit = {};
  } else if (!has_traffic(spec)) {
    test = {};  // its columns are NULL
  }
  row.client = endpoint(std::move(of.client_host), of.client_port);
  row.server = endpoint(std::move(of.server_host), of.server_port);
  if (of.user && of.system) row.client_usage = ResourceUsage{.user = *of.user, .system = *of.system};
  if (of.has_trace) row.trace = std::move(of.trace);
  return std::move(row);
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
      {&RunRowLoader::run_, select_run()},
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
