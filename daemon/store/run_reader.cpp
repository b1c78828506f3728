// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/run_reader.hpp"

#include <fmt/format.h>

#include <string_view>

#include "daemon/store/columns.hpp"
#include "daemon/store/compression.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/paging.hpp"
#include "daemon/store/run_listing.hpp"
#include "daemon/store/run_row_loader.hpp"
#include "daemon/store/runs_of_job.hpp"

namespace netperfd::store {
namespace {

constexpr std::uint32_t kMaxRuns = 500;
constexpr std::uint32_t kMaxIntervals = 2000;

constexpr char kRunCursor = 'r';
constexpr char kIntervalCursor = 'i';

}  // namespace

Result<core::Page<core::RunRow>> RunReader::runs(const core::RunFilter& filter, const std::string& cursor,
                                                 std::uint32_t limit) {
  const auto before = parse_cursor(cursor, kRunCursor, kNewest);
  if (!before) return std::unexpected(before.error());
  const std::uint32_t size = page_size(limit, kMaxRuns);
  const auto listing = list_runs(filter, *before, size + 1);  // one more row shows whether a page follows
  auto select = connection_.prepare(listing.sql);
  if (!select) return std::unexpected(select.error());
  auto loader = RunRowLoader::prepare(connection_);
  if (!loader) return std::unexpected(loader.error());

  core::Page<core::RunRow> page;
  select->bind(listing.parameters);
  for (;;) {
    auto more = select->step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return page;
    if (page.rows.size() == size) {
      page.next = make_cursor(kRunCursor, page.rows.back().id);
      return page;
    }
    RunId id = 0;
    if (auto read = select->read(id); !read) return std::unexpected(read.error());
    auto row = loader->load(id);
    if (!row && row.error().kind == ErrorKind::io) {
      // The other runs stay readable.
      core::RunRow damaged;
      damaged.id = id;
      damaged.state = RunState::failed;
      damaged.error = fmt::format("it cannot be read: {}", row.error().message);
      row = std::optional{std::move(damaged)};
    }
    if (!row) return std::unexpected(row.error());
    if (*row) page.rows.push_back(std::move(**row));
  }
}

Result<core::RunRow> RunReader::run(RunId run) {
  if (run == 0) {
    const auto newest = newest_ended();
    if (!newest) return std::unexpected(newest.error());
    run = *newest;
  }
  auto loader = RunRowLoader::prepare(connection_);
  if (!loader) return std::unexpected(loader.error());
  auto row = loader->load(run);
  if (!row) return std::unexpected(row.error());
  if (!*row) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  return std::move(**row);
}

// Open runs are few and the newest, so walking down the numbers ends soon. A damaged row does not say what it
// is.
Result<RunId> RunReader::newest_ended() {
  auto select = connection_.prepare(
      "SELECT id, state NOT IN ('pending', 'preparing', 'running', 'collecting') AND removing = 0 FROM runs "
      "ORDER BY id DESC");
  if (!select) return std::unexpected(select.error());
  for (;;) {
    const auto found = select->step();
    if (!found) return std::unexpected(found.error());
    if (!*found) return fail(ErrorKind::not_found, "no run has ended yet");
    RunId run = 0;
    bool wanted = false;
    if (auto read = select->read(run, wanted); !read) return std::unexpected(read.error());
    if (auto intact = expect_intact(connection_, of_run(run), {"runs"}); !intact)
      return std::unexpected(intact.error());
    if (wanted) return run;
  }
}

Result<core::OwnedRun> RunReader::owner_of(RunId run) {
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  core::OwnedRun owned;
  const auto job = connection_.value<JobId>(fmt::format("SELECT job FROM runs WHERE id = {}", run));
  if (!job) return std::unexpected(job.error());
  owned.job = *job;
  if (!expect_intact(connection_, of_run(run), {"runs"})) return owned;
  const auto owner = owner_of_job(*job);
  if (owner) owned.owner = *owner;
  return owned;
}

Result<uid_t> RunReader::owner_of_job(JobId job) {
  auto select = connection_.prepare("SELECT owner_uid FROM jobs WHERE id = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(job).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", job));
  uid_t owner = 0;
  if (!expect_intact(connection_, of_job(job), {"jobs"})) return owner;
  if (auto read = select->read(owner); !read) return std::unexpected(read.error());
  return owner;
}

