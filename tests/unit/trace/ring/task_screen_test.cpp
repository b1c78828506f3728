// SPDX-License-Identifier: GPL-2.0-or-later
// What a user who may see only some tasks can learn from records planted by hand.
#include "daemon/trace/ring/task_screen.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/ring/task_names.hpp"
#include "tests/unit/trace/ring/tally_maker.hpp"

namespace netperfd::trace {
namespace {

using namespace test;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int32_t kOwnTask = 812;
constexpr std::int32_t kTheirTask = 4711;
constexpr std::uint16_t kSwitchId = 316;
constexpr std::uint16_t kExecId = 320;
constexpr std::uint16_t kSyscallId = 348;
constexpr const char* kTheirProgram = "secretd";  // the program of another user
constexpr std::uint64_t kTheirStack = 0x7FFD'1234'5678;
constexpr std::uint64_t kTheirNumber = 31'415;

TaskScreen own_tasks() {
  return TaskScreen([](std::int32_t pid) { return pid == kOwnTask; });
}

std::vector<KnownEvent> events() {
  auto known = known_events();
  known.push_back(make_event("sched", "sched_switch", kSwitchId,
                             "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                             "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                             "\tfield:char next_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
                             "\tfield:pid_t next_pid;\toffset:44;\tsize:4;\tsigned:1;\n\n"
                             "print fmt: \"%s\", REC->prev_comm\n"));
  known.push_back(make_event("sched", "sched_process_exec", kExecId,
                             "\tfield:char filename[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                             "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\n"
                             "print fmt: \"%s\", REC->filename\n"));
  known.push_back(make_event("raw_syscalls", "sys_enter", kSyscallId,
                             "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
                             "\tfield:unsigned long args[2];\toffset:16;\tsize:16;\tsigned:0;\n\n"
                             "print fmt: \"NR %ld (%lx, %lx)\", REC->id, REC->args[0], REC->args[1]\n"));
  return known;
}

Bytes switch_record(std::int32_t current, const char* from, std::int32_t from_pid, const char* to,
                    std::int32_t to_pid) {
  return RecordMaker(kSwitchId, current).put_text(8, from).put(24, from_pid).put_text(28, to).put(44, to_pid);
}

Bytes exec_record(std::int32_t pid, const char* file) {
  return RecordMaker(kExecId, pid).put_text(8, file).put(24, pid);
}

Bytes syscall_record(std::int32_t pid) {
  return RecordMaker(kSyscallId, pid).put(8, std::int64_t{1}).put(16, kTheirStack).put(24, kTheirNumber);
}

TraceRecord record_with(const TaskScreen& screen) {
  auto tallied = settings();
  tallied.events = events();
  Tally tally(std::move(tallied));
  feed(tally, 0,
       {release_at(kStart),
        {kStart + 1, drop_record(3, kIpRcv, kOwnTask)},
        {kStart + 2, drop_record(3, kUdpRcv, kTheirTask)},
        {kStart + 3, switch_record(kOwnTask, "iperf3", kOwnTask, kTheirProgram, kTheirTask)},
        {kStart + 4, exec_record(kTheirTask, kTheirProgram)},
        {kStart + 5, syscall_record(kTheirTask)},
        {kStart + 6, exec_record(kOwnTask, "/usr/bin/iperf3")}});
  const std::string names = fmt::format("{} iperf3\n{} {}\n", kOwnTask, kTheirTask, kTheirProgram);
  return tally.finish(Symbols::parse(kKallsyms, 1), names, {}, screen);
}

// All that a reader of the samples gets.
std::string everything(const TraceRecord& record) {
  std::string text;
  for (const EventSample& sample : record.samples) {
    text += fmt::format("{} {}-{}", sample.event, sample.task, sample.pid);
    for (const EventField& field : sample.fields) {
      text += fmt::format(" {}=", field.name);
      std::visit([&](const auto& value) { text += fmt::format("{}", value); }, field.value);
      text += fmt::format("/{}", field.text);
    }
    text += '\n';
  }
  return text;
}

TEST(TaskScreen, root_sees_the_tasks_of_all) {
  const std::string text = everything(record_with({}));
  for (const char* part :
       {"secretd-4711", "next_comm=secretd/", "next_pid=4711/", "filename=secretd/", "0x7ab7"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(TaskScreen, the_owner_sees_no_name_number_program_or_argument_of_another_users_task) {
  const std::string text = everything(record_with(own_tasks()));
  for (const char* part : {kTheirProgram, "4711", "31415", "7ab7", "7ffd"})
    EXPECT_THAT(text, Not(HasSubstr(part)));
  EXPECT_THAT(text, Not(HasSubstr(std::to_string(kTheirStack))));
}

TEST(TaskScreen, the_owner_sees_own_tasks_and_the_network_of_all) {
  const std::string text = everything(record_with(own_tasks()));
  EXPECT_THAT(text, HasSubstr("skb:kfree_skb iperf3-812 "));
  EXPECT_THAT(text, HasSubstr("prev_comm=iperf3/ prev_pid=812/ next_comm=other/ next_pid=4194305/"));
  EXPECT_THAT(text, HasSubstr("filename=/usr/bin/iperf3/ pid=812/"));
  EXPECT_THAT(text, HasSubstr("skb:kfree_skb other-4194305 skbaddr=p:")) << "a packet, whoever was running";
  EXPECT_THAT(text, HasSubstr("location=udp_rcv"));
}

// All at once, so that they can be looked at together.
TEST(TaskScreen, is_told_of_all_tasks_before_it_asks_for_one) {
  std::vector<std::set<std::int32_t>> told;
  std::set<std::int32_t> asked;
  const auto screen = [&] {
    return TaskScreen(
        [&](std::int32_t pid) {
          EXPECT_EQ(told.size(), 1U);
          asked.insert(pid);
          return pid == kOwnTask;
        },
        [&](const std::set<std::int32_t>& pids) { told.push_back(pids); });
  };
  EXPECT_EQ(everything(record_with(screen())), everything(record_with(own_tasks())));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(asked, (std::set<std::int32_t>{kOwnTask, kTheirTask}));
  EXPECT_TRUE(std::ranges::includes(told[0], asked));
  told.clear();
  asked.clear();
  EXPECT_EQ(shown_task_names("812 iperf3\n4711 secretd\n", screen()), "0 <idle>\n812 iperf3\n");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].contains(kOwnTask) && told[0].contains(kTheirTask));
}

TEST(TaskScreen, no_user_sees_an_address_among_arguments) {
  const std::string text = everything(record_with({}));
  EXPECT_THAT(text, Not(HasSubstr(std::to_string(kTheirStack))));
  EXPECT_THAT(text, HasSubstr("args=[p:"));
}

TEST(TaskScreen, a_hidden_task_keeps_one_number_that_no_task_has) {
  const TaskScreen screen = own_tasks();
  EXPECT_EQ(screen.number(kOwnTask), kOwnTask);
  EXPECT_EQ(screen.number(0), 0) << "the idle task";
  const auto first = screen.number(kTheirTask);
  EXPECT_GT(first, 4'194'304);
  EXPECT_NE(screen.number(kTheirTask + 1), first);
  EXPECT_EQ(screen.number(kTheirTask), first);
}

TEST(TaskScreen, names_of_every_form_are_hidden) {
  std::vector<EventField> fields{{"pid", std::int64_t{kTheirTask}, {}},
                                 {"oldcomm", "secretd", {}},
                                 {"newcomm", "secretd", {}},
                                 {"comm", "secretd", "secretd"},
                                 {"parent_tgid", std::uint64_t{4711}, {}},
                                 {"len", std::uint64_t{1500}, {}}};
  own_tasks().apply("net:made", kTheirTask, fields);
  EXPECT_EQ(fields[0].value, decltype(fields[0].value)(std::int64_t{4'194'305}));
  for (const std::size_t name : {1U, 2U, 3U}) {
    EXPECT_EQ(fields[name].value, decltype(fields[0].value)("other")) << fields[name].name;
    EXPECT_EQ(fields[name].text, "");
  }
  EXPECT_EQ(fields[4].value, decltype(fields[0].value)(std::int64_t{4'194'305}));
  EXPECT_EQ(fields[5].value, decltype(fields[0].value)(std::uint64_t{1500})) << "what the network does";
}

TEST(TaskScreen, a_recording_lists_the_shown_tasks_behind_the_idle_one) {
  const std::string lines = shown_task_names("812 iperf3\n4711 secretd\n", own_tasks());
  EXPECT_EQ(lines, "0 <idle>\n812 iperf3\n");
  EXPECT_TRUE(lists_shown_tasks(lines));
  EXPECT_FALSE(lists_shown_tasks("812 iperf3\n"));
}

}  // namespace
}  // namespace netperfd::trace
