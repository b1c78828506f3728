// SPDX-License-Identifier: GPL-2.0-or-later
// What a row tells of the files of an imported run.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

WallTime at_us(std::int64_t us) {
  return WallTime{std::chrono::microseconds{us}};
}

core::RunRow an_imported_run() {
  core::RunRow run;
  run.id = 41;
  run.spec.workload = imported_files();
  run.started = at_us(22);
  run.files = {{.name = "client.json", .size = 1, .modified = at_us(44), .sha256 = std::string(64, 'a')},
               {.name = "trace.dat", .size = 2, .modified = at_us(55), .sha256 = ""}};
  return run;
}

TEST(GoldenImport, has_its_files_and_the_date_of_the_document) {
  const dbus::Row row = to_map(run_row(an_imported_run()));
  EXPECT_EQ(shown(row.at("files")), R"(["client.json", "trace.dat"])");
  EXPECT_EQ(number_at(row, "measured_us"), 22U);
  EXPECT_EQ(text_at(row, "measured_by"), "document");
}

TEST(GoldenImport, has_the_date_of_the_file_in_a_list_too) {
  core::RunRow run = an_imported_run();
  run.started.reset();
  const dbus::Row row = to_map(listed_run_row(run));
  EXPECT_EQ(number_at(row, "measured_us"), 44U);
  EXPECT_EQ(text_at(row, "measured_by"), "file");
  EXPECT_EQ(shown(row.at("files")), R"(["client.json", "trace.dat"])");
}

TEST(GoldenImport, gives_no_digest_by_which_a_guess_at_raw_data_could_be_tested) {
  EXPECT_THAT(shown(run_row(an_imported_run())), Not(Contains(HasSubstr("aaaa"))));
}

TEST(GoldenImport, of_an_older_version_has_no_files) {
  core::RunRow run = an_imported_run();
  run.files.clear();
  run.started.reset();
  EXPECT_THAT(keys_of(run_row(run)),
              AllOf(Not(Contains("files")), Not(Contains("measured_us")), Not(Contains("measured_by"))));
}

TEST(GoldenImport, is_nothing_of_a_run_that_was_measured_here) {
  core::RunRow run = an_imported_run();
  run.spec.workload = workload::traits_of("iperf3");
  run.files.clear();
  EXPECT_THAT(keys_of(run_row(run)), Not(Contains("measured_us")));
}

}  // namespace
}  // namespace netperfd::bus
