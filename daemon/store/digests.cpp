// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/digests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/store/row_hash.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/runs_of_job.hpp"

namespace netperfd::store {
namespace {

struct Chunk {
  std::int64_t number = 0, digest = 0;
  bool operator==(const Chunk&) const = default;
};
using Chunks = std::vector<Chunk>;

Result<DigestPlan*> plan_of(Connection& connection) {
  auto& plan = connection.digest_plan();
  if (plan) return plan.get();
  auto made = make_digest_plan(connection);
  if (!made) return std::unexpected(std::move(made.error()));
  plan = std::move(*made);
  return plan.get();
}

Result<Statement*> compiled(Connection& connection, std::map<Whose, Statement>& statements, Whose whose,
                            const char* sql) {
  const auto found = statements.find(whose);
  if (found != statements.end()) return &found->second;
  const bool run = whose == Whose::run;
  auto statement = connection.prepare(
      fmt::format(fmt::runtime(sql), run ? "run_digests" : "job_digests", run ? "run" : "job"));
  if (!statement) return std::unexpected(std::move(statement.error()));
  return &statements.emplace(whose, std::move(*statement)).first->second;
}

Positions whole_chunks(const DigestPart& part, Positions positions) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t size = part.chunk_rows;
  if (positions.first > 0) positions.first = positions.first / size * size;
  if (positions.last >= 0 && positions.last < Limits::max() - size)
    positions.last = positions.last / size * size + size - 1;
  return positions;
}

Result<Chunks> read_chunks(Connection& connection, DigestPart& part, std::int64_t owner,
                           const Positions& positions) {
  if (!part.rows) {
    auto rows = connection.prepare(part.sql);
    if (!rows) return std::unexpected(std::move(rows.error()));
    part.rows = std::move(*rows);
  }
  Statement& rows = *part.rows;
  if (part.chunk_rows > 0) {
    rows.bind(owner, positions.first, positions.last);
  } else {
    rows.bind(owner);
  }
  Chunks chunks;
  RowHash hash;
  auto read = for_each_row(rows, [&](RowReader& row) {
    const std::int64_t number = sqlite3_column_int64(row.raw(), 0);
    if (chunks.empty() || chunks.back().number != number) {
      if (!chunks.empty()) chunks.back().digest = hash.digest();
      chunks.push_back({.number = number});
    }
    int at = 0;
    for (const DigestColumn& column : part.columns) hash.add(row.raw(), ++at, column);
    hash.end_row();
  });
  if (!read) {
    rows.rewind();
    return std::unexpected(std::move(read.error()));
  }
  if (!chunks.empty()) chunks.back().digest = hash.digest();
  return chunks;
}

Result<Chunks> stored_chunks(Connection& connection, DigestPlan& plan, const DigestPart& part, Owner owner,
                             const Positions& positions) {
  auto select =
      compiled(connection, plan.stored, owner.whose,
               "SELECT chunk, digest FROM {0} WHERE {1} = ?1 AND part = ?2 AND chunk BETWEEN ?3 AND "
               "?4 ORDER BY chunk");
  if (!select) return std::unexpected(std::move(select.error()));
  const std::int64_t size = std::max<std::int64_t>(part.chunk_rows, 1);
  Chunks chunks;
  auto read =
      for_each_row((*select)->bind(owner.number, part.name, positions.first / size, positions.last / size),
                   [&](RowReader& row) {
                     Chunk& chunk = chunks.emplace_back();
                     (void)row.try_read(chunk.number, chunk.digest);  // a wrong one fits no rows
                   });
  if (read) return chunks;
  (*select)->rewind();
  return std::unexpected(std::move(read.error()));
}

std::string name_of(Owner owner) {
  return fmt::format("{} {}",
                     owner.whose == Whose::run   ? "run"
                     : owner.whose == Whose::job ? "job"
                                                 : "entry of the audit trail",
                     owner.number);
}

std::string table_of(const DigestPart& part) {
  return part.name.substr(0, part.name.find('.'));
}

bool is_wanted(const DigestParts& wanted, const DigestPart& part) {
  return wanted.empty() || std::ranges::find(wanted, part.name) != wanted.end();
}

Status write_part(Connection& connection, DigestPlan& plan, DigestPart& part, Owner owner,
                  Positions positions) {
  positions = part.chunk_rows > 0 ? whole_chunks(part, positions) : Positions{};
  const auto chunks = read_chunks(connection, part, owner.number, positions);
  if (!chunks) return std::unexpected(chunks.error());
  auto remove = compiled(connection, plan.remove, owner.whose,
                         "DELETE FROM {0} WHERE {1} = ?1 AND part = ?2 AND chunk BETWEEN ?3 AND ?4");
  if (!remove) return std::unexpected(remove.error());
  const std::int64_t size = std::max<std::int64_t>(part.chunk_rows, 1);
  auto removed =
      (*remove)->bind(owner.number, part.name, positions.first / size, positions.last / size).run();
  if (!removed) return removed;
  auto insert = compiled(connection, plan.insert, owner.whose,
                         "INSERT INTO {0} ({1}, part, chunk, digest) VALUES (?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  for (const Chunk& chunk : *chunks) {
    auto done = (*insert)->bind(owner.number, part.name, chunk.number, chunk.digest).run();
    if (!done) return done;
  }
  return {};
}

// If the rows of the part are those that were stored.
Status expect_chunks(Connection& connection, DigestPart& part, Owner owner, const Positions& positions,
                     const Chunks& stored) {
  const auto now = read_chunks(connection, part, owner.number, positions);
  if (!now) return fail(now.error().kind, fmt::format("{}: {}", name_of(owner), now.error().message));
  if (*now == stored) return {};
  return fail(
      ErrorKind::io,
      fmt::format("{}: {}: table {} is damaged: it is not as it was stored. `netperfctl db check` names "
                  "all that is damaged; restore a backup, or delete the {}",
                  connection.path(), name_of(owner), table_of(part),
                  owner.whose == Whose::run ? "run" : "job"));
}

Status expect_part(Connection& connection, DigestPlan& plan, DigestPart& part, Owner owner,
                   Positions positions) {
  positions = part.chunk_rows > 0 ? whole_chunks(part, positions) : Positions{};
  const auto stored = stored_chunks(connection, plan, part, owner, positions);
  if (!stored) return std::unexpected(stored.error());
  return expect_chunks(connection, part, owner, positions, *stored);
}

Result<DigestGroup*> group_of(Connection& connection, DigestPlan& plan, Whose whose,
                              const DigestParts& asked) {
  const auto found = std::ranges::find_if(plan.groups, [&](const DigestGroup& group) {
    return group.whose == whose && std::ranges::equal(group.asked, asked);
  });
  if (found != plan.groups.end()) return &*found;
  DigestGroup group{.whose = whose, .asked = {asked.begin(), asked.end()}, .parts = {}, .stored = {}};
  std::vector<std::string> selects;
  const bool of_run = whose == Whose::run;
  for (DigestPart& part : plan.parts[whose]) {
    const bool is_own_row = part.name == "runs";
    if (!is_own_row && !is_wanted(asked, part)) continue;
    selects.push_back(fmt::format("SELECT {}, chunk, digest FROM {} WHERE {} = ?1 AND part = '{}'",
                                  group.parts.size(), of_run ? "run_digests" : "job_digests",
                                  of_run ? "run" : "job", part.name));
    group.parts.push_back(&part);
  }
  if (!selects.empty()) {
    auto stored = connection.prepare(fmt::format("{}", fmt::join(selects, " UNION ALL ")));
    if (!stored) return std::unexpected(std::move(stored.error()));
    group.stored = std::move(*stored);
  }
  plan.groups.push_back(std::move(group));
  return &plan.groups.back();
}

// All rows of some parts. Their digests are read with one statement: most parts have one digest or none.
Status expect_group(Connection& connection, DigestGroup& group, Owner owner) {
  if (group.parts.empty()) return {};
  std::vector<Chunks> stored(group.parts.size());
  auto read = for_each_row(group.stored.bind(owner.number), [&](RowReader& row) {
    std::size_t place = 0;
    Chunk chunk;
    (void)row.try_read(place, chunk.number, chunk.digest);  // a wrong one fits no rows
    stored[place].push_back(chunk);
  });
  if (!read) {
    group.stored.rewind();
    return read;
  }
  for (std::size_t i = 0; i < group.parts.size(); ++i) {
    std::ranges::sort(stored[i], {}, &Chunk::number);
    if (auto intact = expect_chunks(connection, *group.parts[i], owner, {}, stored[i]); !intact)
      return intact;
  }
  return {};
}

Result<std::vector<std::int64_t>> read_numbers(Connection& connection, const std::string& sql) {
  auto select = connection.prepare(sql);
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<std::int64_t> numbers;
  // One that is no number is that of no owner, and has no digest.
  auto read = for_each_row(*select, [&](RowReader& row) { (void)row.try_read(numbers.emplace_back()); });
  if (!read) return std::unexpected(std::move(read.error()));
  return numbers;
}

}  // namespace

