// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/recording/recording.hpp"
#include "daemon/trace/recording/trace_dat.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/trace/ring/task_names.hpp"
#include "daemon/trace/ring/task_screen.hpp"
#include "tests/unit/trace/recording/trace_dat_support.hpp"

namespace netperfd::trace {
namespace {

using test::as_bytes;
using testing::HasSubstr;
using testing::Not;

std::vector<std::byte> block(std::size_t size, int value) {
  return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

TEST(RawKeeper, keeps_sub_buffers_by_cpu_in_their_order) {
  RawKeeper keeper(100);
  keeper.add(1, block(10, 1));
  keeper.add(0, block(10, 2));
  keeper.add(1, block(10, 3));
  EXPECT_EQ(keeper.kept(), 30U);
  EXPECT_EQ(keeper.left_out(), 0U);
  auto cpus = keeper.take();
  ASSERT_EQ(cpus.size(), 2U);
  auto both = block(10, 1);
  both.insert(both.end(), 10, std::byte{3});
  EXPECT_EQ(cpus[1], both);
  EXPECT_TRUE(keeper.take().empty());
}

// After a sub-buffer that did not fit, a smaller one that would still fit must not be added: that would leave
// a gap.
TEST(RawKeeper, ends_with_the_first_that_does_not_fit) {
  RawKeeper keeper(25);
  keeper.add(0, block(20, 1));
  keeper.add(1, block(10, 1));
  keeper.add(0, block(5, 1));
  EXPECT_EQ(keeper.kept(), 20U);
  EXPECT_EQ(keeper.left_out(), 15U);
  EXPECT_EQ(keeper.take().size(), 1U);
}

TEST(TraceDatWriter, writes_what_the_reader_reads) {
  const RecordingFacts facts = test::recorded_facts();
  const auto cpus = test::recorded_cpus();
  const std::string file = make_trace_dat(facts, cpus);
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_TRUE(dat) << dat.error().message;
  EXPECT_EQ(dat->version, 6);
  EXPECT_EQ(dat->clock, facts.clock);
  EXPECT_EQ(dat->kernel, facts.kernel);
  EXPECT_EQ(dat->kallsyms, facts.kallsyms);
  EXPECT_EQ(dat->task_names, facts.task_names);
  EXPECT_EQ(dat->layout.size(), 4096U);
  ASSERT_EQ(dat->events.size(), 5U);
  EXPECT_EQ(dat->events[0].name, "ftrace:funcgraph_entry");
  EXPECT_EQ(dat->events[4].name, "sched:sched_switch");
  ASSERT_EQ(dat->cpus.size(), 2U);
  for (const DatCpu& cpu : dat->cpus) {
    EXPECT_EQ(cpu.offset % 4096, 0U) << "other readers map it";
    const auto bytes = as_bytes(file).subspan(cpu.offset, cpu.size);
    EXPECT_TRUE(std::ranges::equal(bytes, cpus.at(cpu.cpu)));
  }
}

TEST(TraceDatWriter, has_every_cpu_also_where_nothing_was_kept_of_it) {
  RecordingFacts facts = test::recorded_facts();
  facts.cpus = 4;
  const std::string file = make_trace_dat(facts, {{2, block(4096, 0)}});
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_TRUE(dat) << dat.error().message;
  ASSERT_EQ(dat->cpus.size(), 4U);
  EXPECT_EQ(dat->cpus[1].size, 0U);
  EXPECT_EQ(dat->cpus[2].size, 4096U);
}

TEST(TraceDatWriter, says_how_long_larger_sub_buffers_are) {
  RecordingFacts facts = test::recorded_facts();
  facts.subbuffer_bytes = 65'536;
  const std::string file = make_trace_dat(facts, {{0, block(65'536, 0)}});
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_TRUE(dat) << dat.error().message;
  EXPECT_EQ(dat->layout.size(), 65'536U);
}

TEST(TraceDatWriter, makes_a_file_that_becomes_text) {
  const std::string file = make_trace_dat(test::recorded_facts(), test::recorded_cpus());
  std::string text;
  const auto written =
      text_of_trace_dat(as_bytes(file), TextReader::root, [&](std::string_view piece) { text += piece; });
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_THAT(text, HasSubstr("hsr_dev_xmit"));
  const std::string compressed = test::dat_file("v7-zstd.dat");
  const auto refused =
      text_of_trace_dat(as_bytes(compressed), TextReader::root, [](std::string_view) { FAIL(); });
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("compressed"));
}

std::string text_for(TextReader reader, const RecordingFacts& facts) {
  const std::string file = make_trace_dat(facts, test::recorded_cpus());
  std::string text;
  const auto written =
      text_of_trace_dat(as_bytes(file), reader, [&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(written) << written.error().message;
  return text;
}

TEST(TraceDatWriter, the_text_for_the_owner_names_only_the_tasks_that_the_owner_may_see) {
  RecordingFacts facts = test::recorded_facts();
  const std::string all = text_for(TextReader::root, facts);
  const auto tasks = parse_task_names(facts.task_names);
  const auto iperf3 = std::ranges::find(tasks, "iperf3", [](const auto& task) { return task.second; });
  ASSERT_NE(iperf3, tasks.end());
  const auto number = [](std::int32_t pid) { return "-" + std::to_string(pid) + " "; };
  const auto may_show = [&](std::int32_t pid) { return pid == iperf3->first; };
  facts.task_names = shown_task_names(facts.task_names, TaskScreen(may_show));
  const std::string own = text_for(TextReader::owner, facts);
  std::size_t others = 0;
  for (const auto& [pid, name] : tasks) {
    if (pid == 0 || pid == iperf3->first || !all.contains(number(pid))) continue;
    ++others;
    EXPECT_THAT(own, Not(HasSubstr(number(pid)))) << name;
    EXPECT_THAT(own, Not(HasSubstr("_pid=" + std::to_string(pid) + " "))) << name;
    if (name == "iperf3") continue;
    EXPECT_THAT(own, Not(HasSubstr("comm=" + name))) << name;
  }
  EXPECT_GE(others, 1U);
  EXPECT_THAT(own, HasSubstr(number(iperf3->first)));
  EXPECT_THAT(own, HasSubstr("other-4194305"));
  EXPECT_EQ(std::ranges::count(own, '\n'), std::ranges::count(all, '\n')) << "only names differ";
  // Root sees the numbers of all, and imports of either pair the same calls.
  EXPECT_EQ(std::ranges::count(text_for(TextReader::root, facts), '\n'), std::ranges::count(all, '\n'));
}

TEST(TraceDatWriter, a_recording_from_before_tasks_were_hidden_shows_its_owner_none) {
  const std::string own = text_for(TextReader::owner, test::recorded_facts());
  EXPECT_THAT(own, Not(HasSubstr("iperf3")));
  EXPECT_THAT(own, HasSubstr("other-4194305"));
}

}  // namespace
}  // namespace netperfd::trace
