// SPDX-License-Identifier: GPL-2.0-or-later
// Storing a function profile, the traffic that belongs to it, and a recording.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kProfileTables[] = {"function_profiles", "functions", "call_edges", "call_nodes",
                                          "builds"};
constexpr std::uint64_t kTooMuch = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + 1;

class ProfileStore : public StoreTest {
 protected:
  ProfileStore() { open(); }

  // The record of a new run with a trace that has this profile.
  RunRecord a_record_with(const FunctionProfile& profile) {
    auto record = a_record(run_under_way(a_job()), 1, 2);
    record.trace = a_trace();
    record.trace->profile = profile;
    return record;
  }
  RunId store_record(const RunRecord& record) {
    must(store->finish(record));
    return record.id;
  }
  RunId store_profile(const FunctionProfile& profile) { return store_record(a_record_with(profile)); }

  std::string rows_of(const std::string& table) {
    return ask(path(), fmt::format("SELECT count(*) FROM {}", table));
  }
  void damage(const std::string& sql) { forge(path(), sql); }
};

// ---- The profile ------------------------------------------------------------------------------------------

TEST_F(ProfileStore, gives_a_profile_back_as_it_was_stored) {
  const auto expected = a_profile();
  const auto profile = must(whole_profile(*store, store_profile(expected)));
  EXPECT_EQ(profile.functions.size(), 3U);
  EXPECT_EQ(profile.edges.size(), 2U);
  EXPECT_EQ(profile.tree.size(), 5U);
  EXPECT_EQ(profile.builds.size(), 2U);
  EXPECT_TRUE(profile.calibration);
  EXPECT_TRUE(profile == expected);
}

TEST_F(ProfileStore, gives_lists_of_a_function_only_where_they_are_asked_for) {
  const auto run = store_profile(a_profile());
  for (const auto& asked : std::vector<core::FunctionLists>{{}, {.histogram = true}, {.slices = true}}) {
    const auto first = must(store->functions(run, 0, 1, asked)).rows.at(0);
    EXPECT_EQ(first.histogram.buckets.empty(), !asked.histogram);
    EXPECT_EQ(first.slice_hits.empty(), !asked.slices);
    EXPECT_EQ(first.slice_self_ns.empty(), !asked.slices);
  }
}

TEST_F(ProfileStore, keeps_a_profile_without_a_call_and_what_is_unknown_of_it) {
  FunctionProfile expected;
  expected.not_calibrated = "the kernel refused";
  const auto profile = must(whole_profile(*store, store_profile(expected)));
  EXPECT_TRUE(profile == expected);
}

TEST_F(ProfileStore, keeps_what_nobody_learnt_as_null) {
  auto expected = a_profile();
  expected.sleep_in_recorded.reset();
  expected.calibration->entry_error_ns.reset();
  expected.calibration->callee_error_ns.reset();
  expected.functions[1].p99_ns.reset();
  expected.functions[1].p999_ns.reset();
  const auto profile = must(whole_profile(*store, store_profile(expected)));
  EXPECT_TRUE(profile == expected);
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM function_profiles WHERE sleep_in_recorded IS NULL"), "1");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM functions WHERE p99_ns IS NULL AND p999_ns IS NULL"), "1");
}

TEST_F(ProfileStore, keeps_no_time_of_calls_without_an_end) {
  FunctionProfile untimed;
  untimed.timed = false;
  untimed.slice_ns = 100'000'000;
  FunctionStats& function = untimed.functions.emplace_back();
  function.name = "hsr_dev_xmit";
  function.hits = function.roots = 9;
  function.slice_hits = {4, 5};
  untimed.tree.push_back(
      {.parent = {}, .function = 0, .in_interrupt = false, .hits = 9, .total_ns = {}, .self_ns = {}});
  const auto timed = store_profile(a_profile());
  const auto run = store_profile(untimed);
  const auto profile = must(whole_profile(*store, run));
  EXPECT_FALSE(profile.timed);
  EXPECT_TRUE(profile.functions.at(0) == function);
  EXPECT_EQ(ask(path(),
                "SELECT run FROM functions WHERE coalesce(total_ns, self_ns, recorded_ns, interrupted_ns, "
                "off_cpu_ns, min_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns) IS NULL"),
            std::to_string(run));
  EXPECT_EQ(ask(path(), "SELECT run FROM call_nodes WHERE coalesce(total_ns, self_ns) IS NULL"),
            std::to_string(run));
  EXPECT_EQ(ask(path(), fmt::format("SELECT count(self_ms) + count(ns_per_call) + count(percent) FROM "
                                    "function_overview WHERE run = {}",
                                    run)),
            "0");
  EXPECT_TRUE(must(whole_profile(*store, timed)).timed);
}