Status write_digests(Connection& connection, Owner owner, const DigestParts& parts, Positions positions) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  for (DigestPart& part : (*plan)->parts[owner.whose]) {
    if (!is_wanted(parts, part)) continue;
    if (auto done = write_part(connection, **plan, part, owner, positions); !done) return done;
  }
  return {};
}

Status expect_intact(Connection& connection, Owner owner, const DigestParts& parts, Positions positions) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  constexpr std::size_t kMostTogether = 100;  // SQLite takes 500 in one statement
  if (positions == Positions{} && !parts.empty() && parts.size() < kMostTogether) {
    auto group = group_of(connection, **plan, owner.whose, parts);
    return group ? expect_group(connection, **group, owner) : std::unexpected(std::move(group.error()));
  }
  for (DigestPart& part : (*plan)->parts[owner.whose]) {
    const bool is_own_row = part.name == "runs";
    if (!is_own_row && !is_wanted(parts, part)) continue;
    if (auto intact = expect_part(connection, **plan, part, owner, positions); !intact) return intact;
  }
  return {};
}

Result<DigestParts> intact_parts(Connection& connection, Owner owner, const DigestParts& but) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  DigestParts intact;
  for (DigestPart& part : (*plan)->parts[owner.whose]) {
    if (std::ranges::find(but, part.name) != but.end()) continue;
    if (expect_part(connection, **plan, part, owner, {})) intact.emplace_back(part.name);
  }
  if (intact.empty()) return fail(ErrorKind::io, fmt::format("{}: all of it is damaged", name_of(owner)));
  return intact;
}

