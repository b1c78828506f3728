// SPDX-License-Identifier: GPL-2.0-or-later
// A file that may become the database: copied beside it, checked and migrated there.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Copies `file`, as many bytes as its header says, to `path` (mode 0640), which is on disk when this returns,
// and migrates the copy. A file that was there is replaced. Returns the version that the file had. Errors,
// which leave no copy:
//   invalid_argument  it is no database of netperfd's, or its end is missing
//   unsupported       its schema is newer than `migrations`, or of a development version
//   no_space, io      the disk, the limit of this process (RLIMIT_FSIZE) or `file` refuses
[[nodiscard]] Result<std::int64_t> copy_candidate(const Fd& file, const std::string& path,
                                                  std::span<const Migration> migrations);

// The name of the candidate of a database.
[[nodiscard]] inline std::string candidate_of(const std::string& database) {
  return database + ".restoring";
}

// The greatest number that was given, for each table that has numbers.
using LastNumbers = std::map<std::string, std::int64_t>;
[[nodiscard]] LastNumbers last_numbers(Connection& connection);
// Before a candidate takes the place of a database with these numbers: no number is given a second time, and
// jobs that had not ended do not begin. It is on disk when this returns. invalid_argument if the file lacks
// what a store has.
[[nodiscard]] Status settle_candidate(const std::string& path, const LastNumbers& numbers);
[[nodiscard]] inline std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

// `name`, or NAME-2 and so on if that is there: the store may be replaced several times within a second.
[[nodiscard]] std::string unused_name(const std::string& name);

// Removes what copy_candidate() has left, also if it was killed.
void remove_candidate(const std::string& path);

}  // namespace netperfd::store
