// SPDX-License-Identifier: GPL-2.0-or-later
// Migrating databases that an older netperfd has filled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <map>

#include "daemon/store/database.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

// Two jobs of three runs with a row in every table, and a third job that was deleted again.
constexpr const char* kRowsOfVersion1 = R"(
  INSERT INTO jobs VALUES
    (1, 1750000000000000, 1000, 'veth-tcp', 'TCP', 'before', 2, 'tcp', 'send', 4, 10000, NULL, 1000, '10.0.0.2', 1,
     'left', 'right', 'name: veth-tcp'),
    (5, 1750000001000000, 0, 'lab', '', '', 1, 'udp', 'both', 1, NULL, 1048576, 0, 'server', 0, '', '', 'name: lab'),
    (9, 1750000002000000, 0, 'gone', '', '', 1, 'sctp', 'receive', 1, 1000, NULL, 0, 'server', 0, '', '', 'x');
  INSERT INTO runs (id, job, idx, state, error, started_us, client_host, client_port) VALUES
    (1, 1, 1, 'finished', '', 1750000000500000, '10.0.0.1', 41234), (2, 1, 2, 'pending', '', NULL, NULL, NULL),
    (6, 5, 1, 'failed', 'refused', NULL, NULL, NULL);
  DELETE FROM jobs WHERE id = 9;
  INSERT INTO sums (run, position, direction, received_bits_per_second, retransmits) VALUES (1, 0, 'send', 2.5e9, 3);
  INSERT INTO streams (run, position, direction, stream, mean_rtt) VALUES (1, 0, 'send', 5, 54);
  INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes) VALUES
    (1, 0, 'send', NULL, 1, 0, 0, 1.5, 1.5, 4096), (1, 1, 'send', 5, 1, 1, 0, 1, 1, NULL);
  INSERT INTO flags VALUES (1, 0, 'stalls', 'text');
  INSERT INTO documents (run, name, size, content) VALUES (1, 'client.stdout', 3, x'00ff01');
)";

