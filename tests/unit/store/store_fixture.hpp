// SPDX-License-Identifier: GPL-2.0-or-later
// A directory for each test, and jobs and records to store there.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/sqlite.hpp"
#include "daemon/store/sqlite_store.hpp"

namespace netperfd::store {

inline constexpr WallTime kMorning{std::chrono::microseconds{1'750'000'000'000'000}};

class StoreTest : public testing::Test {
 protected:
  StoreTest();
  ~StoreTest() override;

  [[nodiscard]] std::string path() const { return (folder / "netperfd.db").string(); }
  // Opens the store; an earlier one must be closed. A new one is a copy, since to make it takes longer than
  // most tests: a test of how it is made calls SqliteStore::open().
  void open(std::uint64_t min_free_bytes = 0);
  void close() { store.reset(); }
  // Adds the job and takes its first run to `collecting`; returns the run's id.
  RunId run_under_way(const JobSpec& spec, WallTime now = kMorning);
  // Adds the job and stores a record for each of its runs; returns the id of the last run.
  RunId store_job(const JobSpec& spec, RunState state = RunState::finished, WallTime now = kMorning);

  std::filesystem::path folder;
  std::unique_ptr<SqliteStore> store;
};

[[nodiscard]] JobSpec a_job(const std::string& name = "veth-tcp", const std::string& label = "");
// A finished TCP run with `streams` streams and `interval_rows` intervals, including those of the sums.
[[nodiscard]] RunRecord a_record(RunId run, std::size_t streams = 4, std::size_t interval_rows = 50);

// A job without a workload that records one event.
[[nodiscard]] JobSpec a_watching_job();
// Two events on two CPUs, with examples of everything that a trace may have.
[[nodiscard]] TraceRecord a_trace();
// Three functions, one of which is called by the two others, with examples of everything that a profile may
// have.
[[nodiscard]] FunctionProfile a_profile();
// A million bytes of goodput in 80 packets.
[[nodiscard]] TrafficCount some_traffic();

// A stored profile with all its lists, assembled from parts of `limit` rows.
[[nodiscard]] Result<FunctionProfile> whole_profile(core::RunQueries& queries, RunId run,
                                                    std::uint32_t limit = 1000);

// Adds the job to a store or a RunWriter, with the slots drawn from its seed.
template <class Writer>
Result<core::NewJob> add_job(Writer& writer, const JobSpec& spec, uid_t owner, WallTime now) {
  const std::uint64_t seed = spec.design ? spec.design->seed.value_or(0) : 0;
  return writer.add_job(spec, draw_slots(spec, seed), owner, now);
}

// Takes a pending run to `collecting`.
void bring_to_collecting(core::RunStore& store, RunId run);

// The first column of the first row, read through a separate connection.
[[nodiscard]] std::string ask(const std::string& path, const std::string& sql);

// The first column of each row.
[[nodiscard]] std::vector<std::string> list_of(Connection& connection, const std::string& sql);

// Makes the store of tests/data/store/version-N.sql, which netperfd of that version has left.
void make_old_store(const std::string& path, std::int64_t version);

// Changes rows as a store would have stored them: with their digests.
void forge(const std::string& path, const std::string& sql);

// Changes rows as bytes that change on the disk would.
void damage(const std::string& path, const std::string& sql);

// The value; throws the error's message.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
inline void must(Status status) {
  if (!status) throw std::runtime_error(status.error().message);
}

}  // namespace netperfd::store
