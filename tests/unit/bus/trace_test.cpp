// SPDX-License-Identifier: GPL-2.0-or-later
// A run's trace, read by callers.
#include <gmock/gmock.h>

#include <set>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_trace.hpp"
#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using TraceAnswer = Answered<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows, dbus::Rows>;
using PageAnswer = Answered<dbus::Rows, std::string>;
constexpr std::uint64_t kLargest = ~std::uint64_t{0};
constexpr const char* kHostile = "\xFF\x1b[2J\xEF\xBF\xBE";  // a broken byte, a terminal's control sequence,
                                                             // and a noncharacter

TraceRecord a_trace() {
  TraceRecord record;
  record.broken = "module hsr was unloaded";
  record.clock = "mono";
  record.buffer_bytes = 8 << 20;
  record.functions = 73;
  record.missing_functions = {"hsr_gone"};
  record.workload_only = true;
  record.only_cpus = {7, 0};
  record.slice_width = std::chrono::milliseconds{50};
  record.cpus = {{.cpu = 0,
                  .records = 40,
                  .bytes = 4096,
                  .lost_events = 1,
                  .overrun = 2,
                  .commit_overrun = 3,
                  .dropped_events = 4,
                  .damaged = 5},
                 TraceCpu{}};
  record.cpus.back().cpu = 7;
  record.cpus.back().records = 5;
  record.events = {{.name = "skb:kfree_skb", .filter = "reason > 2", .count = 12, .slices = {4, 0, 8}},
                   {.name = "net:netif_rx", .filter = "", .count = 3, .slices = {}}};
  record.samples = {
      {.event = "skb:kfree_skb",
       .ordinal = 1,
       .time_ns = -1'500'000'000,
       .cpu = 7,
       .pid = -1,
       .task = "iperf3",
       .fields = {{.name = "delta", .value = std::int64_t{-9}, .text = ""},
                  {.name = "len", .value = kLargest, .text = ""},
                  {.name = "name", .value = std::string{"veth0"}, .text = ""},
                  {.name = "reason", .value = std::uint64_t{3}, .text = "NO_SOCKET"}}},
      {.event = "net:netif_rx", .ordinal = 1, .time_ns = 0, .cpu = 0, .pid = 4711, .task = "", .fields = {}}};
  record.stacks = {{.event = "skb:kfree_skb", .frames = {"kfree_skb+0x1c", "hsr_rx+0x4 [hsr]"}, .count = 12}};
  record.stacks_left_out = 6;
  record.drops = {{.reason = "NO_SOCKET", .location = "udp_rcv", .count = 9},
                  {.reason = "", .location = "", .count = 1}};
  record.marks = {{.time_ns = 0, .text = "release", .user = false},
                  {.time_ns = 250'000'000, .text = "warm", .user = true}};
  return record;
}

class Traces : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    queries.stored_trace = a_trace();
  }

  TraceAnswer get_trace(std::uint64_t run = 41) {
    return client->call<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows, dbus::Rows>("GetTrace", run);
  }
  PageAnswer list_samples(const std::string& event = "", const std::string& cursor = "",
                          std::uint32_t limit = 0, std::uint64_t run = 41) {
    return client->call<dbus::Rows, std::string>("ListTraceSamples", run, event, cursor, limit);
  }
  PageAnswer list_stacks(const std::string& cursor = "", std::uint32_t limit = 0, std::uint64_t run = 41) {
    return client->call<dbus::Rows, std::string>("ListTraceStacks", run, cursor, limit);
  }
};

