// SPDX-License-Identifier: GPL-2.0-or-later
// Digests of stored rows. SQLite notices damage to its own structure, but not that the bytes of a value have
// changed. Whoever changes rows of a job, a run or the audit trail stores their digests in the same
// transaction, and whoever reads them compares.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/digest_plan.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

struct Owner {
  Whose whose = Whose::run;
  std::int64_t number = 0;
};
[[nodiscard]] inline Owner of_run(RunId run) {
  return {Whose::run, run};
}
[[nodiscard]] inline Owner of_job(JobId job) {
  return {Whose::job, job};
}

// Names of parts (digest_plan.hpp); none: all.
using DigestParts = std::vector<std::string_view>;

// Rows of a list by their positions, both ends inclusive.
struct Positions {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();

  bool operator==(const Positions&) const = default;
};

// Stores the digests of the rows as they are now; if there are positions, which only parts that are lists may
// have, of these rows and some around them. Belongs into the transaction that has changed them.
[[nodiscard]] Status write_digests(Connection& connection, Owner owner, const DigestParts& parts = {},
                                   Positions positions = {});

// io, naming owner and table, unless the rows are those whose digests were stored; of long lists, only the
// rows with these positions and some around them. For a run, its own row is always looked at.
[[nodiscard]] Status expect_intact(Connection& connection, Owner owner, const DigestParts& parts = {},
                                   Positions positions = {});

// The parts that are as they were stored, without those of `but`, which are not looked at. A writer that
// gives only these new digests leaves what is damaged known as such.
[[nodiscard]] Result<DigestParts> intact_parts(Connection& connection, Owner owner,
                                               const DigestParts& but = {});

// The same as expect_intact() for rows of a job, and for the own rows of its runs.
[[nodiscard]] Status expect_intact_with_runs(Connection& connection, JobId job,
                                             const DigestParts& parts_of_job = {});

// And for all rows of these runs and of their jobs.
[[nodiscard]] Status expect_intact(Connection& connection, const std::vector<RunId>& runs);

// What was read of the rows of a run or a job, or the error of expect_intact().
template <class T>
[[nodiscard]] Result<T> if_intact(Connection& connection, Owner owner, const DigestParts& parts,
                                  Result<T> read, Positions positions = {}) {
  auto intact = expect_intact(connection, owner, parts, positions);
  if (!intact) return std::unexpected(std::move(intact.error()));
  return read;
}

// Takes the position of the next row of a page into `page`, which began with the one before its first row as
// its last. io if it does not follow: a damaged row must not say which rows to compare.
[[nodiscard]] Result<std::int64_t> add_position(Connection& connection, RunId run, Positions& page,
                                                std::int64_t position);

// Of an entry of the audit trail, for its column.
[[nodiscard]] Result<std::int64_t> digest_of_entry(Connection& connection, std::int64_t entry);
[[nodiscard]] Result<bool> is_intact_entry(Connection& connection, std::int64_t entry);
[[nodiscard]] Status write_entry_digest(Connection& connection, std::int64_t entry);

// What is damaged of all that has a digest: jobs, runs, entries of the audit trail. `found` gets owner and
// words for each damaged table of each.
[[nodiscard]] Status find_damage(Connection& connection,
                                 const std::function<void(Owner owner, std::string words)>& found);

// For rows that have none, as a migration leaves them.
[[nodiscard]] Status add_missing_digests(Connection& connection);

// Sets columns of `runs` where `condition` holds; `change` has them as SQL, in which ?1 is `text`. Rows that
// were damaged before stay so. Returns their number.
[[nodiscard]] Result<std::int64_t> update_runs(Connection& connection, const std::string& change,
                                               const std::string& condition, std::string_view text);

}  // namespace netperfd::store
