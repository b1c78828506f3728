// SPDX-License-Identifier: GPL-2.0-or-later
// What the client says of an imported table of numbers.
#include <gmock/gmock.h>

#include <vector>

#include "client/pages/render.hpp"
#include "client/pages/slots.hpp"

namespace netperfctl {
namespace {

ImportedView of_table(std::uint64_t run, std::uint64_t job, const char* label) {
  return {.run = run,
          .files = {"table.csv"},
          .flags = {{"imported", "brought along"}},
          .job_of_sides = job,
          .label = label};
}

TEST(TablePages, import_has_a_line_and_a_command_for_each_job_with_sides) {
  const std::vector<ImportedView> runs{of_table(12, 7, "64B"), of_table(13, 7, "64B"),
                                       of_table(14, 8, "1500B"), of_table(15, 8, "1500B")};
  EXPECT_EQ(imported_text(runs),
            "runs 12 to 13: table.csv, 64B\n"
            "  imported: brought along\n"
            "  its sides: netperfctl compare job:7\n"
            "runs 14 to 15: table.csv, 1500B\n"
            "  its sides: netperfctl compare job:8\n");
}

TEST(TablePages, import_of_documents_has_the_flags_of_each_run) {
  const std::vector<ImportedView> runs{
      {.run = 12, .files = {"client.json", "trace.dat"}, .flags = {{"imported", "brought along"}}},
      {.run = 13, .files = {"client.json"}, .flags = {{"further-run", "the second"}}}};
  EXPECT_EQ(imported_text(runs),
            "run 12: client.json and trace.dat\n"
            "  imported: brought along\n"
            "run 13: client.json\n"
            "  further-run: the second\n");
}

TEST(TablePages, a_run_without_a_block_has_its_side) {
  RunView run;
  EXPECT_FALSE(has_slot(run));
  EXPECT_EQ(slot_words(run), "");
  run.side = "B";
  run.variant = "after";
  EXPECT_TRUE(has_slot(run));
  EXPECT_EQ(slot_words(run), "B after");
  EXPECT_EQ(short_slot_words(run), "B after");
  run.block = 3;
  run.traced = false;
  EXPECT_EQ(slot_words(run), "block 3, B after, plain");
  EXPECT_EQ(short_slot_words(run), "3B plain after");
}

}  // namespace
}  // namespace netperfctl