TEST_F(Traces, a_trace_comes_with_every_figure_of_its_record) {
  const auto answered = get_trace();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [trace, cpus, events, drops, marks] = answered.values;

  EXPECT_THAT(keys_of(trace), UnorderedElementsAre("broken", "clock", "buffer_bytes", "functions",
                                                   "missing_functions", "workload_only", "only_cpus",
                                                   "slice_s", "events", "lost", "stacks_left_out"));
  EXPECT_EQ(text_at(trace, "broken"), "module hsr was unloaded");
  EXPECT_EQ(text_at(trace, "clock"), "mono");
  EXPECT_EQ(number_at(trace, "buffer_bytes"), 8U << 20U);
  EXPECT_EQ(trace.at("functions").get<std::uint32_t>(), 73U);
  EXPECT_THAT(trace.at("missing_functions").get<std::vector<std::string>>(), ElementsAre("hsr_gone"));
  EXPECT_TRUE(trace.at("workload_only").get<bool>());
  EXPECT_THAT(trace.at("only_cpus").get<std::vector<std::uint32_t>>(), ElementsAre(7, 0));
  EXPECT_EQ(trace.at("slice_s").get<double>(), 0.05);
  EXPECT_EQ(number_at(trace, "events"), 15U) << "stacks and marks do not count";
  EXPECT_EQ(number_at(trace, "lost"), 9U) << "of two ways to count the overwritten ones, the larger";
  EXPECT_EQ(number_at(trace, "stacks_left_out"), 6U);

  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[1].at("cpu").get<std::uint32_t>(), 7U);
  std::uint64_t expected = 0;
  for (const char* key : {"lost_events", "overrun", "commit_overrun", "dropped_events", "damaged"}) {
    EXPECT_EQ(number_at(cpus[0], key), ++expected) << key;
  }
  EXPECT_EQ(number_at(cpus[0], "records"), 40U);
  EXPECT_EQ(number_at(cpus[0], "bytes"), 4096U);

  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(text_at(events[0], "event"), "skb:kfree_skb");
  EXPECT_EQ(text_at(events[0], "filter"), "reason > 2");
  EXPECT_EQ(number_at(events[0], "count"), 12U);
  EXPECT_THAT(events[0].at("slices").get<std::vector<std::uint64_t>>(), ElementsAre(4, 0, 8));
  EXPECT_FALSE(events[1].contains("filter"));
  EXPECT_TRUE(events[1].at("slices").get<std::vector<std::uint64_t>>().empty());

  ASSERT_EQ(drops.size(), 2U);
  EXPECT_EQ(text_at(drops[0], "reason"), "NO_SOCKET");
  EXPECT_EQ(text_at(drops[0], "location"), "udp_rcv");
  EXPECT_EQ(number_at(drops[0], "count"), 9U);
  EXPECT_THAT(keys_of(drops[1]), ElementsAre("count")) << "what is not known has no key";

  ASSERT_EQ(marks.size(), 2U);
  EXPECT_FALSE(marks[0].at("user").get<bool>());
  EXPECT_EQ(marks[1].at("time_s").get<double>(), 0.25);
  EXPECT_EQ(text_at(marks[1], "text"), "warm");
  EXPECT_TRUE(marks[1].at("user").get<bool>());
}

TEST_F(Traces, of_a_skipped_trace_there_is_nothing_but_the_reason) {
  queries.stored_trace = TraceRecord{};
  queries.stored_trace->skipped = "the kernel is locked down";
  const auto answered = get_trace();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [trace, cpus, events, drops, marks] = answered.values;
  EXPECT_THAT(keys_of(trace), ElementsAre("skipped"));
  EXPECT_EQ(text_at(trace, "skipped"), "the kernel is locked down");
  EXPECT_EQ(cpus.size() + events.size() + drops.size() + marks.size(), 0U);
}

TEST_F(Traces, a_trace_without_function_graph_says_nothing_of_functions) {
  queries.stored_trace->functions = 0;
  EXPECT_FALSE(std::get<0>(get_trace().values).contains("functions"));
}

TEST_F(Traces, a_trace_of_all_cpus_names_none) {
  queries.stored_trace->only_cpus.clear();
  EXPECT_FALSE(std::get<0>(get_trace().values).contains("only_cpus"));
}