Status expect_intact_with_runs(Connection& connection, JobId job, const DigestParts& parts_of_job) {
  if (auto intact = expect_intact(connection, of_job(job), parts_of_job); !intact) return intact;
  const auto runs = numbers_of_runs(connection, job);
  if (!runs) return std::unexpected(runs.error());
  for (const RunId run : *runs) {
    if (auto intact = expect_intact(connection, of_run(run), {"runs"}); !intact) return intact;
  }
  return {};
}

Status expect_intact(Connection& connection, const std::vector<RunId>& runs) {
  std::set<JobId> jobs;
  for (const RunId run : runs) {
    if (auto intact = expect_intact(connection, of_run(run)); !intact) return intact;
    const auto job = connection.value<JobId>(fmt::format("SELECT job FROM runs WHERE id = {}", run));
    if (!job) return std::unexpected(job.error());
    jobs.insert(*job);
  }
  for (const JobId job : jobs) {
    if (auto intact = expect_intact(connection, of_job(job)); !intact) return intact;
  }
  return {};
}

Result<std::int64_t> add_position(Connection& connection, RunId run, Positions& page, std::int64_t position) {
  if (position <= page.last) {
    return fail(ErrorKind::io, fmt::format("{}: run {}: a list is damaged: position {} comes after {}",
                                           connection.path(), run, position, page.last));
  }
  return page.last = position;
}

Result<std::int64_t> digest_of_entry(Connection& connection, std::int64_t entry) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  const auto chunks = read_chunks(connection, (*plan)->parts[Whose::audit_entry].front(), entry, {});
  if (!chunks) return std::unexpected(chunks.error());
  return chunks->empty() ? 0 : chunks->front().digest;
}