// A database of an older version with rows in every table.
class OldDatabase : public StoreTest {
 protected:
  OldDatabase(std::size_t version, const std::string& rows) {
    auto database = must(Database::open(path(), embedded_migrations().first(version)));
    auto& connection = database->connection();
    must(connection.execute(rows));
    auto tables = must(connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"));
    while (must(tables.step())) {
      std::string table;
      must(tables.read(table));
      columns_[table] = columns(connection, table);
    }
  }

  // Every value of every table with its type, one line per row, in the columns of the old version.
  std::map<std::string, std::string> content(const std::string& file) const {
    std::map<std::string, std::string> content;
    for (const auto& [table, columns] : columns_) {
      content[table] = ask(
          file, fmt::format("SELECT group_concat(row, char(10)) FROM (SELECT {} AS row FROM {} ORDER BY 1)",
                            columns, table));
      EXPECT_NE(content[table], "") << table << " has no row";
    }
    return content;
  }

 private:
  static std::string columns(Connection& connection, const std::string& table) {
    return must(connection.value<std::string>(fmt::format(
        "SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info('{}')",
        table)));
  }

  std::map<std::string, std::string> columns_;
};

class SchemaMigration : public OldDatabase {
 protected:
  SchemaMigration() : OldDatabase(1, kRowsOfVersion1) {}
};

TEST_F(SchemaMigration, keeps_every_row_of_version_1) {
  const auto before = content(path());
  ASSERT_EQ(before.size(), 7U);
  ASSERT_THAT(before.at("jobs"), HasSubstr("'veth-tcp'"));
  {
    auto database = must(Database::open(path(), embedded_migrations()));
    EXPECT_EQ(database->copy_path(),
              fmt::format("{}.before-v{}", path(), embedded_migrations().back().version));
  }
  EXPECT_EQ(content(path()), before);
  EXPECT_EQ(ask(path(), "SELECT group_concat(workload) FROM jobs"), "iperf3,iperf3");
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

TEST_F(SchemaMigration, leaves_a_copy_of_version_1) {
  const auto before = content(path());
  open();
  const auto copy = store->copy_path();
  close();
  EXPECT_EQ(ask(copy, "PRAGMA user_version"), "1");
  EXPECT_EQ(content(copy), before);
}

TEST_F(SchemaMigration, leaves_runs_bound_to_the_rebuilt_jobs) {
  open();
  close();
  EXPECT_EQ(ask(path(), "SELECT \"table\" FROM pragma_foreign_key_list('runs')"), "jobs");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%new_jobs%'"), "0");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM sqlite_sequence WHERE name = 'new_jobs'"), "0");
}

TEST_F(SchemaMigration, gives_no_number_of_a_deleted_job_again) {
  open();
  EXPECT_EQ(must(add_job(*store, a_job(), 0, kMorning)).id, 10);
}

TEST_F(SchemaMigration, leaves_runs_that_can_be_read_ended_and_removed) {
  open();
  EXPECT_EQ(must(store->unfinished_jobs()).size(), 1U);
  const auto run = must(store->run(1));
  EXPECT_EQ(run.spec.workload.name, "iperf3");
  EXPECT_EQ(run.spec.test.path.local->netns, "right");
  EXPECT_EQ(run.spec.test.traffic.duration, std::chrono::seconds{10});
  EXPECT_FALSE(run.trace);
  EXPECT_EQ(must(store->run(6)).spec.test.traffic.bytes, 1'048'576U);
  EXPECT_EQ(ask(path(), "SELECT scenario || received_mbit_s || retransmits FROM run_overview WHERE run = 1"),
            "veth-tcp2500.03");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM interval_overview"), "2");

  core::RunFilter filter;
  filter.scenario = "veth-tcp";
  EXPECT_EQ(must(store->runs(filter, "", 0)).rows.size(), 2U) << "its indexes are there again";
  must(store->cancel_pending(must(store->run(2)).job, "stopped"));
  must(store->remove(1));
  must(store->remove(2));
  EXPECT_EQ(ask(path(), "SELECT group_concat(id) FROM jobs"), "5");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM intervals"), "0");
}

TEST_F(SchemaMigration, goes_not_on_while_foreign_keys_are_enforced) {
  auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
  must(connection.execute("PRAGMA foreign_keys = ON"));
  const auto refused = apply(embedded_migrations(), 1, connection);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("migrations need foreign keys switched off"));
  EXPECT_EQ(must(connection.value<int>("PRAGMA user_version")), 1);
}

TEST_F(SchemaMigration, that_meets_a_row_without_its_job_is_undone) {
  {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM jobs WHERE id = 5"));
  }
  const auto refused = Database::open(path(), embedded_migrations());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("rows of table runs that refer to nothing"));
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), "1");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs"), "1");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM run_overview"), "2");
}

// ---- From version 2 ---------------------------------------------------------------------------------------

// A job of iperf3 with a run and a trace that have rows in every table, a job without a workload, and a
// deleted one.
constexpr const char* kRowsOfVersion2 = R"(
  INSERT INTO jobs VALUES
    (1, 1750000000000000, 1000, 'veth-tcp', 'TCP', 'before', 1, 'iperf3', 'tcp', 'send', 4, 10000, NULL, 1000,
     '10.0.0.2', 1, 'left', 'right', 'name: veth-tcp'),
    (4, 1750000001000000, 0, 'watch', '', '', 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     'name: watch'),
    (7, 1750000002000000, 0, 'gone', '', '', 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     'x');
  INSERT INTO runs (id, job, idx, state, started_us) VALUES
    (1, 1, 1, 'finished', 1750000000500000), (5, 4, 1, 'finished', 1750000001500000);
  DELETE FROM jobs WHERE id = 7;
  INSERT INTO sums (run, position, direction, received_bits_per_second, retransmits) VALUES (1, 0, 'send', 2.5e9, 3);
  INSERT INTO streams (run, position, direction, stream) VALUES (1, 0, 'send', 5);
  INSERT INTO intervals (run, position, direction, sender, omitted, start_s, end_s, seconds) VALUES
    (1, 0, 'send', 1, 0, 0, 1.5, 1.5);
  INSERT INTO flags VALUES (1, 0, 'stalls', 'text');
  INSERT INTO documents (run, name, size, content) VALUES (1, 'client.stdout', 3, x'00ff01');
  INSERT INTO traces VALUES (1, '', 'broken', 'mono', 8388608, 73, 1, 100000000, 5, 91, 38),
                            (5, 'locked down', '', '', 0, 0, 0, 0, 0, 0, 0);
  INSERT INTO trace_missing_functions VALUES (1, 0, 'hsr_absent');
  INSERT INTO trace_only_cpus VALUES (1, 0, 3);
  INSERT INTO trace_cpus VALUES (1, 3, 210, 65536, 2, 7, 1, 30, 4);
  INSERT INTO trace_events VALUES (1, 0, 'skb:kfree_skb', 'reason > 2', 91);
  INSERT INTO trace_slices VALUES (1, 0, 3, 49);
  INSERT INTO trace_samples VALUES (1, 0, 'skb:kfree_skb', 1, -1500, 3, -1, '');
  INSERT INTO trace_sample_fields VALUES (1, 0, 0, 'reason', 2, 0, 'NOT_SPECIFIED'),
                                         (1, 0, 1, 'token', '18446744073709551615', 1, '');
  INSERT INTO trace_stacks VALUES (1, 1, 0, 'skb:kfree_skb', 80, 'kfree_skb+0x10');
  INSERT INTO trace_drops VALUES (1, 0, 'NO_SOCKET', 'tcp_v4_rcv', 60);
  INSERT INTO trace_marks VALUES (1, 0, 0, 'release', 0);
)";

