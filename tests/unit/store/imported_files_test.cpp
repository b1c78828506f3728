// SPDX-License-Identifier: GPL-2.0-or-later
// The files that runs were imported from.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uid_t kUser = 1000, kOther = 1001;

std::string digest(char digit) {
  return std::string(64, digit);
}

std::vector<SourceFile> a_pair() {
  return {{.name = "client.json", .size = 4'711, .modified = kMorning, .sha256 = digest('a')},
          {.name = "trace.dat", .size = 815, .modified = std::nullopt, .sha256 = ""}};
}

class ImportedFiles : public StoreTest {
 protected:
  ImportedFiles() { open(); }

  RunId import(std::vector<SourceFile> files, uid_t owner = kUser) {
    JobSpec spec = a_job("import");
    spec.workload = imported_files();
    const RunId run = must(add_job(*store, spec, owner, kMorning)).runs.front();
    bring_to_collecting(*store, run);
    RunRecord record = a_record(run, 1, 2);
    record.files = std::move(files);
    must(store->finish(record));
    return run;
  }
  std::vector<RunId> with(char digit, uid_t owner = kUser, std::uint32_t most = 10) {
    return must(store->runs_with_file(owner, digest(digit), most));
  }
};

TEST_F(ImportedFiles, come_back_with_the_run_after_a_restart) {
  const RunId run = import(a_pair());
  const RunId without = store_job(a_job());
  close();
  open();
  EXPECT_EQ(must(store->run(run)).files, a_pair());
  EXPECT_EQ(must(store->runs({}, "", 10)).rows.back().files, a_pair());
  EXPECT_THAT(must(store->run(without)).files, IsEmpty());
}

TEST_F(ImportedFiles, are_in_the_columns_of_their_names) {
  import({{.name = "trace.dat",
           .size = 815,
           .modified = WallTime{std::chrono::microseconds{99}},
           .sha256 = digest('c')}});
  const auto column = [&](const char* name) {
    return ask(path(), fmt::format("SELECT {} FROM imported_files", name));
  };
  EXPECT_EQ(column("position"), "0");
  EXPECT_EQ(column("name"), "trace.dat");
  EXPECT_EQ(column("size"), "815");
  EXPECT_EQ(column("modified_us"), "99");
  EXPECT_EQ(column("sha256"), digest('c'));
}

TEST_F(ImportedFiles, are_found_by_their_digest_oldest_run_first) {
  const RunId first = import(a_pair());
  const RunId second = import({{.name = "copy.json", .size = 4'711, .modified = {}, .sha256 = digest('a')}});
  import({{.name = "client.json", .size = 4'711, .modified = {}, .sha256 = digest('b')}});
  EXPECT_THAT(with('a'), ElementsAre(first, second));
  EXPECT_THAT(with('a', kUser, 1), ElementsAre(first));
  EXPECT_THAT(with('d'), IsEmpty());
}

TEST_F(ImportedFiles, of_another_user_are_not_found) {
  import(a_pair(), kOther);
  EXPECT_THAT(with('a'), IsEmpty());
}

TEST_F(ImportedFiles, go_with_their_run) {
  const RunId removed = import(a_pair()), kept = import(a_pair());
  must(store->remove(removed));
  EXPECT_THAT(with('a'), ElementsAre(kept));
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM imported_files"), "2");
}

TEST_F(ImportedFiles, of_a_run_that_is_being_removed_are_not_found) {
  const RunId run = import(a_pair());
  ASSERT_GT(must(store->begin_removal(must(store->run(run)).job, core::RemovalBy::user)), 0U);
  EXPECT_THAT(with('a'), IsEmpty());
}

TEST_F(ImportedFiles, are_known_to_a_comparison_by_their_digests) {
  const RunId run = import(a_pair());
  EXPECT_THAT(must(store->compared_runs({run}, core::ComparedParts::all)).at(0).files,
              ElementsAre(digest('a')))
      << "an unknown digest is none";
}

}  // namespace
}  // namespace netperfd::store
