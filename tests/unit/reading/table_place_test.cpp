// SPDX-License-Identifier: GPL-2.0-or-later
// The runs of a table of numbers, on their way from the process that read it.
#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "daemon/reading/record_bytes.hpp"

namespace netperfd::reading {
namespace {

using testing::HasSubstr;

ImportedWorkload numbers_of(const std::string& side, bool is_b) {
  ImportedWorkload run;
  run.tool = "table";
  run.figures = {{.name = "throughput", .unit = "Mbit/s", .better = Better::higher, .value = 9'400}};
  run.place = TablePlace{.point = "64B", .side = side, .is_b = is_b, .block = 2};
  return run;
}

ImportedFile a_table() {
  ImportedFile file;
  file.workload = numbers_of("before", false);
  file.more.push_back({.workload = numbers_of("after", true), .raw = "lines"});
  return file;
}

TEST(TablePlace, crosses_to_the_daemon_as_it_was_read) {
  const auto back = reading::from_bytes(reading::to_bytes(a_table()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, a_table());
}

TEST(TablePlace, that_does_not_fit_the_others_is_not_taken) {
  const auto expect_refused = [](std::string_view why, auto change) {
    ImportedFile file = a_table();
    change(*file.workload->place, file.more.front().workload);
    const auto read = reading::from_bytes(reading::to_bytes(file));
    ASSERT_FALSE(read) << why;
    EXPECT_THAT(read.error().message, HasSubstr(why));
  };
  using A = TablePlace;
  using B = ImportedWorkload;
  expect_refused("a point with one side", [](A& a, B&) { a.point = "1500B"; });
  expect_refused("two sides of one name", [](A& a, B&) { a.side = "after"; });
  expect_refused("the name of a side", [](A& a, B&) { a.side = "the old one"; });
  expect_refused("the name of a side", [](A& a, B&) { a.side.clear(); });
  expect_refused("a side with two names", [](A& a, B&) { a.is_b = true; });
  expect_refused("a run without a block", [](A& a, B&) { a.block = 0; });
  expect_refused("the number of a block", [](A& a, B& b) { a.block = b.place->block = 501; });
  expect_refused("a run without a place", [](A&, B& b) { b.place.reset(); });
  expect_refused("workload.place.point", [](A& a, B&) { a.point = "\x1b[2J"; });
}

}  // namespace
}  // namespace netperfd::reading
