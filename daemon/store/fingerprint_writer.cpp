// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/fingerprint_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "daemon/store/columns.hpp"
#include "daemon/store/fingerprint_reader.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// FNV-1a over the texts, each followed by a terminator that none of them contains; signed, as SQLite's
// integers are.
std::int64_t digest_of(const std::vector<Fact>& facts) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash *= 0x100000001b3;
  };
  for (const Fact& fact : facts) {
    add(fact.group);
    add(fact.key);
    add(fact.value);
  }
  return static_cast<std::int64_t>(hash);
}

// The number of the set with exactly these facts; 0 if there is none.
Result<std::int64_t> find_facts(Connection& connection, std::int64_t digest, const std::vector<Fact>& facts) {
  auto select = connection.prepare("SELECT id FROM fingerprints WHERE digest = ? ORDER BY id");
  if (!select) return std::unexpected(select.error());
  std::vector<std::int64_t> candidates;
  const auto done =
      for_each_row(select->bind(digest), [&](RowReader& row) { row.read(candidates.emplace_back()); });
  if (!done) return std::unexpected(done.error());
  for (const std::int64_t id : candidates) {
    const auto stored = read_facts(connection, id);
    if (!stored) return std::unexpected(stored.error());
    if (*stored == facts) return id;
  }
  return 0;
}

Result<std::int64_t> add_facts(Connection& connection, std::int64_t digest, const std::vector<Fact>& facts) {
  auto insert = connection.prepare(insert_into("fingerprints", "digest"));
  if (!insert) return std::unexpected(insert.error());
  if (auto done = insert->bind(digest).run(); !done) return std::unexpected(done.error());
  const std::int64_t id = connection.last_insert_id();
  auto insert_fact = connection.prepare(insert_into("facts", "fingerprint, fact_group, key, value"));
  if (!insert_fact) return std::unexpected(insert_fact.error());
  for (const Fact& fact : facts) {
    if (auto done = insert_fact->bind(id, fact.group, fact.key, fact.value).run(); !done) {
      return std::unexpected(done.error());
    }
  }
  return id;
}

}  // namespace

Status write_fingerprint(Connection& connection, RunId run, const Fingerprint& fingerprint) {
  const std::int64_t digest = digest_of(fingerprint.facts);
  auto id = find_facts(connection, digest, fingerprint.facts);
  if (id && *id == 0) id = add_facts(connection, digest, fingerprint.facts);
  if (!id) return std::unexpected(id.error());
  auto insert = connection.prepare(insert_into("environments", "run, fingerprint, boot_id"));
  if (!insert) return std::unexpected(insert.error());
  if (auto done = insert->bind(run, *id, fingerprint.boot_id).run(); !done) return done;
  auto insert_clause = connection.prepare(insert_into("environment_unknown", "run, position, clause"));
  if (!insert_clause) return std::unexpected(insert_clause.error());
  std::size_t position = 0;
  for (const std::string& clause : fingerprint.unknown) {
    if (auto done = insert_clause->bind(run, position++, clause).run(); !done) return done;
  }
  return {};
}

}  // namespace netperfd::store