TEST_F(Traces, a_sample_comes_with_typed_values_and_the_kernels_words_for_them) {
  const auto answered = list_samples();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& samples = std::get<0>(answered.values);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(text_at(samples[0], "event"), "skb:kfree_skb");
  EXPECT_EQ(number_at(samples[0], "ordinal"), 1U);
  EXPECT_EQ(samples[0].at("time_s").get<double>(), -1.5);
  EXPECT_EQ(samples[0].at("cpu").get<std::uint32_t>(), 7U);
  EXPECT_EQ(samples[0].at("pid").get<std::int32_t>(), -1);
  EXPECT_EQ(text_at(samples[0], "task"), "iperf3");
  EXPECT_FALSE(samples[1].contains("task"));

  const auto fields = samples[0].at("fields").get<dbus::Rows>();
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(text_at(fields[0], "name"), "delta");
  EXPECT_EQ(fields[0].at("value").get<std::int64_t>(), -9);
  EXPECT_EQ(fields[1].at("value").get<std::uint64_t>(), kLargest);
  EXPECT_EQ(fields[2].at("value").get<std::string>(), "veth0");
  EXPECT_FALSE(fields[2].contains("text"));
  EXPECT_EQ(fields[3].at("value").get<std::uint64_t>(), 3U);
  EXPECT_EQ(text_at(fields[3], "text"), "NO_SOCKET");
  EXPECT_TRUE(samples[1].at("fields").get<dbus::Rows>().empty());
}

TEST_F(Traces, samples_come_of_one_event_or_all_in_pages_as_long_as_asked) {
  EXPECT_EQ(std::get<0>(list_samples("net:netif_rx").values).size(), 1U);
  EXPECT_EQ(std::get<0>(list_samples("net:no_such").values).size(), 0U);
  const auto first = list_samples("", "", 1);
  EXPECT_EQ(std::get<0>(first.values).size(), 1U);
  const auto second = list_samples("", std::get<1>(first.values), 1);
  ASSERT_EQ(std::get<0>(second.values).size(), 1U);
  EXPECT_EQ(text_at(std::get<0>(second.values)[0], "event"), "net:netif_rx");
  EXPECT_EQ(std::get<1>(second.values), "");
}

TEST_F(Traces, a_stack_comes_with_its_frames_from_the_innermost_on) {
  const auto answered = list_stacks();
  ASSERT_EQ(answered.error, "") << answered.text;
  ASSERT_EQ(std::get<0>(answered.values).size(), 1U);
  const dbus::Row& stack = std::get<0>(answered.values)[0];
  EXPECT_EQ(text_at(stack, "event"), "skb:kfree_skb");
  EXPECT_EQ(number_at(stack, "count"), 12U);
  EXPECT_THAT(stack.at("frames").get<std::vector<std::string>>(),
              ElementsAre("kfree_skb+0x1c", "hsr_rx+0x4 [hsr]"));
}

TEST_F(Traces, of_no_trace_or_run_nothing_is_found) {
  queries.stored_trace.reset();
  for (const std::uint64_t run : {std::uint64_t{0}, std::uint64_t{41}, std::uint64_t{99}, kLargest}) {
    EXPECT_EQ(get_trace(run).error, dbus::error::kNotFound) << run;
    EXPECT_EQ(list_samples("", "", 0, run).error, dbus::error::kNotFound) << run;
    EXPECT_EQ(list_stacks("", 0, run).error, dbus::error::kNotFound) << run;
  }
}

TEST_F(Traces, a_stale_cursor_is_an_invalid_argument) {
  for (const std::string cursor : {"2", "x", "-1"}) {
    EXPECT_EQ(list_samples("", cursor).error, dbus::error::kInvalidArgument) << cursor;
    EXPECT_EQ(list_stacks(cursor).error, dbus::error::kInvalidArgument) << cursor;
  }
}