Result<bool> RunReader::owns_jobs(uid_t user) {
  auto select =
      connection_.prepare("SELECT 1 FROM jobs INDEXED BY jobs_by_owner WHERE owner_uid = ? LIMIT 1");
  if (!select) return std::unexpected(select.error());
  return select->bind(user).step();
}

Result<std::vector<core::RunRow>> RunReader::runs_of_job(JobId job) {
  const auto runs = numbers_of_runs(connection_, job);
  if (!runs) return std::unexpected(runs.error());
  auto loader = RunRowLoader::prepare(connection_);
  if (!loader) return std::unexpected(loader.error());
  std::vector<core::RunRow> rows;
  for (const RunId id : *runs) {
    auto row = loader->load(id);
    if (!row) return std::unexpected(row.error());
    if (*row) rows.push_back(std::move(**row));
  }
  // A job is deleted with its last run.
  if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("job {}: no such job", job));
  return rows;
}

Status RunReader::expect_run(RunId run) {
  auto select = connection_.prepare("SELECT 1 FROM runs WHERE id = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  return {};
}

Result<std::vector<Totals>> RunReader::streams(RunId run) {
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  auto select = connection_.prepare(
      fmt::format("SELECT {} FROM streams WHERE run = ? ORDER BY position", columns_of<Totals>()));
  if (!select) return std::unexpected(select.error());
  return if_intact(connection_, of_run(run), {"streams"}, read_totals(select->bind(run)));
}

Result<core::Page<Interval>> RunReader::intervals(RunId run, const std::string& cursor, std::uint32_t limit) {
  auto after = parse_cursor(cursor, kIntervalCursor, -1);
  if (!after) return std::unexpected(after.error());
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  auto select =
      connection_.prepare(fmt::format("SELECT position, {} FROM intervals WHERE run = ? AND "
                                      "position > ? ORDER BY position LIMIT ?",
                                      columns_of<Interval>()));
  if (!select) return std::unexpected(select.error());

  const std::uint32_t size = page_size(limit, kMaxIntervals);
  select->bind(run, *after, size + 1);
  Positions positions{.first = *after + 1, .last = *after};
  auto page =
      read_page<Interval>(*select, kIntervalCursor, size, [&](Interval& interval) -> Result<std::int64_t> {
        std::int64_t position = 0;
        if (auto read = select->read(position, members_of(interval)); !read)
          return std::unexpected(read.error());
        return add_position(connection_, run, positions, position);
      });
  select->rewind();
  if (page && page->next.empty()) positions.last = Positions{}.last;
  return if_intact(connection_, of_run(run), {"intervals"}, std::move(page), positions);
}

Result<TrafficCount> RunReader::traffic(RunId run) {
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  auto select = connection_.prepare(
      "SELECT goodput_bytes, packets, packet_bytes, direction = 'tx', device, netns FROM traffic WHERE run = "
      "?");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  TrafficCount traffic;
  if (auto intact = expect_intact(connection_, of_run(run), {"traffic"}); !intact)
    return std::unexpected(intact.error());
  if (!*found) return traffic;
  PacketCount counted;
  std::optional<std::uint64_t> packets;
  auto read = select->read(traffic.goodput_bytes, packets, counted.bytes, counted.sent, counted.device,
                           counted.netns);
  if (!read) return std::unexpected(read.error());
  if (packets) {
    counted.packets = *packets;
    traffic.packets = std::move(counted);
  }
  return traffic;
}

Result<std::string> RunReader::document(RunId run, const std::string& name) {
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  auto select = connection_.prepare("SELECT size, content, id FROM documents WHERE run = ? AND name = ?");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run, name).step();
  if (!found) return std::unexpected(found.error());
  Positions own;
  std::uint64_t size = 0;
  Blob frame;
  if (*found) {
    if (auto read = select->read(size, frame, own.first); !read) return std::unexpected(read.error());
    own.last = own.first;
  }
  // Whether there is one, only the whole list tells.
  auto intact = expect_intact(connection_, of_run(run), {"documents"});
  if (intact) intact = expect_intact(connection_, of_run(run), {"documents.content"}, own);
  if (!intact) return std::unexpected(intact.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: it has no document \"{}\"", run, name));
  auto bytes = decompress(frame.bytes, size);
  if (!bytes) {
    return fail(bytes.error().kind, fmt::format("{}: run {}, document {}: {}", connection_.path(), run, name,
                                                bytes.error().message));
  }
  return bytes;
}

}  // namespace netperfd::store
