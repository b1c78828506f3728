// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/graph_format.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::trace::test {
namespace {

using analysis::ContextRank;
using analysis::GraphEvent;
using analysis::GraphEventKind;

constexpr std::uint16_t kExitEventId = 10;
constexpr std::uint16_t kEntryEventId = 11;
constexpr std::uint64_t kFunction = 0xffffffffc0a01234;

std::string field(const std::string& type_and_name, unsigned offset, unsigned size) {
  return fmt::format("\tfield:{};\toffset:{};\tsize:{};\tsigned:0;\n", type_and_name, offset, size);
}

KnownEvent entry_event(const std::string& fields = field("unsigned long func", 8, 8) +
                                                   field("int depth", 16, 4)) {
  return make_event("ftrace", "funcgraph_entry", kEntryEventId, fields);
}

// As in 6.12.
KnownEvent exit_event() {
  return make_event("ftrace", "funcgraph_exit", kExitEventId,
                    field("unsigned long func", 8, 8) + field("int depth", 16, 4) +
                        field("unsigned int overrun", 20, 4) + field("unsigned long long calltime", 24, 8) +
                        field("unsigned long long rettime", 32, 8));
}
KnownEvent exit_event(const std::string& fields) {
  return make_event("ftrace", "funcgraph_exit", kExitEventId, fields);
}

GraphEvent read_graph(const std::vector<KnownEvent>& events, const Bytes& record) {
  const auto format = GraphFormat::make(events).value();
  GraphEvent event;
  event.overrun = 99;  // from an earlier record
  event.next_pid = 99;
  EXPECT_TRUE(format.read(1'000, record, event));
  EXPECT_EQ(event.time, 1'000U);
  return event;
}

std::string error_of(const std::vector<KnownEvent>& events) {
  const auto format = GraphFormat::make(events);
  return format ? "" : format.error().message;
}

TEST(GraphFormat, reads_entry_and_exit) {
  const auto entry =
      read_graph({entry_event(), exit_event()}, RecordMaker(kEntryEventId, 7).put(8, kFunction).put(16, 3));
  EXPECT_EQ(entry.kind, GraphEventKind::entry);
  EXPECT_EQ(entry.function, kFunction);
  EXPECT_EQ(entry.depth, 3);
  EXPECT_EQ(entry.pid, 7);
  EXPECT_EQ(entry.overrun, 0U);
  EXPECT_EQ(entry.next_pid, 0);

  const auto exit = read_graph({entry_event(), exit_event()}, RecordMaker(kExitEventId, 7)
                                                                  .put(8, kFunction)
                                                                  .put(16, 2)
                                                                  .put(20, 5)
                                                                  .put(24, std::uint64_t{1'000'000'000'001})
                                                                  .put(32, std::uint64_t{1'000'000'000'042}));
  EXPECT_EQ(exit.kind, GraphEventKind::exit);
  EXPECT_EQ(exit.function, kFunction);
  EXPECT_EQ(exit.depth, 2);
  EXPECT_EQ(exit.overrun, 5U);
  EXPECT_EQ(exit.start, 1'000'000'000'001U);
  EXPECT_EQ(exit.end, 1'000'000'000'042U);
}

TEST(GraphFormat, takes_fields_from_wherever_the_format_has_them) {
  const auto entries = entry_event(field("unsigned long func", 8, 8) + field("unsigned long depth", 16, 8) +
                                   field("unsigned long args[]", 24, 0));
  const auto exits =
      exit_event(field("unsigned long func", 8, 8) + field("unsigned long retval", 16, 8) +
                 field("unsigned long depth", 24, 8) + field("unsigned long overrun", 32, 8) +
                 field("unsigned long long rettime", 44, 8) + field("unsigned long long calltime", 52, 8));
  const auto entry =
      read_graph({exits, entries}, RecordMaker(kEntryEventId).put(8, kFunction).put(16, std::uint64_t{4}));
  EXPECT_EQ(entry.depth, 4);
  const auto exit = read_graph({exits, entries}, RecordMaker(kExitEventId)
                                                     .put(8, kFunction)
                                                     .put(16, ~std::uint64_t{0})
                                                     .put(24, std::uint64_t{6})
                                                     .put(32, std::uint64_t{8})
                                                     .put(44, std::uint64_t{30})
                                                     .put(52, std::uint64_t{20}));
  EXPECT_EQ(exit.depth, 6);
  EXPECT_EQ(exit.overrun, 8U);
  EXPECT_EQ(exit.start, 20U);
  EXPECT_EQ(exit.end, 30U);
}

TEST(GraphFormat, has_no_times_where_the_exit_lacks_one) {
  const auto base = field("unsigned long func", 8, 8) + field("int depth", 16, 4);
  for (const auto& fields : {base, base + field("unsigned long long calltime", 24, 8)}) {
    const auto exit =
        read_graph({entry_event(), exit_event(fields)},
                   RecordMaker(kExitEventId).put(8, kFunction).put(16, 1).put(24, std::uint64_t{5}));
    EXPECT_EQ(exit.start, 0U);
    EXPECT_EQ(exit.end, 0U);
    EXPECT_EQ(exit.overrun, 0U);
  }
}

TEST(GraphFormat, takes_an_entry_with_a_return_address_for_an_entry) {
  const auto with_address =
      make_event("ftrace", "fgraph_retaddr_entry", 17,
                 field("unsigned long func", 8, 8) + field("unsigned long depth", 16, 8) +
                     field("unsigned long retaddr", 24, 8));
  const auto entry =
      read_graph({entry_event(), exit_event(), with_address},
                 RecordMaker(17).put(8, kFunction).put(16, std::uint64_t{2}).put(24, std::uint64_t{1}));
  EXPECT_EQ(entry.kind, GraphEventKind::entry);
  EXPECT_EQ(entry.function, kFunction);
  EXPECT_EQ(entry.depth, 2);
}

TEST(GraphFormat, reads_calls_of_the_function_tracer_and_task_switches) {
  const auto function = make_event("ftrace", "function", 1, field("unsigned long ip", 8, 8));
  const auto task_switch = make_event(
      "sched", "sched_switch", 372,
      field("char prev_comm[16]", 8, 16) + field("pid_t prev_pid", 24, 4) + field("pid_t next_pid", 56, 4));
  const auto hit = read_graph({function, task_switch}, RecordMaker(1, 7).put(8, kFunction));
  EXPECT_EQ(hit.kind, GraphEventKind::hit);
  EXPECT_EQ(hit.function, kFunction);
  EXPECT_EQ(hit.pid, 7);
  const auto event = read_graph({function, task_switch}, RecordMaker(372, 7).put(24, 7).put(56, 8));
  EXPECT_EQ(event.kind, GraphEventKind::task_switch);
  EXPECT_EQ(event.pid, 7);
  EXPECT_EQ(event.next_pid, 8);
  EXPECT_EQ(event.function, 0U);
}

TEST(GraphFormat, knows_the_context_by_the_flags_the_highest_first) {
  const std::vector<std::pair<std::uint8_t, ContextRank>> known{
      {0x00, ContextRank::task},    {0x87, ContextRank::task},    {0x10, ContextRank::softirq},
      {0x08, ContextRank::hardirq}, {0x18, ContextRank::hardirq}, {0x40, ContextRank::nmi},
      {0x58, ContextRank::nmi}};
  for (const auto& [flags, context] : known) {
    const auto event = read_graph({entry_event(), exit_event()},
                                  RecordMaker(kEntryEventId, 7, flags).put(8, kFunction).put(16, 0));
    EXPECT_EQ(event.context, context) << unsigned{flags};
  }
}

TEST(GraphFormat, knows_only_types_that_have_a_format) {
  const auto format = GraphFormat::make({entry_event(), exit_event()}).value();
  EXPECT_TRUE(format.knows(kEntryEventId));
  EXPECT_TRUE(format.knows(kExitEventId));
  EXPECT_FALSE(format.knows(0));
  EXPECT_FALSE(format.knows(kEntryEventId + 1));
  EXPECT_FALSE(format.knows(0xFFFF));
  EXPECT_FALSE(GraphFormat::make({}).value().knows(kEntryEventId));
  GraphEvent event;
  EXPECT_FALSE(format.read(1, Bytes(RecordMaker(kSendId).put(100, 0)), event));
}

TEST(GraphFormat, refuses_each_record_that_is_shorter_than_its_fields) {
  const auto format = GraphFormat::make({entry_event(), exit_event()}).value();
  const Bytes whole = RecordMaker(kExitEventId).put(32, std::uint64_t{0});
  GraphEvent event;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(format.read(1, std::span(whole).first(size), event)) << size;
  }
  EXPECT_TRUE(format.read(1, whole, event));
  const Bytes longer = RecordMaker(kExitEventId).put(52, 0);  // as in 6.12: stale bytes after the fields
  EXPECT_TRUE(format.read(1, longer, event));
}

TEST(GraphFormat, takes_a_depth_that_no_kernel_has_for_the_deepest) {
  for (const std::int32_t depth : {-1, 70'000}) {
    EXPECT_EQ(
        read_graph({entry_event(), exit_event()}, RecordMaker(kEntryEventId).put(8, kFunction).put(16, depth))
            .depth,
        0xFFFF);
  }
}

TEST(GraphFormat, needs_entry_and_exit_together) {
  EXPECT_EQ(error_of({entry_event()}),
            "there is a format of ftrace:funcgraph_entry but none of ftrace:funcgraph_exit");
  EXPECT_EQ(error_of({exit_event()}),
            "there is a format of ftrace:funcgraph_exit but none of ftrace:funcgraph_entry");
}

TEST(GraphFormat, names_event_and_field_of_a_format_that_is_not_as_it_must_be) {
  const auto func = field("unsigned long func", 8, 8);
  EXPECT_EQ(error_of({entry_event(func), exit_event()}),
            "format of ftrace:funcgraph_entry: the field depth is missing");
  EXPECT_EQ(error_of({entry_event(func + field("short depth", 16, 2)), exit_event()}),
            "format of ftrace:funcgraph_entry: the field depth is short of 2 bytes, not a number of 4");
  EXPECT_EQ(error_of({entry_event(func + field("char depth[8]", 16, 8)), exit_event()}),
            "format of ftrace:funcgraph_entry: the field depth is char[8] of 8 bytes, not a number of 8");
  EXPECT_EQ(
      error_of({entry_event(field("unsigned int func", 8, 4) + field("int depth", 16, 4)), exit_event()}),
      "format of ftrace:funcgraph_entry: the field func is unsigned int of 4 bytes, not a number of 8");
  EXPECT_EQ(error_of({entry_event(func + field("int depth", 4'000'000'000, 4)), exit_event()}),
            "format of ftrace:funcgraph_entry: the field depth lies at offset 4000000000");
  auto moved = entry_event();
  std::ranges::find(moved.format.common, "common_pid", &FieldFormat::name)->offset = 8;
  EXPECT_EQ(error_of({moved, exit_event()}),
            "format of ftrace:funcgraph_entry: the field common_pid is not at offset 4");
  auto large = entry_event();
  large.format.id = 65'536;
  EXPECT_EQ(error_of({large, exit_event()}),
            "format of ftrace:funcgraph_entry: the ID 65536 has more than 16 bits");
}

}  // namespace
}  // namespace netperfd::trace::test