Result<bool> is_intact_entry(Connection& connection, std::int64_t entry) {
  const auto now = digest_of_entry(connection, entry);
  if (!now) return std::unexpected(now.error());
  const auto stored = connection.value<std::optional<std::int64_t>>(
      fmt::format("SELECT iif(typeof(digest) = 'integer', digest, NULL) FROM audit WHERE id = {}", entry));
  if (!stored) return std::unexpected(stored.error());
  return *now == *stored;
}

Status write_entry_digest(Connection& connection, std::int64_t entry) {
  const auto digest = digest_of_entry(connection, entry);
  if (!digest) return std::unexpected(digest.error());
  auto update = connection.prepare("UPDATE audit SET digest = ? WHERE id = ?");
  if (!update) return std::unexpected(update.error());
  return update->bind(*digest, entry).run();
}

Status find_damage(Connection& connection, const std::function<void(Owner owner, std::string words)>& found) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  // Also of rows that nothing finds any more.
  for (const auto& [whose, sql] :
       {std::pair{Whose::job, "SELECT id FROM jobs UNION SELECT job FROM job_digests"},
        std::pair{Whose::run, "SELECT id FROM runs UNION SELECT run FROM run_digests"}}) {
    const auto numbers = read_numbers(connection, sql);
    if (!numbers) return std::unexpected(numbers.error());
    for (const std::int64_t number : *numbers) {
      const Owner owner{whose, number};
      for (DigestPart& part : (*plan)->parts[whose]) {
        if (expect_part(connection, **plan, part, owner, {})) continue;
        found(owner, fmt::format("{}: table {} is not as it was stored", name_of(owner), table_of(part)));
      }
    }
  }
  const auto entries = read_numbers(connection, "SELECT id FROM audit");
  if (!entries) return std::unexpected(entries.error());
  for (const std::int64_t entry : *entries) {
    if (const auto intact = is_intact_entry(connection, entry); intact && *intact) continue;
    const Owner owner{Whose::audit_entry, entry};
    found(owner, fmt::format("{} is not as it was stored", name_of(owner)));
  }
  return {};
}

Status add_missing_digests(Connection& connection) {
  for (const auto& [whose, sql] :
       {std::pair{Whose::run,
                  "SELECT id FROM runs WHERE NOT EXISTS (SELECT 1 FROM run_digests WHERE run = "
                  "runs.id)"},
        std::pair{Whose::job,
                  "SELECT id FROM jobs WHERE NOT EXISTS (SELECT 1 FROM job_digests WHERE job = "
                  "jobs.id)"}}) {
    const auto numbers = read_numbers(connection, sql);
    if (!numbers) return std::unexpected(numbers.error());
    for (const std::int64_t number : *numbers) {
      if (auto done = write_digests(connection, {whose, number}); !done) return done;
    }
  }
  const auto entries = read_numbers(connection, "SELECT id FROM audit WHERE digest IS NULL");
  if (!entries) return std::unexpected(entries.error());
  for (const std::int64_t entry : *entries) {
    if (auto done = write_entry_digest(connection, entry); !done) return done;
  }
  return {};
}

Result<std::int64_t> update_runs(Connection& connection, const std::string& change,
                                 const std::string& condition, std::string_view text) {
  auto intact = read_numbers(connection, fmt::format("SELECT id FROM runs WHERE {}", condition));
  if (!intact) return std::unexpected(intact.error());
  std::erase_if(*intact, [&](RunId run) { return !expect_intact(connection, of_run(run), {"runs"}); });
  auto update = connection.prepare(fmt::format("UPDATE runs SET {} WHERE {}", change, condition));
  if (!update) return std::unexpected(update.error());
  if (auto done = update->bind(text).run(); !done) return std::unexpected(done.error());
  const std::int64_t changed = connection.changes();
  for (const RunId run : *intact) {
    if (auto done = write_digests(connection, of_run(run), {"runs"}); !done)
      return std::unexpected(done.error());
  }
  return changed;
}

}  // namespace netperfd::store
