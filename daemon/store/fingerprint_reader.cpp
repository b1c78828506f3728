// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/fingerprint_reader.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

const DigestParts kFingerprintParts{"environments", "fingerprints", "facts", "environment_unknown"};

}  // namespace

Result<std::vector<Fact>> read_facts(Connection& connection, std::int64_t fingerprint) {
  auto select = connection.prepare(
      "SELECT fact_group, key, value FROM facts WHERE fingerprint = ? ORDER BY fact_group, key");
  if (!select) return std::unexpected(select.error());
  std::vector<Fact> facts;
  const auto done = for_each_row(select->bind(fingerprint), [&](RowReader& row) {
    Fact& fact = facts.emplace_back();
    row.read(fact.group, fact.key, fact.value);
  });
  if (!done) return std::unexpected(done.error());
  return facts;
}

Result<Fingerprint> read_fingerprint(Connection& connection, RunId run) {
  auto select = connection.prepare(
      "SELECT e.fingerprint, e.boot_id FROM runs r LEFT JOIN environments e ON e.run = r.id WHERE r.id = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (auto intact = expect_intact(connection, of_run(run), kFingerprintParts); !intact)
    return std::unexpected(intact.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  std::optional<std::int64_t> id;
  Fingerprint fingerprint;
  if (auto read = select->read(id, fingerprint.boot_id); !read) return std::unexpected(read.error());
  select->rewind();
  if (!id) {
    return fail(ErrorKind::not_found, fmt::format("run {}: its environment was not looked at", run));
  }
  auto facts = read_facts(connection, *id);
  if (!facts) return std::unexpected(facts.error());
  fingerprint.facts = std::move(*facts);
  const auto done = read_all(connection, "environment_unknown", "clause", "position", run,
                             fingerprint.unknown, [](std::string& clause) { return std::tie(clause); });
  if (!done) return std::unexpected(done.error());
  return fingerprint;
}

}  // namespace netperfd::store
