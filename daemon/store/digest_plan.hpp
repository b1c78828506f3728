// SPDX-License-Identifier: GPL-2.0-or-later
// Which rows and columns belong to a run or a job. The schema itself says so, so that a later table or column
// cannot be forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Of a list. A page of it is checked with the chunks that it touches, so its cost does not grow with the
// list.
inline constexpr std::int64_t kRowsOfChunk = 32;

enum class Whose { run, job, audit_entry };

struct DigestColumn {
  std::uint64_t tag = 0;  // made of its name
  // A value like this one is left out, so that a column that a later version adds changes no digest.
  StoredValue by_default;
};

// The rows of a table that belong to one run, job or entry of the audit trail.
struct DigestPart {
  std::string name;  // of the table; of its long columns, with the name of the first one behind it
  std::vector<DigestColumn> columns;
  std::int64_t chunk_rows = 0;  // 0: all rows are one chunk
  std::string
      sql;  // chunk and columns, in order, of the owner ?1; if there are chunks, between positions ?2, ?3
  std::optional<Statement> rows = std::nullopt;  // compiled when it is used for the first time
};

// Parts that are checked together, as somebody reads them together.
struct DigestGroup {
  Whose whose;
  std::vector<std::string> asked;
  std::vector<DigestPart*> parts;
  Statement stored;  // the digests of all of them: the place in `parts`, chunk and digest
};

struct DigestPlan {
  std::map<Whose, std::vector<DigestPart>> parts;
  std::vector<DigestGroup> groups;                    // made when they are used for the first time
  std::map<Whose, Statement> stored, insert, remove;  // of digests; compiled when they are used
};

[[nodiscard]] Result<std::shared_ptr<DigestPlan>> make_digest_plan(Connection& connection);

}  // namespace netperfd::store