TEST_F(Traces, an_event_name_of_many_lines_or_much_length_is_refused) {
  EXPECT_EQ(list_samples("a\nb").error, dbus::error::kInvalidArgument);
  EXPECT_EQ(list_samples(std::string(257, 'x')).error, dbus::error::kInvalidArgument);
}

TEST_F(Traces, sixty_four_events_in_six_hundred_slices_and_two_thousand_drops_come_whole) {
  TraceRecord& record = *queries.stored_trace;
  record.events.assign(64, {.name = "tcp:tcp_retransmit_synack",
                            .filter = std::string(1024, 'f'),  // the maximum length in a job
                            .count = kLargest,
                            .slices = std::vector<std::uint64_t>(600, kLargest)});
  record.drops.assign(2000, {.reason = "TCP_INVALID_ACK_SEQUENCE", .location = "tcp_v4_do_rcv", .count = 1});
  record.cpus.assign(256, {});
  record.marks.assign(200, {.time_ns = 1, .text = std::string(200, 'x'), .user = true});
  const auto answered = get_trace();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [trace, cpus, events, drops, marks] = answered.values;
  EXPECT_EQ(cpus.size(), 256U);
  EXPECT_EQ(drops.size(), 2000U);
  EXPECT_EQ(marks.size(), 200U);
  ASSERT_EQ(events.size(), 64U);
  for (const dbus::Row& event : events) {
    EXPECT_EQ(event.at("slices").get<std::vector<std::uint64_t>>().size(), 600U);
    EXPECT_EQ(text_at(event, "filter").size(), 1024U);
  }
  for (const auto& [key, value] : trace) EXPECT_FALSE(key != "stacks_left_out" && key.ends_with("left_out"));
}

TEST_F(Traces, of_more_than_a_message_holds_the_rarest_is_left_out_and_counted) {
  TraceRecord& record = *queries.stored_trace;
  record.events.assign(1000, {.name = "skb:kfree_skb",
                              .filter = "",
                              .count = 1,
                              .slices = std::vector<std::uint64_t>(600, kLargest)});
  record.events.front().count = kLargest;
  const auto answered = get_trace();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& trace = std::get<0>(answered.values);
  const auto& events = std::get<2>(answered.values);
  EXPECT_FALSE(trace.contains("events_left_out"));
  ASSERT_EQ(events.size(), 1000U) << "counts come before slices";
  const auto with_slices = static_cast<std::uint64_t>(
      std::ranges::count_if(events, [](const dbus::Row& event) { return event.contains("slices"); }));
  EXPECT_GT(with_slices, 64U);
  EXPECT_EQ(number_at(trace, "slices_left_out"), 1000U - with_slices);
  EXPECT_EQ(number_at(events.front(), "count"), kLargest);
  EXPECT_TRUE(events.at(with_slices - 1).contains("slices"));
}

