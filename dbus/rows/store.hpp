// SPDX-License-Identifier: GPL-2.0-or-later
// The store as a whole (CheckStore, RestoreStore, ListOldJobs); docs/database.md is the guide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

struct Store {
  std::uint64_t version = 0;         // of its schema
  std::uint64_t newest_version = 0;  // that the daemon knows
  std::uint64_t jobs = 0, runs = 0;
  std::uint64_t bytes = 0;                       // of its file
  std::uint64_t unused_bytes = 0;                // of these, in pages without data
  std::optional<std::uint64_t> disk_free_bytes;  // of its file system
  std::vector<std::string> problems;             // none: it is whole; at most 20 of each kind
  std::vector<std::uint64_t> damaged_runs,
      damaged_jobs;  // whose figures and texts are not as they were stored
};
template <>
inline constexpr auto kFields<Store> = std::tuple{field("version", &Store::version),
                                                  field("newest_version", &Store::newest_version),
                                                  field("jobs", &Store::jobs),
                                                  field("runs", &Store::runs),
                                                  field("bytes", &Store::bytes),
                                                  field("unused_bytes", &Store::unused_bytes),
                                                  field("disk_free_bytes", &Store::disk_free_bytes),
                                                  field("problems", &Store::problems),
                                                  field("damaged_runs", &Store::damaged_runs),
                                                  field("damaged_jobs", &Store::damaged_jobs)};
static_assert(kDescribed<Store>);

// A store that was put in the place of another one.
struct RestoredStore {
  std::uint64_t from_version = 0;  // of the file's schema
  std::uint64_t version = 0;       // now, after its migration
  std::uint64_t jobs = 0, runs = 0;
  std::string kept;  // file with the store as it was before
};
template <>
inline constexpr auto kFields<RestoredStore> =
    std::tuple{field("from_version", &RestoredStore::from_version), field("version", &RestoredStore::version),
               field("jobs", &RestoredStore::jobs), field("runs", &RestoredStore::runs),
               field("kept", &RestoredStore::kept)};
static_assert(kDescribed<RestoredStore>);

// A job that a rule would remove.
struct OldJob {
  std::uint64_t job = 0;
  std::string scenario, label;
  std::uint32_t user = 0;  // uid
  std::uint64_t runs = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t ended_us = 0;
  std::string why;
};
template <>
inline constexpr auto kFields<OldJob> =
    std::tuple{field("job", &OldJob::job),           field("scenario", &OldJob::scenario),
               field("label", &OldJob::label),       field("user", &OldJob::user),
               field("runs", &OldJob::runs),         field("stored_bytes", &OldJob::stored_bytes),
               field("ended_us", &OldJob::ended_us), field("why", &OldJob::why)};
static_assert(kDescribed<OldJob>);

}  // namespace netperfd::rows