TEST_F(ProfileStore, knows_a_run_without_a_profile_from_an_unknown_run) {
  auto record = a_record_with({});
  record.trace->profile.reset();
  const auto traced = store_record(record);
  const auto plain = store_job(a_job());
  for (const RunId run : {traced, plain, plain + 1}) {
    const auto refused = whole_profile(*store, run);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::not_found);
    EXPECT_EQ(refused.error().message,
              fmt::format("run {}: {}", run, run > plain ? "no such run" : "no functions were traced"));
  }
}

TEST_F(ProfileStore, leaves_a_profile_and_a_recording_out_of_the_trace) {
  auto record = a_record_with(a_profile());
  record.trace->recording = "a trace.dat";
  record.trace->recording_left_out = 4096;
  const auto trace = must(store->trace(store_record(record)));
  EXPECT_FALSE(trace.profile);
  EXPECT_EQ(trace.recording, "");
  EXPECT_EQ(trace.recording_left_out, 4096U);
}

// ---- Refusals ---------------------------------------------------------------------------------------------

TEST_F(ProfileStore, refuses_a_figure_that_the_database_cannot_hold) {
  using Spoil = std::function<void(RunRecord&)>;
  const auto in_profile = [](auto spoil) {
    return Spoil{[=](RunRecord& record) { spoil(*record.trace->profile); }};
  };
  const Spoil spoils[] = {
      in_profile([](FunctionProfile& p) { p.functions[1].self_ns = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.functions[1].corrected_self_ns = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.functions[1].slice_hits.back() = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.functions[1].slice_self_ns.back() = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.functions[1].histogram.buckets.back().second = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.edges[1].total_ns = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.tree[1].self_ns = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.damage.clipped = kTooMuch; }),
      in_profile([](FunctionProfile& p) { p.calibration->calls = kTooMuch; }),
      [](RunRecord& record) { record.trace->recording_left_out = kTooMuch; },
      [](RunRecord& record) { record.traffic.goodput_bytes = kTooMuch; },
      [](RunRecord& record) { record.traffic.packets->packets = kTooMuch; },
  };
  auto record = a_record_with(a_profile());
  record.traffic = some_traffic();
  for (std::size_t i = 0; i < std::size(spoils); ++i) {
    auto spoilt = record;
    spoils[i](spoilt);
    const auto refused = store->finish(spoilt);
    ASSERT_FALSE(refused) << i;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument) << i;
    EXPECT_THAT(refused.error().message, HasSubstr("9223372036854775808")) << i;
    EXPECT_EQ(must(store->run(record.id)).state, RunState::collecting) << i;
    for (const auto* table : kProfileTables) EXPECT_EQ(rows_of(table), "0") << table;
    EXPECT_EQ(rows_of("traffic"), "0");
  }
  must(store->finish(record));
}

TEST_F(ProfileStore, names_the_function_whose_figure_it_refuses) {
  auto record = a_record_with(a_profile());
  record.trace->profile->functions[1].slice_hits.back() = kTooMuch;
  EXPECT_EQ(store->finish(record).error().message,
            "the function profile: function hsr_get_node: 9223372036854775808 is more than the database can "
            "hold (63 bits)");
}

TEST_F(ProfileStore, keeps_the_greatest_figure_that_it_can_hold) {
  auto expected = a_profile();
  expected.functions[0].total_ns = kTooMuch - 1;
  expected.functions[0].slice_hits = {0, kTooMuch - 1};
  const auto profile = must(whole_profile(*store, store_profile(expected)));
  EXPECT_EQ(profile.functions[0].total_ns, kTooMuch - 1);
  EXPECT_THAT(profile.functions[0].slice_hits, ElementsAre(0, kTooMuch - 1));
  EXPECT_EQ(ask(path(), "SELECT value FROM functions, json_each(slice_hits) WHERE position = 0 AND key = 1"),
            "9223372036854775807");
}

