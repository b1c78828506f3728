// SPDX-License-Identifier: GPL-2.0-or-later
// The lists of a function profile, which the store returns in parts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/store/profile_reader.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::IsEmpty;

class ProfileParts : public StoreTest {
 protected:
  ProfileParts() { open(); }

  RunId store_profile(const FunctionProfile& profile) {
    auto record = a_record(run_under_way(a_job()), 1, 2);
    record.trace = a_trace();
    record.trace->profile = profile;
    must(store->finish(record));
    return record.id;
  }
};

TEST_F(ProfileParts, gives_parts_that_come_to_the_whole) {
  const auto run = store_profile(a_profile());
  store_profile(a_profile());  // of another run, whose rows must not appear in any part
  const auto whole = must(whole_profile(*store, run));
  for (const std::uint32_t limit : {1U, 2U, 3U, 4U}) {
    const auto parts = must(whole_profile(*store, run, limit));
    EXPECT_EQ(parts.functions.size(), 3U);
    EXPECT_EQ(parts.edges.size(), 2U);
    EXPECT_EQ(parts.tree.size(), 5U);
    EXPECT_TRUE(parts == whole) << limit;
  }
}

TEST_F(ProfileParts, gives_no_row_but_the_total_beyond_the_end_of_a_list) {
  const auto run = store_profile(a_profile());
  for (const std::uint64_t offset : {std::uint64_t{5}, ~std::uint64_t{0}}) {
    EXPECT_THAT(must(store->functions(run, offset, 1, {})).rows, IsEmpty());
    EXPECT_THAT(must(store->call_edges(run, offset, 1)).rows, IsEmpty());
    const auto nodes = must(store->call_nodes(run, offset, 1));
    EXPECT_THAT(nodes.rows, IsEmpty());
    EXPECT_EQ(nodes.total, 5U);
  }
}

TEST_F(ProfileParts, sums_up_what_is_known_of_every_function) {
  auto profile = a_profile();
  std::uint64_t hits = 0;
  std::uint64_t self_ns = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    hits += profile.functions[i].hits;
    self_ns += profile.functions[i].self_ns.value();
    profile.functions[i].corrected_self_ns = 100 * i;
  }
  const auto corrected = must(store->profile(store_profile(profile)));
  EXPECT_EQ(corrected.hits, hits);
  EXPECT_EQ(corrected.self_ns, self_ns);
  EXPECT_EQ(corrected.corrected_self_ns, 300U);
  profile.functions[1].corrected_self_ns.reset();
  EXPECT_FALSE(must(store->profile(store_profile(profile))).corrected_self_ns);
  EXPECT_FALSE(must(store->profile(store_profile({}))).corrected_self_ns);
}

// Counts the steps of SQLite's virtual machine, which do not depend on the hardware.
TEST_F(ProfileParts, gives_a_part_at_a_cost_that_does_not_grow_with_the_profile) {
  const auto chain_of = [](std::uint32_t functions) {
    FunctionProfile profile;
    for (std::uint32_t i = 0; i < functions; ++i) {
      profile.functions.emplace_back().name = fmt::format("f{}", i);
      profile.edges.push_back({.caller = i, .callee = (i + 1) % functions, .hits = i, .total_ns = i});
      profile.tree.push_back(
          {.parent = {}, .function = i, .in_interrupt = false, .hits = i, .total_ns = {}, .self_ns = {}});
      if (i > 0) profile.tree.back().parent = i - 1;
    }
    return profile;
  };
  const auto small = store_profile(chain_of(30));
  const auto large = store_profile(chain_of(3'000));
  auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
  ProfileReader reader(connection);
  std::uint64_t steps = 0;
  const auto count_step = [](void* counter) {
    ++*static_cast<std::uint64_t*>(counter);
    return 0;
  };
  const auto cost_of = [&](const auto& read) {
    (void)must(read());  // the first read also reads the schema
    steps = 0;
    sqlite3_progress_handler(connection.raw(), 1, count_step, &steps);
    EXPECT_EQ(must(read()).rows.size(), 10U);
    sqlite3_progress_handler(connection.raw(), 0, nullptr, nullptr);
    EXPECT_GT(steps, 10U);
    return steps;
  };
  // Rows are compared with their digests in chunks, of which a page touches one or two.
  constexpr std::uint64_t kTimes = 4;
  const auto expect_limited_cost = [&](const auto& read) {
    const auto cost = cost_of([&] { return read(small, 10); });
    EXPECT_LE(cost_of([&] { return read(large, 10); }), kTimes * cost);
    EXPECT_LE(cost_of([&] { return read(large, 2'900); }), kTimes * cost);
  };
  expect_limited_cost([&](RunId run, std::uint64_t offset) { return reader.functions(run, offset, 10, {}); });
  expect_limited_cost([&](RunId run, std::uint64_t offset) { return reader.edges(run, offset, 10); });
  expect_limited_cost([&](RunId run, std::uint64_t offset) { return reader.nodes(run, offset, 10); });
}

}  // namespace
}  // namespace netperfd::store
