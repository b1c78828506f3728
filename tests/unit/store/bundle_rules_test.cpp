// SPDX-License-Identifier: GPL-2.0-or-later
// Nothing enters by a bundle that netperfd's other ways in would refuse. The columns are those of the schema,
// and what each may not hold is written here by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model/sample_codec.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "daemon/store/column_rules.hpp"
#include "daemon/store/migrations.hpp"
#include "tests/unit/store/stored_bundle.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

struct Column {
  std::string table, name, type;
  [[nodiscard]] std::string whole() const { return table + "." + name; }
};

// Of numbers that a store gives to rows that nothing refers to, and of sizes that it counts itself.
const std::set<std::string> kOfEachStore{"documents.id", "documents.size", "functions.id", "trace_stacks.id",
                                         "cpu_samples.size"};

// All others are counts, numbers of rows or lengths.
const std::set<std::string> kMayBeNegative{
    "fingerprints.digest", "trace_samples.time_ns", "trace_samples.pid",     "trace_marks.time_ns",
    "tcp_samples.time_us", "queue_samples.time_us", "streams.stream",        "intervals.stream",
    "sums.lost_packets",   "streams.lost_packets",  "intervals.lost_packets"};

// The first number above what the value's type, or its meaning, allows.
const std::map<std::string, std::int64_t> kTooMuch{
    {"jobs.repeat", std::int64_t{1} << 32U},
    {"jobs.streams", std::int64_t{1} << 32U},
    {"jobs.duration_ms", kHighest / 1'000},
    {"jobs.omit_ms", kHighest / 1'000},
    {"jobs.local_server", 2},
    {"jobs.plain", 2},
    {"runs.idx", std::int64_t{1} << 32U},
    {"runs.started_us", 253'402'300'800'000'000},
    {"runs.ended_us", 253'402'300'800'000'000},
    {"runs.client_port", 65'536},
    {"runs.server_port", 65'536},
    {"runs.mss", std::int64_t{1} << 32U},
    {"runs.client_user_us", kHighest / 10},
    {"runs.block", std::int64_t{1} << 32U},
    {"runs.letter", std::int64_t{1} << 32U},
    {"runs.traced", 2},
    {"runs.point", std::int64_t{1} << 32U},
    {"intervals.sender", 2},
    {"intervals.omitted", 2},
    {"traces.functions", std::int64_t{1} << 32U},
    {"traces.workload_only", 2},
    {"traces.slice_width_ns", kHighest / 100},
    {"trace_only_cpus.cpu", 20'000},
    {"trace_cpus.cpu", 20'000},
    {"trace_slices.slice", 600},
    {"trace_samples.cpu", 20'000},
    {"trace_samples.pid", std::int64_t{1} << 31U},
    {"trace_sample_fields.is_unsigned", 2},
    {"trace_marks.user", 2},
    {"function_profiles.slice_ns", kHighest / 100},
    {"function_profiles.timed", 2},
    {"function_profiles.depth", std::int64_t{1} << 32U},
    {"functions.duplicate", std::int64_t{1} << 32U},
    {"call_edges.caller", std::int64_t{1} << 32U},
    {"call_edges.callee", std::int64_t{1} << 32U},
    {"call_nodes.parent", std::int64_t{1} << 32U},
    {"call_nodes.depth", std::int64_t{1} << 32U},
    {"call_nodes.function", std::int64_t{1} << 32U},
    {"call_nodes.in_interrupt", 2},
    {"tcp_samples.time_us", kHighest / 100},
    {"tcp_samples.local_port", 65'536},
    {"tcp_samples.remote_port", 65'536},
    {"tcp_samples.snd_cwnd", std::int64_t{1} << 32U},
    {"tcp_samples.rtt_us", std::int64_t{1} << 32U},
    {"tcp_samples.rttvar_us", std::int64_t{1} << 32U},
    {"queue_samples.time_us", kHighest / 100},
    {"imported_files.modified_us", 253'402'300'800'000'000},
    {"boots.number", std::int64_t{1} << 32U},
    {"boots.asked_us", 253'402'300'800'000'000},
    {"boots.settled_us", 253'402'300'800'000'000},
    {"cpu_samples.rate", std::int64_t{1} << 32U},
    {"cpu_samples.cpus", std::int64_t{1} << 32U},
    {"cpu_samples.sees_interrupts_off", 2},
    {"budget_functions.traced", 2},
    {"latency_probes.length", std::int64_t{1} << 32U},
    {"latency_probes.dscp", 64},
};

class BundleRules : public BundleStore {
 protected:
  BundleRules() : whole_(small(content())), database_(must(Connection::open(":memory:", kInMemory))) {
    must(apply(embedded_migrations(), 0, database_));
    must(database_.execute("PRAGMA foreign_keys = ON"));
    auto select = must(database_.prepare(
        "SELECT s.name, c.name, c.type FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = "
        "'table' ORDER BY 1, c.cid"));
    while (must(select.step())) {
      Column column;
      must(select.read(column.table, column.name, column.type));
      const bool is_bytes = column.type == "BLOB";
      if (kNotMoved.contains(column.table) || kOfEachStore.contains(column.whole())) continue;
      if (!is_bytes && kNotMoved.contains(column.whole())) continue;
      columns_.push_back(std::move(column));
    }
  }

  // Without most of the rows of the long table, and with short documents.
  static StoredTables small(StoredTables content) {
    for (StoredTable& table : content.tables) {
      const StoredTable was = std::exchange(table, {table.name, table.columns, {}});
      StoredRows rows{was};
      std::vector<StoredValue> row;
      for (int kept = 0; kept < 20 && rows.next(row); ++kept) {
        for (StoredValue& value : row) {
          if (was.name == "documents" && std::holds_alternative<StoredBytes>(value))
            value = StoredBytes{"{}"};
          table.add(value);
        }
      }
    }
    return content;
  }

  // What refuses the bundle with this value in the first row.
  std::string refusal(const Column& column, const StoredValue& value) {
    StoredTables changed = whole_;
    set_first(changed, column.table, column.name, value);
    return refusal(changed);
  }
  std::string refusal(const StoredTables& changed) {
    auto transaction = must(Transaction::begin(database_, Durability::normal));
    const auto written =
        write_tables(database_, changed, {.uid = kImporter, .now = kMorning, .flag = "elsewhere"});
    if (written) return "it was added";
    EXPECT_EQ(written.error().kind, ErrorKind::invalid_argument) << written.error().message;
    return written.error().message;
  }
  // What is expected in place of the value; empty: it may be there.
  static std::string expected(const Column& column, const StoredValue& value) {
    return rule_of(column.table, column.name)(value);
  }
  static std::string first_row(const Column& column) {
    return fmt::format("table {}, row 1: column {}: expected is ", column.table, column.name);
  }

  static constexpr int kInMemory = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY;
  const StoredTables whole_;
  Connection database_;
  std::vector<Column> columns_;
};

TEST_F(BundleRules, accept_what_netperfd_stores) {
  EXPECT_EQ(refusal(whole_), "it was added");
}

TEST_F(BundleRules, exist_for_every_column_of_the_schema) {
  ASSERT_GT(columns_.size(), 250U);
  for (const Column& column : columns_)
    EXPECT_NE(rule_of(column.table, column.name), nullptr) << column.whole();
  EXPECT_EQ(rule_of("new_table", "words"), nullptr);
}

TEST_F(BundleRules, refuse_texts_that_the_api_refuses_in_every_column_of_texts) {
  const std::string far_too_long(3'000'000, 'x');
  int texts = 0;
  for (const Column& column : columns_) {
    if (column.type != "TEXT" && column.type != "ANY") continue;
    ++texts;
    EXPECT_THAT(refusal(column, std::string{"a\u202eb"}), StartsWith(first_row(column)));
    for (const std::string& text : {std::string{"a\x1b[2Jb"}, std::string{"a\u200bb"}, std::string{"a\xff"},
                                    std::string{"a\0b", 3}, far_too_long})
      EXPECT_NE(expected(column, text), "") << column.whole() << " " << text.substr(0, 10);
  }
  EXPECT_GT(texts, 60);
}

TEST_F(BundleRules, say_which_character_of_a_label_cannot_be) {
  EXPECT_EQ(refusal({"jobs", "label", "TEXT"}, std::string{"be\u202efore"}),
            "table jobs, row 1: column label: expected is one printable line: character 3 is U+202E, which "
            "cannot be seen and can make the text look like another one");
  EXPECT_EQ(refusal({"jobs", "label", "TEXT"}, std::string(257, 'x')),
            "table jobs, row 1: column label: expected is one printable line of at most 256 bytes, not 257");
}

TEST_F(BundleRules, refuse_points_that_no_sweep_has) {
  const Column point{"runs", "point", "INTEGER"};
  const Column name{"runs", "point_name", "TEXT"};
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40U})
    EXPECT_THAT(refusal(point, number), StartsWith(first_row(point))) << number;
  EXPECT_THAT(refusal(name, std::string{"streams=\x1b[2J"}), StartsWith(first_row(name)));
  EXPECT_THAT(refusal(name, std::string(4'096, 'x')), HasSubstr("at most 4095 bytes"));
  EXPECT_THAT(refusal(point, std::int64_t{1}), HasSubstr("CHECK constraint failed")) << "it has no name";
  EXPECT_THAT(refusal(name, std::string{"streams=4"}), HasSubstr("CHECK constraint failed"));
}

TEST_F(BundleRules, refuse_values_of_another_type_in_every_column) {
  for (const Column& column : columns_) {
    const bool is_text = column.type == "TEXT";
    const StoredValue other = is_text ? StoredValue{std::int64_t{1}} : StoredValue{std::string{"1"}};
    if (column.type != "ANY") EXPECT_NE(expected(column, other), "") << column.whole();
    if (column.type != "BLOB") EXPECT_NE(expected(column, StoredBytes{"1"}), "") << column.whole();
    if (column.type != "REAL") EXPECT_NE(expected(column, 1.5), "") << column.whole();
  }
}

TEST_F(BundleRules, refuse_numbers_out_of_the_range_of_every_column_of_numbers) {
  std::set<std::string> bounded;
  for (const Column& column : columns_) {
    if (column.type != "INTEGER") continue;
    if (!kMayBeNegative.contains(column.whole()))
      EXPECT_THAT(refusal(column, std::int64_t{-1}), StartsWith(first_row(column)));
    const auto limit = kTooMuch.find(column.whole());
    if (limit == kTooMuch.end()) continue;
    bounded.insert(column.whole());
    for (const std::int64_t number : {limit->second, kHighest})
      EXPECT_NE(expected(column, number), "") << column.whole() << " " << number;
  }
  EXPECT_EQ(bounded.size(), kTooMuch.size());
}

TEST_F(BundleRules, refuse_figures_that_are_not_finite) {
  for (const Column& column : columns_) {
    if (column.type != "REAL") continue;
    EXPECT_THAT(refusal(column, HUGE_VAL), StartsWith(first_row(column)));
    for (const double figure : {-HUGE_VAL, std::nan("")})
      EXPECT_NE(expected(column, figure), "") << column.whole();
  }
}

// Changes a value of the last row.
void set_last(StoredTables& content, const std::string& name, const std::string& column,
              const StoredValue& value) {
  StoredTable& changed = table_in(content, name);
  const StoredTable was = std::exchange(changed, {changed.name, changed.columns, {}});
  std::vector<std::vector<StoredValue>> all;
  StoredRows rows{was};
  for (std::vector<StoredValue> row; rows.next(row);) all.push_back(row);
  for (const auto& row : all) {
    for (std::size_t i = 0; i < row.size(); ++i)
      changed.add(&row == &all.back() && was.columns[i] == column ? value : row[i]);
  }
}

TEST_F(BundleRules, refuse_positions_with_gaps_in_every_table) {
  int tables = 0;
  for (const Column& column : columns_) {
    if (column.name != "position") continue;
    ++tables;
    for (const std::int64_t position : {kHighest, std::int64_t{100}}) {
      EXPECT_THAT(refusal(column, position), StartsWith(first_row(column)));
      StoredTables changed = whole_;
      set_last(changed, column.table, "position", position);
      EXPECT_THAT(refusal(changed),
                  testing::MatchesRegex(
                      fmt::format("table {}, row [0-9]+: column position: expected is .*", column.table)));
    }
  }
  EXPECT_GT(tables, 20);
}

TEST_F(BundleRules, refuse_lists_that_are_none) {
  for (const char* list : {"[[1,2]", "[[5,1],[4,1]]", "[[5,1],[5,1]]", "[[5,0]]", "[[4000000000,1]]", "1"}) {
    EXPECT_THAT(
        refusal({"functions", "histogram", "TEXT"}, std::string{list}),
        StartsWith("table functions, row 1: column histogram: expected is the buckets of a histogram"));
    EXPECT_THAT(refusal({"latency_spans", "histogram", "TEXT"}, std::string{list}),
                HasSubstr("column histogram: expected is the buckets of a histogram"));
  }
  std::string long_list = "[0";
  for (int i = 0; i < 600; ++i) long_list += ",0";
  EXPECT_THAT(refusal({"functions", "slice_hits", "TEXT"}, long_list + "]"), HasSubstr("a list of numbers"));
  for (const char* name : {"received.p99", "latency.speed", "a speed", "\x1b[31m", ""}) {
    EXPECT_THAT(refusal({"job_figures", "figure", "TEXT"}, std::string{name}),
                HasSubstr("expected is the name of a figure"))
        << name;
  }
  EXPECT_THAT(refusal({"jobs", "seed", "TEXT"}, std::string{"-1"}),
              HasSubstr("expected is a number of 64 bits"));
  EXPECT_THAT(refusal({"imported_files", "sha256", "TEXT"}, std::string(64, 'A')),
              HasSubstr("expected is a SHA-256"));
}

TEST_F(BundleRules, refuse_samples_with_names_that_cannot_be_or_that_are_none) {
  EXPECT_THAT(refusal({"cpu_samples", "stacks", "BLOB"}, StoredBytes{"garbage"}),
              HasSubstr("column stacks: expected is stacks as netperfd stores them"));
  SampleProfile profile = the_samples();
  profile.frames[1].name = "tcp\u202e_ack";
  EXPECT_THAT(refusal({"cpu_samples", "stacks", "BLOB"}, StoredBytes{must(encode_stacks(profile))}),
              HasSubstr("column stacks: expected is stacks with printable names"));
}

TEST_F(BundleRules, refuse_rows_that_do_not_fit_each_other) {
  const auto last = [this](const std::string& table, const std::string& column, const StoredValue& value) {
    StoredTables changed = whole_;
    set_last(changed, table, column, value);
    return refusal(changed);
  };
  const std::string what = "expected is the position of a function of the run";
  EXPECT_THAT(last("call_edges", "caller", std::int64_t{77}), HasSubstr("column caller: " + what));
  EXPECT_THAT(last("call_edges", "callee", std::int64_t{77}), HasSubstr("column callee: " + what));
  EXPECT_THAT(last("call_nodes", "function", std::int64_t{77}), HasSubstr("column function: " + what));
  EXPECT_THAT(last("call_nodes", "parent", std::int64_t{77}),
              HasSubstr("column parent: expected is the position"));
  EXPECT_THAT(last("call_nodes", "depth", std::int64_t{1'000'000}),
              HasSubstr("column depth: expected is one more"));
  EXPECT_EQ(refusal({"latency_phases", "probe", "TEXT"}, std::string{"nobody"}),
            "table latency_phases, row 1: column probe: expected is the name of a probe of the run");
  EXPECT_THAT(refusal({"latency_spans", "probe", "TEXT"}, std::string{"nobody"}),
              StartsWith("table latency_spans, row 1: column phase: expected is a phase that the probe has"));
  EXPECT_THAT(refusal({"latency_intervals", "phase", "TEXT"}, std::string{"never"}),
              HasSubstr("column phase: expected is a phase that the probe has"));
  EXPECT_THAT(last("trace_events", "name", std::string{a_trace().events.front().name}),
              HasSubstr("column name: its run has the same twice"));
}

// In the daemon too, whatever the process without privileges made of it.
TEST_F(BundleRules, are_those_of_the_store_and_of_the_process_that_reads_bundles) {
  const std::string refused = "table functions, row 1: column position: expected is 0";
  EXPECT_EQ(
      BundleStore::refusal([](StoredTables& it) { set_first(it, "functions", "position", std::int64_t{7}); }),
      refused);
  StoredTables changed = whole_;
  set_first(changed, "functions", "position", std::int64_t{7});
  EXPECT_EQ(at_newest_version(changed, kNoLimit).error().message, refused);
}

}  // namespace
}  // namespace netperfd::store