TEST_F(ProfileStore, refuses_calls_of_what_is_not_there) {
  using Spoil = void (*)(FunctionProfile&);
  constexpr Spoil kSpoils[] = {
      [](FunctionProfile& p) { p.edges[1].caller = 3; }, [](FunctionProfile& p) { p.edges[1].callee = 3; },
      [](FunctionProfile& p) { p.tree[1].function = 3; }, [](FunctionProfile& p) { p.tree[1].parent = 1; },
      [](FunctionProfile& p) { p.tree[1].parent = 2; }};
  auto record = a_record_with({});
  for (const Spoil spoil : kSpoils) {
    record.trace->profile = a_profile();
    spoil(*record.trace->profile);
    const auto refused = store->finish(record);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(refused.error().message, HasSubstr(" 1 names a function or a parent that is not there"));
  }
}

TEST_F(ProfileStore, gives_no_damaged_list_and_no_index_that_leads_nowhere) {
  const auto run = store_profile(a_profile());
  const auto expect_damaged = [&](const std::string& change, const std::string& undo) {
    damage(change);
    const auto refused = whole_profile(*store, run);
    ASSERT_FALSE(refused) << change;
    EXPECT_EQ(refused.error().kind, ErrorKind::io);
    EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("{}: run {}: ", path(), run)));
    EXPECT_THAT(refused.error().message, HasSubstr("damaged"));
    damage(undo);
    EXPECT_TRUE(whole_profile(*store, run)) << undo;
  };
  for (const auto* column : {"histogram", "slice_hits", "slice_self_ns"}) {
    expect_damaged(fmt::format("UPDATE functions SET {0} = {0} || 'x' WHERE position = 1", column),
                   fmt::format("UPDATE functions SET {0} = rtrim({0}, 'x') WHERE position = 1", column));
  }
  expect_damaged("UPDATE call_edges SET caller = 3 WHERE position = 1",
                 "UPDATE call_edges SET caller = 1 WHERE position = 1");
  expect_damaged("UPDATE call_edges SET callee = -1 WHERE position = 1",
                 "UPDATE call_edges SET callee = 1 WHERE position = 1");
  expect_damaged("UPDATE call_nodes SET function = 3 WHERE position = 4",
                 "UPDATE call_nodes SET function = 1 WHERE position = 4");
  for (const auto* parent : {"2", "-1"}) {
    expect_damaged(fmt::format("UPDATE call_nodes SET parent = {} WHERE position = 2", parent),
                   "UPDATE call_nodes SET parent = 1 WHERE position = 2");
  }
  // The client indents by it.
  expect_damaged("UPDATE call_nodes SET depth = 2000000000 WHERE position = 2",
                 "UPDATE call_nodes SET depth = 2 WHERE position = 2");
  for (const auto* buckets : {"[[4000000000,1]]", "[[7,0]]", "[[7,1],[7,1]]"}) {
    const auto was = ask(path(), "SELECT histogram FROM functions WHERE position = 1");
    expect_damaged(fmt::format("UPDATE functions SET histogram = '{}' WHERE position = 1", buckets),
                   fmt::format("UPDATE functions SET histogram = '{}' WHERE position = 1", was));
  }
}

// Each page of such a list had a row and a cursor of another one, for ever. A restored store may have it.
TEST_F(ProfileStore, with_a_position_beyond_the_others_is_damaged_and_comes_to_an_end) {
  const auto run = store_profile(a_profile());
  for (const auto* table : {"functions", "call_edges", "call_nodes"}) {
    const auto last = ask(path(), fmt::format("SELECT max(position) FROM {}", table));
    for (const auto* position : {"9223372036854775807", "1000000", "-1"}) {
      damage(fmt::format("UPDATE {} SET position = {} WHERE position = {}", table, position, last));
      int pages = 0;
      for (std::uint64_t offset = 0; pages < 100; ++pages) {
        const auto read = [&](const auto& part) {
          if (!part || part->rows.empty()) return false;
          offset += part->rows.size();
          return true;
        };
        const bool more = table == std::string_view{"functions"} ? read(store->functions(run, offset, 1, {}))
                          : table == std::string_view{"call_edges"} ? read(store->call_edges(run, offset, 1))
                                                                    : read(store->call_nodes(run, offset, 1));
        if (!more) break;
      }
      EXPECT_LT(pages, 10) << table << " " << position;
      damage(fmt::format("UPDATE {} SET position = {} WHERE position = {}", table, last, position));
    }
  }
}

