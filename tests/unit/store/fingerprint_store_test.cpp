// SPDX-License-Identifier: GPL-2.0-or-later
// The environments of runs, which share their facts.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>

#include "daemon/store/database.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

Fingerprint a_fingerprint() {
  return {.boot_id = "f82f6326-ae1e-4c2a-89bf-2193da7f8464",
          .facts = {{"kernel", "command line", ""},
                    {"kernel", "release", "6.1.0-40-amd64"},
                    {"nic", "veth0@ring-a feature rx-gro", "on"},
                    {"sysctl:net.ipv4.tcp_rmem", "value", "4096 131072 6291456"}},
          .unknown = {"nic: veth0@ring-a: ethtool: Operation not permitted", "irq: a"}};
}

class FingerprintStore : public StoreTest {
 protected:
  void SetUp() override { open(); }
  RunId store_run(const std::optional<Fingerprint>& fingerprint) {
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run);
    record.fingerprint = fingerprint;
    must(store->finish(record));
    return run;
  }
  std::string count(const std::string& table) { return ask(path(), "SELECT count(*) FROM " + table); }
};

TEST_F(FingerprintStore, gives_back_what_was_written) {
  const RunId run = store_run(a_fingerprint());
  EXPECT_EQ(must(store->fingerprint(run)), a_fingerprint());
  const RunId empty = store_run(Fingerprint{});
  EXPECT_EQ(must(store->fingerprint(empty)), Fingerprint{});
}

TEST_F(FingerprintStore, has_none_of_a_run_that_has_none) {
  const RunId run = store_run(std::nullopt);
  EXPECT_EQ(store->fingerprint(run).error().message, "run 1: its environment was not looked at");
  EXPECT_EQ(store->fingerprint(run).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store->fingerprint(77).error().message, "run 77: no such run");
}

TEST_F(FingerprintStore, keeps_the_same_facts_once_whatever_the_boot_and_what_was_not_known) {
  store_run(a_fingerprint());
  Fingerprint other_boot = a_fingerprint();
  other_boot.boot_id = "another";
  other_boot.unknown = {"cpu: x"};
  const RunId second = store_run(other_boot);
  EXPECT_EQ(count("fingerprints"), "1");
  EXPECT_EQ(count("facts"), "4");
  EXPECT_EQ(must(store->fingerprint(second)), other_boot);
  Fingerprint changed = a_fingerprint();
  changed.facts[2].value = "off";
  const RunId third = store_run(changed);
  EXPECT_EQ(count("fingerprints"), "2");
  EXPECT_EQ(must(store->fingerprint(third)), changed);
}

TEST_F(FingerprintStore, tells_sets_with_the_same_digest_apart) {
  store_run(a_fingerprint());
  close();
  {
    auto database = must(Database::open(path(), embedded_migrations()));
    must(database->connection().execute("UPDATE facts SET value = 'other' WHERE key = 'release'"));
  }
  open();
  const RunId again = store_run(a_fingerprint());
  EXPECT_EQ(count("fingerprints"), "2") << "its digest is there, its facts are not";
  EXPECT_EQ(must(store->fingerprint(again)), a_fingerprint());
}

TEST_F(FingerprintStore, forgets_facts_with_the_last_run_that_had_them) {
  const RunId first = store_run(a_fingerprint());
  const RunId second = store_run(a_fingerprint());
  must(store->remove(first));
  EXPECT_EQ(must(store->fingerprint(second)), a_fingerprint());
  must(store->remove(second));
  for (const char* table : {"fingerprints", "facts", "environments", "environment_unknown"}) {
    EXPECT_EQ(count(table), "0") << table;
  }
}

TEST_F(FingerprintStore, shows_facts_of_runs_and_their_differences_in_a_view) {
  const RunId first = store_run(a_fingerprint());
  Fingerprint changed = a_fingerprint();
  changed.facts[2].value = "off";
  changed.facts.pop_back();
  const RunId second = store_run(changed);
  EXPECT_EQ(ask(path(), fmt::format("SELECT value FROM environment_overview WHERE run = {} AND fact_group = "
                                    "'kernel' AND key = 'release'",
                                    first)),
            "6.1.0-40-amd64");
  // The query in docs/database.md.
  EXPECT_EQ(
      ask(path(),
          fmt::format("SELECT group_concat(key || '=' || ifnull(a, '-') || '/' || ifnull(b, '-')) FROM ("
                      "SELECT fact_group, key, max(iif(run = {0}, value, NULL)) AS a, "
                      "max(iif(run = {1}, value, NULL)) AS b FROM environment_overview WHERE run IN "
                      "({0}, {1}) GROUP BY fact_group, key HAVING count(*) = 1 OR min(value) <> "
                      "max(value))",
                      first, second)),
      "veth0@ring-a feature rx-gro=on/off,value=4096 131072 6291456/-");
}

}  // namespace
}  // namespace netperfd::store