class SchemaMigrationOf2 : public OldDatabase {
 protected:
  SchemaMigrationOf2() : OldDatabase(2, kRowsOfVersion2) {}
};

TEST_F(SchemaMigrationOf2, keeps_every_row) {
  const auto before = content(path());
  ASSERT_EQ(before.size(), 18U);
  {
    auto database = must(Database::open(path(), embedded_migrations()));
  }
  EXPECT_EQ(content(path()), before);
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
  EXPECT_EQ(ask(path(), "SELECT \"table\" FROM pragma_foreign_key_list('runs')"), "jobs");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%new_jobs%'"), "0");
}

TEST_F(SchemaMigrationOf2, leaves_every_view_what_it_was) {
  const auto views = [&] {
    std::map<std::string, std::string> sql;
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
    auto select = must(connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'"));
    while (must(select.step())) {
      std::string name;
      must(select.read(name, sql[""]));
      sql[name] = std::move(sql[""]);
    }
    sql.erase("");
    return sql;
  };
  const auto before = views();
  ASSERT_EQ(before.size(), 7U);
  const auto rows = [&](const std::string& view) {
    return ask(path(), fmt::format("SELECT count(*) FROM {}", view));
  };
  std::map<std::string, std::string> counts;
  for (const auto& [view, sql] : before) counts[view] = rows(view);
  open();
  close();
  const auto after = views();
  for (const auto& [view, sql] : before) {
    if (view != "run_overview") {  // later versions add columns to it
      EXPECT_EQ(after.at(view), sql) << view;
    }
    EXPECT_EQ(rows(view), counts.at(view)) << view;
  }
}

TEST_F(SchemaMigrationOf2, leaves_runs_that_can_be_read_listed_and_removed) {
  open();
  const auto run = must(store->run(1));
  EXPECT_EQ(run.spec.test.traffic.duration, std::chrono::seconds{10});
  EXPECT_EQ(run.trace->events, 91U);
  EXPECT_EQ(must(store->run(5)).spec.workload.name, "none");
  EXPECT_EQ(must(store->run(5)).trace->skipped, "locked down");
  EXPECT_EQ(must(store->trace(1)).recording_left_out, 0U);
  EXPECT_EQ(store->profile(1).error().message, "run 1: no functions were traced");
  EXPECT_FALSE(must(store->traffic(1)).goodput_bytes);
  core::RunFilter filter;
  filter.scenario = "watch";
  EXPECT_EQ(must(store->runs(filter, "", 0)).rows.size(), 1U) << "its indexes are there again";
  must(store->remove(1));
  must(store->remove(5));
  for (const auto& [table, rows] :
       std::map<std::string, int>{{"jobs", 0}, {"traces", 0}, {"trace_marks", 0}}) {
    EXPECT_EQ(ask(path(), fmt::format("SELECT count(*) FROM {}", table)), std::to_string(rows)) << table;
  }
  EXPECT_EQ(must(add_job(*store, a_job(), 0, kMorning)).id, 8) << "7 was that of a deleted job";
}

// ---- From version 5

// A job with a trace, of which one run got far enough to have one, and a job without.
class SchemaMigrationOf5 : public OldDatabase {
 protected:
  SchemaMigrationOf5()
      : OldDatabase(5, R"(
  INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, text) VALUES
    (1, 1750000000000000, 0, 'watch', '', '', 2, 'none', 'name: watch'),
    (2, 1750000001000000, 0, 'plain', '', '', 1, 'none', 'name: plain');
  INSERT INTO runs (id, job, idx, state) VALUES (1, 1, 1, 'finished'), (2, 1, 2, 'canceled'), (3, 2, 1, 'finished');
  INSERT INTO traces (run, skipped, broken, clock, buffer_bytes, functions, workload_only, slice_width_ns,
                      stacks_left_out, events, lost) VALUES (1, '', '', 'mono', 1, 0, 0, 1, 0, 5, 0);
)") {}
};