// Every text is longer than allowed and has bytes that cannot be sent; every list is longer than any message.
TraceRecord hostile_trace() {
  std::string text{kHostile};
  text.append(1'500, 'x');
  TraceRecord record;
  record.broken = record.clock = std::string(100'000, 'x');
  record.buffer_bytes = kLargest;
  record.functions = 1;
  record.missing_functions.assign(100, text);
  record.slice_width = std::chrono::nanoseconds{1};
  record.only_cpus.assign(1'000'000, 1);
  record.cpus.assign(10'000, {});
  record.events.assign(
      3'000, {.name = text, .filter = text, .count = 1, .slices = std::vector<std::uint64_t>(600, kLargest)});
  record.drops.assign(1'000, {.reason = text, .location = text, .count = 1});
  record.marks.assign(1'000, {.time_ns = 1, .text = text, .user = true});
  const EventField field{.name = text, .value = text, .text = text};
  record.samples.assign(10, {.event = text,
                             .ordinal = 1,
                             .time_ns = 1,
                             .cpu = 1,
                             .pid = 1,
                             .task = text,
                             .fields = std::vector<EventField>(300, field)});
  record.stacks.assign(30, {.event = text, .frames = std::vector<std::string>(100, text), .count = 1});
  return record;
}

TEST_F(Traces, a_hostile_trace_still_fits_and_what_is_missing_is_counted) {
  queries.stored_trace = hostile_trace();
  const auto answered = get_trace();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [trace, cpus, events, drops, marks] = answered.values;
  EXPECT_EQ(cpus.size() + number_at(trace, "cpus_left_out"), 10'000U);
  EXPECT_EQ(marks.size() + number_at(trace, "marks_left_out"), 1'000U);
  EXPECT_EQ(drops.size() + number_at(trace, "drops_left_out"), 1'000U);
  EXPECT_EQ(events.size() + number_at(trace, "events_left_out"), 3'000U);
  EXPECT_EQ(number_at(trace, "slices_left_out"), events.size());
  for (const auto* rows : {&cpus, &events, &drops, &marks}) EXPECT_GT(rows->size(), 100U);
  EXPECT_THAT(text_at(events.front(), "event"), HasSubstr("\uFFFD"));
  EXPECT_EQ(trace.at("missing_functions").get<std::vector<std::string>>().back(), "\u2026");
  EXPECT_EQ(trace.at("only_cpus").get<std::vector<std::uint32_t>>().size(), 1'024U);
}

TEST_F(Traces, hostile_samples_and_stacks_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_trace = hostile_trace();
  std::size_t samples = 0;
  std::string cursor;
  do {
    const auto page = list_samples("", cursor);
    ASSERT_EQ(page.error, "") << page.text;
    for (const dbus::Row& row : std::get<0>(page.values)) {
      ++samples;
      const auto fields = row.at("fields").get<dbus::Rows>();
      ASSERT_EQ(fields.size(), 257U);
      EXPECT_EQ(text_at(fields.back(), "name"), "\u2026");
      EXPECT_EQ(fields.back().at("value").get<std::uint64_t>(), 44U);
    }
    cursor = std::get<1>(page.values);
  } while (!cursor.empty());
  EXPECT_EQ(samples, 10U);

  std::size_t stacks = 0;
  do {
    const auto page = list_stacks(cursor);
    ASSERT_EQ(page.error, "") << page.text;
    stacks += std::get<0>(page.values).size();
    cursor = std::get<1>(page.values);
  } while (!cursor.empty());
  EXPECT_EQ(stacks, 30U);
}

// The lengths need every padding: if a size is estimated too low, the page becomes too large and the bus
// closes the connection.
TEST_F(Traces, five_hundred_samples_of_a_hundred_fields_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_trace->samples.clear();
  for (std::uint64_t i = 1; i <= 500; ++i) {
    EventSample sample{
        .event = "skb:kfree_skb", .ordinal = i, .time_ns = 1, .cpu = 1, .pid = 1, .task = "", .fields = {}};
    for (std::uint64_t j = 0; j < 50; ++j) {
      const std::string name(1 + j % 8, 'n');
      sample.fields.push_back(
          {.name = name, .value = std::string(i % 8, 'v'), .text = std::string(j % 5, 't')});
      sample.fields.push_back({.name = name, .value = std::int64_t{1}, .text = std::string(i % 5, 't')});
    }
    queries.stored_trace->samples.push_back(std::move(sample));
  }
  std::set<std::uint64_t> seen;
  std::string cursor;
  do {
    const auto page = list_samples("", cursor);
    ASSERT_EQ(page.error, "") << page.text;
    for (const dbus::Row& row : std::get<0>(page.values))
      EXPECT_TRUE(seen.insert(number_at(row, "ordinal")).second);
    cursor = std::get<1>(page.values);
  } while (!cursor.empty());
  EXPECT_EQ(seen.size(), 500U);
}

}  // namespace
}  // namespace netperfd::bus