TEST_F(ProfileStore, removes_it_with_its_run) {
  const auto store_one = [&] {
    auto record = a_record_with(a_profile());
    record.traffic = some_traffic();
    record.trace->recording = "a trace.dat";
    return store_record(record);
  };
  const auto kept = store_one();
  const auto removed = store_one();
  must(store->remove(removed));
  std::vector<std::string> tables{"traffic", "documents"};
  tables.insert(tables.end(), std::begin(kProfileTables), std::end(kProfileTables));
  for (const auto& table : tables) {
    EXPECT_EQ(ask(path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, removed)), "0")
        << table;
    EXPECT_NE(ask(path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, kept)), "0") << table;
  }
}

// ---- Traffic ----------------------------------------------------------------------------------------------

TEST_F(ProfileStore, gives_the_traffic_of_a_run_back) {
  auto record = a_record_with({});
  record.traffic = some_traffic();
  const auto traffic = must(store->traffic(store_record(record)));
  EXPECT_EQ(traffic.goodput_bytes, 1'000'000U);
  ASSERT_TRUE(traffic.packets);
  EXPECT_EQ(traffic.packets->device, "hsr0");
  EXPECT_EQ(traffic.packets->netns, "ring-a");
  EXPECT_TRUE(traffic.packets->sent);
  EXPECT_EQ(traffic.packets->packets, 80U);
  EXPECT_EQ(traffic.packets->bytes, 1'005'280U);
}

TEST_F(ProfileStore, keeps_unknown_traffic_unknown) {
  auto record = a_record(run_under_way(a_job()));
  record.traffic.goodput_bytes = 0;  // known to be zero
  auto traffic = must(store->traffic(store_record(record)));
  EXPECT_EQ(traffic.goodput_bytes, 0U);
  EXPECT_FALSE(traffic.packets);

  record.id = run_under_way(a_job());
  record.traffic = {};
  record.traffic.packets =
      PacketCount{.device = "eth0", .netns = "", .sent = false, .packets = 0, .bytes = 0};
  traffic = must(store->traffic(store_record(record)));
  EXPECT_FALSE(traffic.goodput_bytes);
  ASSERT_TRUE(traffic.packets);
  EXPECT_FALSE(traffic.packets->sent);
  EXPECT_EQ(traffic.packets->netns, "");
  EXPECT_EQ(ask(path(), fmt::format("SELECT direction FROM traffic WHERE run = {}", record.id)), "rx");

  const auto plain = store_job(a_job());
  traffic = must(store->traffic(plain));
  EXPECT_FALSE(traffic.goodput_bytes);
  EXPECT_FALSE(traffic.packets);
  EXPECT_EQ(rows_of("traffic"), "2");
  EXPECT_EQ(store->traffic(plain + 1).error().kind, ErrorKind::not_found);
}

// ---- The recording ----------------------------------------------------------------------------------------

TEST_F(ProfileStore, keeps_a_recording_as_the_last_document) {
  auto record = a_record_with(a_profile());
  record.trace->recording = std::string{"\x17\x08\x44tracing6\0", 12} + std::string(100'000, '\0') + "end";
  const auto run = store_record(record);
  EXPECT_THAT(must(store->run(run)).documents, ElementsAre("client.stdout", "client.stderr", "trace.dat"));
  EXPECT_EQ(must(store->document(run, "trace.dat")), record.trace->recording);
  EXPECT_LT(std::stoi(ask(path(), "SELECT length(content) FROM documents WHERE name = 'trace.dat'")), 1000);
}

TEST_F(ProfileStore, keeps_no_document_of_a_recording_that_nobody_asked_for) {
  const auto run = store_profile(a_profile());
  EXPECT_THAT(must(store->run(run)).documents, ElementsAre("client.stdout", "client.stderr"));
  EXPECT_EQ(store->document(run, "trace.dat").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace netperfd::store