TEST_F(SchemaMigrationOf5, knows_the_arms_of_runs_of_before) {
  open();
  for (const auto& [run, traced] : std::map<RunId, bool>{{1, true}, {2, true}, {3, false}}) {
    EXPECT_EQ(must(store->run(run)).slot,
              (Slot{.block = 0, .letter = 0, .variant = '\0', .build = 0, .traced = traced}))
        << run;
    EXPECT_EQ(must(store->run(run)).spec.purpose, JobPurpose::measurement) << run;
    EXPECT_FALSE(must(store->run(run)).spec.design) << run;
  }
  EXPECT_EQ(ask(path(), "SELECT group_concat(arm) FROM run_overview"), "traced,traced,plain");
}

// ---- From version 8

// Two users' jobs. What they have stored was not counted yet.
class SchemaMigrationOf8 : public OldDatabase {
 protected:
  SchemaMigrationOf8()
      : OldDatabase(8, R"(
  INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, text) VALUES
    (1, 1750000000000000, 1001, 'watch', '', '', 2, 'none', 'name: watch'),
    (2, 1750000001000000, 1002, 'plain', '', '', 1, 'none', 'name: plain');
  INSERT INTO runs (id, job, idx, state, started_us, ended_us) VALUES
    (1, 1, 1, 'finished', 1750000000000000, 1750000009000000), (2, 1, 2, 'canceled', NULL, NULL),
    (3, 2, 1, 'finished', 1750000010000000, 1750000011000000);
  INSERT INTO documents (run, name, size, content) VALUES (1, 'client.stdout', 3, zeroblob(500000));
  INSERT INTO intervals (run, position, direction, sender, omitted, start_s, end_s, seconds)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
    SELECT 3, i, 'send', 1, 0, 0, 1.5, 1.5 FROM n;
)") {}
};

TEST_F(SchemaMigrationOf8, estimates_what_was_stored_before_it_was_counted) {
  open();
  const auto stored = [&](uid_t owner) {
    return must(store->usage(owner, WallTime{}, WallTime::max())).stored_bytes;
  };
  EXPECT_NEAR(static_cast<double>(stored(1001)), 500'000, 2000);
  EXPECT_NEAR(static_cast<double>(stored(1002)), 90'000, 2000);
  EXPECT_EQ(must(store->usage(1001, WallTime{}, WallTime::max())).running, std::chrono::seconds{9});
  must(store->remove(3));
  EXPECT_EQ(stored(1002), 0U);
  must(store->remove(1));
  EXPECT_LT(stored(1001), 1000U) << "a canceled run is left";
  must(store->remove(2));
  EXPECT_EQ(stored(1001), 0U);
}

TEST_F(SchemaMigrationOf2, leaves_renames_as_strict_as_they_were) {
  auto database = must(Database::open(path(), embedded_migrations()));
  EXPECT_EQ(must(database->connection().value<int>("PRAGMA legacy_alter_table")), 0);
}

}  // namespace
}  // namespace netperfd::store
