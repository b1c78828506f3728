// Databases that an older netperfd has filled, led to the newest schema.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <map>

#include "daemon/store/database.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

constexpr const char* kTablesOfVersion1[] = {"jobs",      "runs",  "sums",     "streams",
                                             "intervals", "flags", "documents"};

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

class SchemaMigration : public StoreTest {
 protected:
  SchemaMigration() {
    auto database = must(Database::open(path(), embedded_migrations().first(1)));
    must(database->connection().execute(kRowsOfVersion1));
    for (const auto* table : kTablesOfVersion1) columns_[table] = columns(database->connection(), table);
  }

  // Every value of the table with its type, a line a row, in the columns that version 1 had.
  std::string content(const std::string& file, const std::string& table) {
    return ask(file,
               fmt::format("SELECT group_concat(row, char(10)) FROM (SELECT {} AS row FROM {} ORDER BY 1)",
                           columns_.at(table), table));
  }

 private:
  static std::string columns(Connection& connection, const std::string& table) {
    return must(connection.value<std::string>(fmt::format(
        "SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info('{}')",
        table)));
  }

  std::map<std::string, std::string> columns_;
};

TEST_F(SchemaMigration, keeps_every_row_of_version_1) {
  std::map<std::string, std::string> before;
  for (const auto* table : kTablesOfVersion1) before[table] = content(path(), table);
  ASSERT_THAT(before.at("jobs"), HasSubstr("'veth-tcp'"));
  {
    auto database = must(Database::open(path(), embedded_migrations()));
    EXPECT_EQ(database->copy_path(),
              fmt::format("{}.before-v{}", path(), embedded_migrations().back().version));
  }
  for (const auto* table : kTablesOfVersion1) EXPECT_EQ(content(path(), table), before.at(table)) << table;
  EXPECT_EQ(ask(path(), "SELECT group_concat(workload) FROM jobs"), "iperf3,iperf3");
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

TEST_F(SchemaMigration, leaves_a_copy_of_version_1) {
  std::map<std::string, std::string> before;
  for (const auto* table : kTablesOfVersion1) before[table] = content(path(), table);
  open();
  const auto copy = store->copy_path();
  close();
  EXPECT_EQ(ask(copy, "PRAGMA user_version"), "1");
  for (const auto* table : kTablesOfVersion1) EXPECT_EQ(content(copy, table), before.at(table)) << table;
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
  EXPECT_EQ(must(store->add_job(a_job(), 0, kMorning)).id, 10);
}

TEST_F(SchemaMigration, leaves_runs_that_can_be_read_ended_and_removed) {
  open();
  EXPECT_EQ(store->interrupted_runs(), 1U);
  const auto run = must(store->run(1));
  EXPECT_EQ(run.spec.workload, WorkloadKind::iperf3);
  EXPECT_EQ(run.spec.iperf3.local->netns, "right");
  EXPECT_EQ(run.spec.iperf3.duration, std::chrono::seconds{10});
  EXPECT_FALSE(run.trace);
  EXPECT_EQ(must(store->run(6)).spec.iperf3.bytes, 1'048'576U);
  EXPECT_EQ(ask(path(), "SELECT scenario || received_mbit_s || retransmits FROM run_overview WHERE run = 1"),
            "veth-tcp2500.03");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM interval_overview"), "2");

  core::RunFilter filter;
  filter.scenario = "veth-tcp";
  EXPECT_EQ(must(store->runs(filter, "", 0)).rows.size(), 2U) << "its indexes are there again";
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

}  // namespace
}  // namespace netperfd::store
