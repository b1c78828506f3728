// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/digests.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

struct Chunk {
  std::int64_t number = 0, digest = 0;
  bool operator==(const Chunk&) const = default;
};
using Chunks = std::vector<Chunk>;

// Values with their columns, types and lengths, so that none can take the place of another one. The bytes are
// the same on every machine.
class RowHash {
 public:
  RowHash() : state_(XXH3_createState()) { begin(); }

  void add(sqlite3_stmt* row, int at, const DigestColumn& column) {
    switch (sqlite3_column_type(row, at)) {
      case SQLITE_INTEGER:
        add_number(column, sqlite3_column_int64(row, at));
        break;
      case SQLITE_FLOAT:
        add_real(column, sqlite3_column_double(row, at));
        break;
      case SQLITE_TEXT:
        add_bytes(column, 't', std::get_if<std::string>(&column.by_default), row, at);
        break;
      case SQLITE_BLOB:
        add_bytes(column, 'b', nullptr, row, at);
        break;
      default:
        if (!std::holds_alternative<std::monostate>(column.by_default)) put(column.tag, 'n');
    }
  }
  void end_row() { put(0, '.'); }
  // Of the rows since the last one.
  std::int64_t digest() {
    flush();
    const auto digest = std::bit_cast<std::int64_t>(XXH3_64bits_digest(state_.get()));
    begin();
    return digest;
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  static constexpr std::size_t kBuffered = 4096;

  void begin() { XXH3_64bits_reset(state_.get()); }
  void flush() {
    XXH3_64bits_update(state_.get(), buffer_, filled_);
    filled_ = 0;
  }
  void put_word(std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(buffer_ + filled_, &word, sizeof word);
    filled_ += sizeof word;
  }
  void put(std::uint64_t tag, char type) {
    constexpr std::size_t kMost = 3 * sizeof(std::uint64_t);
    if (filled_ + kMost > kBuffered) flush();
    put_word(tag);
    buffer_[filled_++] = type;
  }
  void add_number(const DigestColumn& column, std::int64_t number) {
    const auto* const usual = std::get_if<std::int64_t>(&column.by_default);
    if (usual != nullptr && *usual == number) return;
    put(column.tag, 'i');
    put_word(static_cast<std::uint64_t>(number));
  }
  void add_real(const DigestColumn& column, double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const auto* const usual = std::get_if<double>(&column.by_default);
    if (usual != nullptr && std::bit_cast<std::uint64_t>(*usual) == bits) return;
    put(column.tag, 'r');
    put_word(bits);
  }
  void add_bytes(const DigestColumn& column, char type, const std::string* usual, sqlite3_stmt* row, int at) {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(row, at));
    const std::string_view text{bytes != nullptr ? bytes : "",
                                static_cast<std::size_t>(sqlite3_column_bytes(row, at))};
    if (usual != nullptr && *usual == text) return;
    put(column.tag, type);
    put_word(text.size());
    if (text.size() > kBuffered / 2) {
      flush();
      XXH3_64bits_update(state_.get(), text.data(), text.size());
      return;
    }
    if (filled_ + text.size() > kBuffered) flush();
    std::memcpy(buffer_ + filled_, text.data(), text.size());
    filled_ += text.size();
  }

  std::unique_ptr<XXH3_state_t, Free> state_;
  char buffer_[kBuffered];
  std::size_t filled_ = 0;
};

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
  auto read = for_each_row(rows, [&](const Statement& row) {
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
                   [&](const Statement& row) {
                     Chunk& chunk = chunks.emplace_back();
                     row.read(chunk.number, chunk.digest);
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

Status write_part(Connection& connection, DigestPlan& plan, DigestPart& part, Owner owner) {
  const auto chunks = read_chunks(connection, part, owner.number, {});
  if (!chunks) return std::unexpected(chunks.error());
  auto remove =
      compiled(connection, plan.remove, owner.whose, "DELETE FROM {0} WHERE {1} = ?1 AND part = ?2");
  if (!remove) return std::unexpected(remove.error());
  if (auto done = (*remove)->bind(owner.number, part.name).run(); !done) return done;
  auto insert = compiled(connection, plan.insert, owner.whose,
                         "INSERT INTO {0} ({1}, part, chunk, digest) VALUES (?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  for (const Chunk& chunk : *chunks) {
    auto done = (*insert)->bind(owner.number, part.name, chunk.number, chunk.digest).run();
    if (!done) return done;
  }
  return {};
}

Status expect_part(Connection& connection, DigestPlan& plan, DigestPart& part, Owner owner,
                   Positions positions) {
  positions = part.chunk_rows > 0 ? whole_chunks(part, positions) : Positions{};
  const auto now = read_chunks(connection, part, owner.number, positions);
  if (!now) return fail(now.error().kind, fmt::format("{}: {}", name_of(owner), now.error().message));
  const auto stored = stored_chunks(connection, plan, part, owner, positions);
  if (!stored) return std::unexpected(stored.error());
  if (*now == *stored) return {};
  return fail(
      ErrorKind::io,
      fmt::format("{}: {}: table {} is damaged: it is not as it was stored. `netperfctl db check` names "
                  "all that is damaged; restore a backup, or delete the {}",
                  connection.path(), name_of(owner), table_of(part),
                  owner.whose == Whose::run ? "run" : "job"));
}

Result<std::vector<std::int64_t>> read_numbers(Connection& connection, const std::string& sql) {
  auto select = connection.prepare(sql);
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<std::int64_t> numbers;
  auto read = for_each_row(*select, [&](const Statement& row) { row.read(numbers.emplace_back()); });
  if (!read) return std::unexpected(std::move(read.error()));
  return numbers;
}

}  // namespace

Status write_digests(Connection& connection, Owner owner, const DigestParts& parts) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  for (DigestPart& part : (*plan)->parts[owner.whose]) {
    if (!is_wanted(parts, part)) continue;
    if (auto done = write_part(connection, **plan, part, owner); !done) return done;
  }
  return {};
}

Status expect_intact(Connection& connection, Owner owner, const DigestParts& parts, Positions positions) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  for (DigestPart& part : (*plan)->parts[owner.whose]) {
    const bool is_own_row = part.name == "runs";
    if (!is_own_row && !is_wanted(parts, part)) continue;
    if (auto intact = expect_part(connection, **plan, part, owner, positions); !intact) return intact;
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

Result<std::int64_t> digest_of_entry(Connection& connection, std::int64_t entry) {
  const auto plan = plan_of(connection);
  if (!plan) return std::unexpected(plan.error());
  const auto chunks = read_chunks(connection, (*plan)->parts[Whose::audit_entry].front(), entry, {});
  if (!chunks) return std::unexpected(chunks.error());
  return chunks->empty() ? 0 : chunks->front().digest;
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
    const auto now = digest_of_entry(connection, entry);
    const auto stored = connection.value<std::optional<std::int64_t>>(
        fmt::format("SELECT digest FROM audit WHERE id = {}", entry));
    if (now && stored && *now == *stored) continue;
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
